"""Set or remove one entry in a host's configuration, and leave the rest of the text alone.

JSON is edited by `jsonc`. In TOML and YAML an entry is a block of lines of its own: it is appended,
or cut out. Whatever the edit did, the result is parsed and compared: nothing but the entry may
differ.
"""

import json
from collections.abc import Callable, Mapping, Sequence

import yaml

from benchpin.core import BenchpinError
from benchpin.engines.toml import NotToml, parse_toml

from . import jsonc


class ConfigNotEdited(BenchpinError):
    """A host's configuration that cannot be edited without a risk."""

    kind = "config_not_edited"


def with_entry(text: str, suffix: str, keys: Sequence[str], entry: Mapping[str, object]) -> str:
    """Return a configuration with an entry set; the last key is its name.

    Raises:
        ConfigNotEdited: when the text cannot be parsed, or has an unusual form.
    """
    before = _parsed(text, suffix)
    if suffix == ".toml":
        after = _appended(_without_table(text, keys), _toml_table(keys, entry))
    elif suffix == ".yaml":
        after = _with_block(_without_block(text, keys), keys, entry)
    else:
        after = _edited(lambda: jsonc.with_member(text, keys, dict(entry)))
    _require(_without(_parsed(after, suffix), keys) == _without(before, keys))
    _require(_found(_parsed(after, suffix), keys) == entry)
    return after


def entry_of(text: str, suffix: str, keys: Sequence[str]) -> Mapping[str, object] | None:
    """Return an entry; None if there is none.

    Raises:
        ConfigNotEdited: when the text cannot be parsed.
    """
    found = _found(_parsed(text, suffix), keys)
    return found if isinstance(found, dict) else None


def without_entry(text: str, suffix: str, keys: Sequence[str]) -> str:
    """Return a configuration without an entry.

    Raises:
        ConfigNotEdited: when the text cannot be parsed, or has an unusual form.
    """
    before = _parsed(text, suffix)
    if _found(before, keys) is None:
        return text
    if suffix == ".toml":
        after = _without_table(text, keys)
    elif suffix == ".yaml":
        after = _without_block(text, keys)
    else:
        after = _edited(lambda: jsonc.without_member(text, keys))
    _require(_without(_parsed(after, suffix), keys) == _without(before, keys))
    return after


def _edited(edit: Callable[[], str]) -> str:
    try:
        return edit()
    except jsonc.NotJson as error:
        raise _broken(str(error)) from error


def _require(is_right: bool) -> None:  # noqa: FBT001 - one condition
    if not is_right:
        raise ConfigNotEdited(
            "The entry cannot be changed without a risk to the rest of the file",
            suggestion="Change it by hand: --print shows the entry.",
        )


def _broken(reason: str) -> ConfigNotEdited:
    return ConfigNotEdited(
        f"The file cannot be parsed: {reason}",
        suggestion="Correct it first, or change it by hand: --print shows the entry.",
    )


def _parsed(text: str, suffix: str) -> dict[str, object]:
    try:
        if suffix == ".toml":
            value: object = parse_toml(text)
        elif suffix == ".yaml":
            value = _yaml(text)
        else:
            value = jsonc.loads(text)
    except (ValueError, NotToml, yaml.YAMLError, RecursionError) as error:
        raise _broken(" ".join(str(error).split())) from error
    if value is not None and not isinstance(value, dict):
        raise _broken("it is not an object")
    return value or {}


def _yaml(text: str) -> object:
    """Parse YAML without aliases, which let a short text expand to any number of values."""
    if any(isinstance(it, yaml.AliasEvent) for it in yaml.parse(text, yaml.SafeLoader)):
        raise _broken("it has YAML aliases")
    return yaml.safe_load(text)


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
    if not rest or not isinstance(inner, dict):
        return others if not rest else value
    left = _without(inner, rest)
    return {**others, first: left} if left else others


def _appended(text: str, block: str) -> str:
    if not text.strip():
        return block
    return text.rstrip("\n") + "\n\n" + block


def _toml_table(keys: Sequence[str], entry: Mapping[str, object]) -> str:
    # Strings and lists of strings are written alike in JSON and in TOML.
    lines = (f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items())
    return "\n".join((f"[{'.'.join(keys)}]", *lines)) + "\n"


def _without_table(text: str, keys: Sequence[str]) -> str:
    """Cut out the table of an entry and those inside it."""
    name = ".".join(keys)
    own = (f"[{name}]", f"[{name}.")
    kept: list[str] = []
    is_own = False
    for line in text.splitlines(keepends=True):
        header = line.lstrip()
        if header.startswith("["):
            is_own = header.startswith(own)
        if not is_own:
            kept.append(line)
    cut = "".join(kept)
    return cut if cut == text else cut.rstrip("\n") + ("\n" if cut.strip() else "")


def _with_block(text: str, keys: Sequence[str], entry: Mapping[str, object]) -> str:
    group, name = keys
    lines = text.splitlines(keepends=True)
    at = _line_of(lines, group)
    if at is None:
        block = yaml.safe_dump({group: {name: dict(entry)}}, sort_keys=False)
        return text + ("" if text.endswith("\n") or not text else "\n") + block
    children = (
        line for line in lines[at + 1 :] if line.strip() and not line.lstrip().startswith("#")
    )
    first = next(children, "")
    indent = first[: len(first) - len(first.lstrip())] or "  "
    dumped = yaml.safe_dump({name: dict(entry)}, sort_keys=False)
    block = "".join(indent + line for line in dumped.splitlines(keepends=True))
    return "".join((*lines[: at + 1], block, *lines[at + 1 :]))


def _without_block(text: str, keys: Sequence[str]) -> str:
    group, name = keys
    lines = text.splitlines(keepends=True)
    at = _line_of(lines, group)
    if at is None:
        return text
    own = (it for it in range(at + 1, len(lines)) if lines[it].strip() == f"{name}:")
    start = next((it for it in own if _depth(lines[it]) > 0), None)
    if start is None:
        return text
    depth = len(lines[start]) - len(lines[start].lstrip())
    end = start + 1
    while end < len(lines) and lines[end].strip() and _depth(lines[end]) > depth:
        end += 1
    rest = lines[:start] + lines[end:]
    if not any(_depth(line) > 0 for line in rest[at + 1 :] if line.strip()):
        del rest[at]
    return "".join(rest)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _line_of(lines: Sequence[str], group: str) -> int | None:
    """Return the line of a group whose members are on lines of their own."""
    return next((at for at, line in enumerate(lines) if line.rstrip() == f"{group}:"), None)
