"""`benchpin uninstall`: remove Benchpin from the configuration of MCP hosts."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from benchpin.cli.config_text import ConfigNotEdited, entry_of, with_entry, without_entry

from .flags import FlaggedCommand, Flags
from .host_changes import (
    HOSTS_ARGUMENT,
    SCOPE_OPTION,
    YES_OPTION,
    Change,
    HostPlan,
    apply,
    decoded,
    named,
    place_of,
    planned,
    read,
    removed_skills,
    suffix_of,
)
from .host_hooks import removed_hooks
from .hosts import HOSTS, SERVER, Host, Places, Scope

_NOTHING = str.maketrans("", "", "{}")


@click.command(cls=FlaggedCommand)
@HOSTS_ARGUMENT
@SCOPE_OPTION
@YES_OPTION
@click.option("--skills", is_flag=True, help="Also remove Benchpin's skills.")
@click.pass_obj
def uninstall(
    outer: Flags, /, *, hosts: tuple[str, ...], scope: Scope | None, yes: bool, skills: bool
) -> None:
    """Remove Benchpin from the configuration of MCP hosts; nothing else is changed.

    Example: benchpin uninstall cursor
    """
    root = outer.configuration().settings.root.resolve()
    places = Places.of_this_machine()
    chosen = [host for host in HOSTS if not hosts or host.name in hosts]
    scopes: list[Scope] = ["project", "user"] if scope is None else [scope]
    found = removed_skills([(host, it) for host in chosen for it in scopes], root, places)
    if found and not skills:
        folders = sorted({str(it.file.parent.parent) for it in found})
        click.echo(f"Skills stay in {', '.join(folders)}; --skills removes them.")

    def plans() -> Iterator[HostPlan]:
        for host in chosen:  # hooks that cannot be read do not keep the server
            yield removed_hooks([host], scopes, root, places)
            yield planned([host], lambda it: _removals(it, scopes, root, places))
        yield HostPlan(found if skills else [])

    apply(plans(), yes=yes)


def _removals(host: Host, scopes: Sequence[Scope], root: Path, places: Places) -> list[Change]:
    files = {it for each in scopes if (it := place_of(host, each, root, places))}
    found = (_removed(host, file, suffix_of(host, places)) for file in sorted(files))
    return [change for change in found if change is not None]


def _removed(host: Host, file: Path, suffix: str) -> Change | None:
    """Return the file as it was before; if it has changed since, the file without the entry."""
    before, keys = read(file), (*host.keys, SERVER)
    text = decoded(file, before or b"")
    with named(file):
        entry = entry_of(text, suffix, keys)
    if before is None or entry is None:
        return None
    kept = read(Change(host.title, file, before, None).backup)
    old = _Old(None if kept is None else kept.decode(errors="replace"), suffix, keys)
    if old.is_before(text, entry):
        return Change(host.title, file, before, kept, is_restored=True)
    with named(file):
        left = without_entry(text, suffix, keys)
    if not left.translate(_NOTHING).strip() and old.held_nothing_else():
        return Change(host.title, file, before, None, is_restored=True)
    return Change(host.title, file, before, left.encode())


class _Old(NamedTuple):
    """The copy that was kept of a configuration; None without one."""

    text: str | None
    suffix: str
    keys: tuple[str, ...]

    def is_before(self, text: str, entry: Mapping[str, object]) -> bool:
        """Whether a text differs from the copy by the entry alone, however that was edited."""
        suffix, keys = self.suffix, self.keys
        try:
            if self.text is None or entry_of(self.text, suffix, keys) is not None:
                return False  # Benchpin was there before it was installed
            installed = with_entry(self.text, suffix, keys, entry)
            return installed == text or (
                without_entry(installed, suffix, keys) == without_entry(text, suffix, keys)
            )
        except ConfigNotEdited:
            return False

    def held_nothing_else(self) -> bool:
        """Whether there was no file before the entry, so that none has to stay."""
        if self.text is None:
            return True
        try:
            left = without_entry(self.text, self.suffix, self.keys)
        except ConfigNotEdited:
            return False
        return left != self.text and not left.translate(_NOTHING).strip()
