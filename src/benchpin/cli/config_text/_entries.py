"""Set or remove one entry in a host's configuration, and leave the rest of the text alone.

Each format has a module that edits its text. Whatever the edit did, the result is parsed and
compared: nothing but the entry may differ.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import yaml

from benchpin.core.errors import BenchpinError
from benchpin.system.formats import NotToml, parse_toml

from . import _jsonc, _toml_tables, _yaml_blocks

_BOM = "\ufeff"


class _Editor(Protocol):
    """What the module of a format does."""

    def with_entry(self, text: str, keys: Sequence[str], entry: Mapping[str, object], /) -> str:
        """Add an entry that is not there."""

    def with_members(self, text: str, keys: Sequence[str], changed: Mapping[str, object], /) -> str:
        """Set members of an entry that is there."""

    def without_entry(self, text: str, keys: Sequence[str], /) -> str:
        """Cut out an entry that is there."""


_EDITORS: Mapping[str, _Editor] = {
    ".json": _jsonc,
    ".toml": _toml_tables,
    ".yaml": _yaml_blocks,
}


class ConfigNotEdited(BenchpinError):
    """A host's configuration that cannot be edited without a risk."""

    kind = "config_not_edited"


def with_entry(text: str, suffix: str, keys: Sequence[str], entry: Mapping[str, object]) -> str:
    """Return a configuration with an entry set; the last key is its name.

    Of an entry that is there already, only the members that differ are written.

    Raises:
        ConfigNotEdited: when the text cannot be parsed, or has an unusual form.
    """
    before = parsed(text, suffix)
    present = _found(before, keys)
    if present == entry:
        return text
    if isinstance(present, dict):
        changed = {key: it for key, it in entry.items() if key not in present or present[key] != it}
        return _edited(text, suffix, keys, before, entry, changed)
    return _edited(text, suffix, keys, before, entry)


def entry_of(text: str, suffix: str, keys: Sequence[str]) -> Mapping[str, object] | None:
    """Return an entry; None if there is none.

    Raises:
        ConfigNotEdited: when the text cannot be parsed.
    """
    found = _found(parsed(text, suffix), keys)
    return found if isinstance(found, dict) else None


def without_entry(text: str, suffix: str, keys: Sequence[str]) -> str:
    """Return a configuration without an entry.

    Raises:
        ConfigNotEdited: when the text cannot be parsed, or has an unusual form.
    """
    before = parsed(text, suffix)
    if _found(before, keys) is None:
        return text
    return _edited(text, suffix, keys, before, None)


def parsed(text: str, suffix: str) -> dict[str, object]:
    """Return what a configuration says.

    Raises:
        ConfigNotEdited: when the text cannot be parsed, or is not an object.
    """
    bare = text.removeprefix(_BOM)
    try:
        if suffix == ".toml":
            value: object = parse_toml(bare)
        else:
            value = _yaml_blocks.loads(bare) if suffix == ".yaml" else _jsonc.loads(bare)
    except (ValueError, NotToml, yaml.YAMLError, RecursionError) as error:
        raise _broken(" ".join(str(error).split())) from error
    if value is not None and not isinstance(value, dict):
        raise _broken("it is not an object")
    return value or {}


def _edited(
    text: str,
    suffix: str,
    keys: Sequence[str],
    before: dict[str, object],
    entry: Mapping[str, object] | None,
    changed: Mapping[str, object] | None = None,
) -> str:
    """Set an entry, or those members of it that have changed, or remove it if it is None."""
    editor, bare = _EDITORS[suffix], text.removeprefix(_BOM)
    try:
        if entry is None:
            after = editor.without_entry(bare, keys)
        elif changed is None:
            after = _with_line_ends_of(bare, editor.with_entry(bare, keys, entry))
        else:
            after = editor.with_members(bare, keys, changed)
        after.encode()  # the path of a folder may have bytes that are not UTF-8
    except (ValueError, RecursionError) as error:
        raise _broken(str(error)) from error
    try:
        result = parsed(after, suffix)
    except ConfigNotEdited as error:
        raise _risky() from error
    if _without(result, keys) != _without(before, keys) or _found(result, keys) != entry:
        raise _risky()
    return text[: len(text) - len(bare)] + after


def _with_line_ends_of(text: str, after: str) -> str:
    """Give what was added to a text the line ends that the text has."""
    if "\r\n" not in text:
        return after
    # What was added is in one place, between what both texts begin and end with.
    start, end = _shared_start(text, after), _shared_start(text[::-1], after[::-1])
    end = len(after) - min(end, len(text) - start)
    added = after[start:end].replace("\r\n", "\n").replace("\n", "\r\n")
    return after[:start] + added + after[end:]


def _shared_start(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:  # by halves: comparing slices is fast, and a file may have megabytes
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _risky() -> ConfigNotEdited:
    return ConfigNotEdited(
        "The entry cannot be changed safely",
        suggestion="Change it by hand: --print shows the entry.",
    )


def _broken(reason: str) -> ConfigNotEdited:
    return ConfigNotEdited(
        f"The file cannot be parsed: {reason}",
        suggestion="Correct it first, or change it by hand: --print shows the entry.",
    )


def _found(value: object, keys: Sequence[str]) -> object:
    for key in keys:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def _without(value: dict[str, object], keys: Sequence[str]) -> dict[str, object]:
    """Return a value without an entry, and without what holds nothing else."""
    first, *rest = keys
    inner = value.get(first)
    others = {key: it for key, it in value.items() if key != first}
    if not rest or inner is None:
        return others
    if not isinstance(inner, dict):
        return value
    left = _without(inner, rest)
    return {**others, first: left} if left else others
