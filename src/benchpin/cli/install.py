"""`benchpin install`: add Benchpin to the configuration of MCP hosts."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from benchpin.cli.config_text import entry_of, with_entry
from benchpin.core.errors import InvalidParams
from benchpin.core.text import visible

from .entry_update import updated
from .flags import FlaggedCommand, Flags
from .host_changes import (
    HOSTS_ARGUMENT,
    NAMES,
    SCOPE_OPTION,
    YES_OPTION,
    Change,
    apply,
    decoded,
    named,
    place_of,
    planned,
    read,
    suffix_of,
)
from .hosts import HOSTS, SERVER, Entry, Host, Places, Scope
from .skill_files import installed_skills


@click.command(cls=FlaggedCommand)
@HOSTS_ARGUMENT
@SCOPE_OPTION
@YES_OPTION
@click.option("--skills", is_flag=True, help="Also write skills: when to take which tool.")
@click.option(
    "--profile", metavar="NAME", help="The tools to list: full or lean. [default: fits the host]"
)
@click.option("--print", "only_print", is_flag=True, help="Print the entries; write nothing.")
@click.pass_obj
def install(
    outer: Flags,
    /,
    *,
    hosts: tuple[str, ...],
    scope: Scope | None,
    yes: bool,
    skills: bool,
    profile: str | None,
    only_print: bool,
) -> None:
    """Add Benchpin to the configuration of MCP hosts.

    Shows what would change and asks. Comments and order stay; the old content is kept in
    FILE.before-benchpin. Other flags of the server, such as --allow, can be added to the entry by
    hand; they stay when it is installed again.

    Example: benchpin install claude-code --scope user --yes
    """
    root = outer.configuration().settings.root.resolve()
    places = Places.of_this_machine()
    chosen = _chosen(hosts, places)
    scoped = [(host, _scope_of(host, scope)) for host in chosen]
    found = installed_skills(scoped, root, places) if skills else []
    if only_print:
        for host in chosen:
            file = _file(host, scope, root, places)
            entry = _entry(host, scope, root, profile)
            click.echo(visible(f"{host.title}, in {file}:"))
            click.echo(with_entry("", suffix_of(host, places), (*host.keys, SERVER), entry))
        for change in found:
            click.echo(f"{change.title}, in {change.file}:\n{(change.after or b'').decode()}")
        return
    plan = planned(chosen, lambda host: [_installed(host, scope, root, places, profile)])
    apply(plan.and_also(found), yes=yes)


def _chosen(names: Sequence[str], places: Places) -> list[Host]:
    chosen = [it for it in HOSTS if it.name in names or (not names and it.is_installed(places))]
    if not chosen:
        raise InvalidParams(
            "No MCP host was found on this machine", suggestion=f"Name one: {', '.join(NAMES)}."
        )
    return chosen


def _scope_of(host: Host, scope: Scope | None) -> Scope:
    if scope == "project" and host.project_file is None:
        raise InvalidParams(
            f"{host.title} has no configuration for a single project",
            suggestion="Use --scope user.",
        )
    return scope or ("user" if host.project_file is None else "project")


def _file(host: Host, scope: Scope | None, root: Path, places: Places) -> Path:
    chosen = _scope_of(host, scope)
    if chosen == "user" and not places.home.is_dir():
        raise InvalidParams(
            f"There is no home folder {str(places.home)!r} for your own file of {host.title}",
            suggestion="Set HOME to your folder, or use --scope project.",
        )
    # `_scope_of` has made sure that there is a file of this scope.
    return place_of(host, chosen, root, places) or root


def _entry(host: Host, scope: Scope | None, root: Path, profile: str | None) -> Entry:
    chosen = host if profile is None else replace(host, profile=profile)
    return chosen.entry(chosen.command(_scope_of(host, scope), root, _program()))


def _program() -> str:
    """Return the absolute path of this command: hosts do not share the PATH of a shell."""
    called = Path(sys.argv[0])
    found = str(called) if called.name == SERVER else shutil.which(SERVER)
    return str(Path(found).absolute()) if found and Path(found).exists() else SERVER


def _installed(
    host: Host, scope: Scope | None, root: Path, places: Places, profile: str | None
) -> Change:
    file = _file(host, scope, root, places)
    before = read(file)
    text = decoded(file, before or b"")
    keys, suffix = (*host.keys, SERVER), suffix_of(host, places)
    entry = _entry(host, scope, root, profile)
    with named(file):
        present = entry_of(text, suffix, keys)
        if present is not None:
            entry = updated(present, entry, keeps_profile=profile is None)
        after = with_entry(text, suffix, keys, entry)
    is_update = present is not None
    return Change(host.title, file, before, after.encode(), is_update=is_update)
