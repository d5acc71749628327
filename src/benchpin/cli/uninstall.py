"""`benchpin uninstall`: remove Benchpin from the configuration of MCP hosts."""

from pathlib import Path

import click

from .config_text import entry_of, with_entry, without_entry
from .flags import FlaggedCommand, Flags
from .host_changes import (
    HOSTS_ARGUMENT,
    SCOPE_OPTION,
    YES_OPTION,
    Change,
    apply,
    decoded,
    read,
    suffix_of,
)
from .hosts import HOSTS, SERVER, Host, Places, Scope


@click.command(cls=FlaggedCommand)
@HOSTS_ARGUMENT
@SCOPE_OPTION
@YES_OPTION
@click.pass_obj
def uninstall(outer: Flags, /, *, hosts: tuple[str, ...], scope: Scope | None, yes: bool) -> None:
    r"""Remove Benchpin from the configuration of MCP hosts; nothing else is changed.

    \b
    Example: benchpin uninstall cursor
    """
    root = outer.configuration().settings.root.resolve()
    places = Places.of_this_machine()
    chosen = [host for host in HOSTS if not hosts or host.name in hosts]
    apply([it for host in chosen for it in _removals(host, scope, root, places)], yes=yes)


def _removals(host: Host, scope: Scope | None, root: Path, places: Places) -> list[Change]:
    scopes: list[Scope] = ["project", "user"] if scope is None else [scope]
    files = {it.resolve() for each in scopes if (it := host.file(each, root, places))}
    found = (_removed(host, file) for file in sorted(files))
    return [change for change in found if change is not None]


def _removed(host: Host, file: Path) -> Change | None:
    """Return the file as it was before; if it has changed since, the file without the entry."""
    before, keys, suffix = read(file), (*host.keys, SERVER), suffix_of(file)
    text = decoded(file, before or b"")
    entry = entry_of(text, suffix, keys)
    if before is None or entry is None:
        return None
    kept = read(Change(host, file, before, None).backup)
    if kept is not None and with_entry(decoded(file, kept), suffix, keys, entry) == text:
        return Change(host, file, before, kept, is_restored=True)
    left = without_entry(text, suffix, keys)
    is_ours = kept is None and left.strip() in {"", "{}"}
    return Change(host, file, before, None if is_ours else left.encode())
