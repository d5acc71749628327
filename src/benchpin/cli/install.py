"""`benchpin install`: add Benchpin to the configuration of MCP hosts, or bring it up to date."""

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PureWindowsPath

import click

from benchpin.cli.config_text import ConfigNotEdited, entry_of, with_entry
from benchpin.core.errors import InvalidParams
from benchpin.core.text import visible

from .flags import FlaggedCommand, Flags
from .host_changes import (
    HOSTS_ARGUMENT,
    NAMES,
    SCOPE_OPTION,
    YES_OPTION,
    Change,
    HostPlan,
    apply,
    decoded,
    installed_skills,
    named,
    place_of,
    planned,
    read,
    suffix_of,
)
from .host_hooks import HOOK_FILES, installed_hooks
from .hosts import HOSTS, SERVER, Entry, Host, Places, Scope

_PROGRAMS = ("command", "cmd")
_ADDRESSES = ("url", "uri", "httpUrl", "serverUrl")
_SERVE = "serve"
# What makes Claude Code load all that is listed.
_LOADED = "alwaysLoad"


def updated(present: Mapping[str, object], ours: Entry, *, keeps_profile: bool) -> Entry:
    """Return an entry with the program and flags that we write; the rest of it stays.

    A program other than Benchpin, such as uvx, stays: it was chosen by hand.

    Raises:
        ConfigNotEdited: when the entry names a server by its address.
    """
    address = next((it for it in _ADDRESSES if it in present), None)
    if address is not None:
        raise ConfigNotEdited(
            f"The entry {SERVER!r} has a {address!r}: it is not one that install wrote",
            suggestion="Remove the entry first, or keep it as it is.",
        )
    words, own = _words(present), _words(ours)
    if not words:
        return {**present, **ours}
    is_wrapped = PureWindowsPath(words[0]).stem != SERVER
    program, arguments = words[0] if is_wrapped else own[0], words[1:]
    if _SERVE in arguments:
        at = arguments.index(_SERVE) + 1
        arguments = arguments[:at] + _with_flags(arguments[at:], own[2:], keeps_profile)
    elif not is_wrapped:
        arguments = [_SERVE, *_with_flags(arguments, own[2:], keeps_profile)]
    return {**ours, **present, **_as_in(ours, [program, *arguments])}


def _words(entry: Mapping[str, object]) -> list[str]:
    """Return the command line of an entry; empty if it has none that can be read."""
    program = next((entry[it] for it in _PROGRAMS if it in entry), None)
    parts = [*_list(program), *_list(entry.get("args"))]
    words = [it for it in parts if isinstance(it, str)]
    return words if len(words) == len(parts) and program else []


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _as_in(ours: Entry, words: list[str]) -> Entry:
    """Return the command line in the form in which the host has it."""
    name = next(it for it in _PROGRAMS if it in ours)
    if isinstance(ours[name], list):
        return {name: words}
    return {name: words[0], "args": words[1:]}


def _with_flags(arguments: Sequence[str], ours: Sequence[str], keeps_profile: bool) -> list[str]:  # noqa: FBT001 - private
    """Set our flags, each of which has a value, among others."""
    result = list(arguments)
    for flag, value in zip(ours[::2], ours[1::2], strict=True):
        at = next((n for n, it in enumerate(result) if it.split("=", 1)[0] == flag), None)
        if at is None:
            result += [flag, value]
        elif flag != "--profile" or not keeps_profile:
            end = at + 1 if "=" in result[at] else at + 2
            result[at:end] = [flag, value]
    return result


@click.command(cls=FlaggedCommand)
@HOSTS_ARGUMENT
@SCOPE_OPTION
@YES_OPTION
@click.option("--skills", is_flag=True, help="Also write skills: which tool to use when.")
@click.option("--hooks", is_flag=True, help="Also write hooks: agents prove their changes.")
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
    hooks: bool,
    profile: str | None,
    only_print: bool,
) -> None:
    """Add Benchpin to the configuration of MCP hosts; `benchpin uninstall` removes it.

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
    for host in chosen:
        if hooks and host.name not in HOOK_FILES:
            click.echo(f"{host.title} has no known hooks.")

    def plans() -> Iterator[HostPlan]:
        for host, its_scope in scoped:
            plan = planned([host], lambda it: [_installed(it, scope, root, places, profile)])
            if hooks and host.name in HOOK_FILES:
                written = partial(installed_hooks, host, its_scope, root, places, _program())
                yield from _with_hooks(plan, written)
            else:
                yield plan
        yield HostPlan(found)

    apply(plans(), yes=yes)


def _with_hooks(plan: HostPlan, hooks: Callable[[], HostPlan]) -> Iterator[HostPlan]:
    """Yield the plans for a host's server and its hooks: without one, the other is not written."""
    refused = hooks().refusals or plan.refusals
    if refused:
        yield HostPlan([], refused)
        return
    copies = [read(it.backup) for it in plan.changes]
    yield plan
    if not plan.refusals:
        yield (after := hooks())  # they may be in the file that was just written
        if after.refusals:
            for change, copy in zip(plan.changes, copies, strict=True):
                change.undo(copy)


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
        if present is not None and _LOADED in entry and _LOADED not in present:
            # The list of an entry that was made before, or by hand, stays as it is.
            entry = _entry(replace(host, profile=None), scope, root, profile)
            del entry[_LOADED]
        if present is not None:
            entry = updated(present, entry, keeps_profile=profile is None)
        after = with_entry(text, suffix, keys, entry)
    is_update = present is not None
    return Change(host.title, file, before, after.encode(), is_update=is_update)
