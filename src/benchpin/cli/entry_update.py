"""Bring an entry of Benchpin up to date, and keep what was changed in it by hand."""

from collections.abc import Mapping, Sequence
from pathlib import PureWindowsPath

from benchpin.cli.config_text import ConfigNotEdited

from .hosts import SERVER, Entry

_PROGRAMS = ("command", "cmd")
_ADDRESSES = ("url", "uri", "httpUrl", "serverUrl")
_SERVE = "serve"


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
