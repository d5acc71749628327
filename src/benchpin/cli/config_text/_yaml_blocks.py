"""Edit an entry of a YAML document, which is a block of lines of its own in a group.

The parser says where each value is; only what it says is cut or written.
"""

import json
from collections.abc import Mapping, Sequence

import yaml

_Pair = tuple[yaml.Node, yaml.Node]
# libyaml, where PyYAML was built with it, is ten times as fast.
_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INDENT = "  "


class NotBlock(ValueError):
    """A document in which an entry is not a block of lines; says where."""


def loads(text: str) -> object:
    """Parse YAML without aliases, which let a short text expand to any number of values.

    Raises:
        NotBlock: when there are aliases.
        yaml.YAMLError: when it is not YAML.
    """
    if "*" in text and any(isinstance(it, yaml.AliasEvent) for it in yaml.parse(text, _LOADER)):
        message = "it has YAML aliases"
        raise ValueError(message)
    return yaml.load(text, _LOADER)  # noqa: S506 - a safe loader


def with_entry(text: str, keys: Sequence[str], entry: Mapping[str, object]) -> str:
    """Return a document with an entry as the first of its group.

    Raises:
        NotBlock: when the group is not a block.
    """
    group, name = keys
    root = yaml.compose(text, _LOADER)
    found = None if root is None else _pair_of(root, group)
    if found is None:
        margin = "" if root is None else " " * root.start_mark.column
        ended = text if text.endswith("\n") or not text else text + "\n"
        return ended + _dumped({group: {name: dict(entry)}}, margin)
    key, value = found
    if value.value in ("", [], "~", "null"):  # nothing is in it, or an empty list in brackets
        column = key.start_mark.column + len(_INDENT)
        text = text[: value.start_mark.index].rstrip(" ") + text[value.end_mark.index :]
    else:
        _require_block(value)
        column = value.start_mark.column
    at = _next_line(text, key.end_mark.index)
    ended = text[:at] if text[:at].endswith("\n") else text[:at] + "\n"
    return ended + _dumped({name: dict(entry)}, " " * column) + text[at:]


def with_members(text: str, keys: Sequence[str], changed: Mapping[str, object]) -> str:
    """Return a document with some members of an entry set.

    Raises:
        NotBlock: when the entry has no place for them.
    """
    for name, value in changed.items():
        key, entry = _required(_group(text, keys[0])[1], keys[1])
        found = _pair_of(entry, name)
        if found is not None:
            start, end = found[0].end_mark.index, _end_of(found[1])
            if "#" in text[start : found[1].start_mark.index]:
                message = f"{name!r} has a comment before its value"
                raise NotBlock(message)
            # JSON on one line is YAML too, and needs no indent.
            text = f"{text[:start]}: {json.dumps(value, ensure_ascii=False)}{text[end:]}"
            continue
        _require_block(entry)
        at = _next_line(text, key.end_mark.index)
        text = text[:at] + _dumped({name: value}, " " * entry.start_mark.column) + text[at:]
    return text


def without_entry(text: str, keys: Sequence[str]) -> str:
    """Return a document without an entry, and without a group that has no other.

    Comments after the last line of the entry stay: they belong to what follows.

    Raises:
        NotBlock: when the entry is not a block of lines.
    """
    group_key, group = _group(text, keys[0])
    _require_block(group)
    key, entry = _required(group, keys[1])
    start, end = _line_start(text, key.start_mark.index), _end_of(entry)
    if text[end - 1] != "\n":
        end = _next_line(text, end)
    kept = text[:start] + text[end:]
    if len(group.value) > 1:
        return kept
    line = slice(
        _line_start(text, group_key.start_mark.index), _next_line(text, group_key.end_mark.index)
    )
    if "#" in text[line]:  # the comment of the group stays, with a group that holds nothing
        colon = text.index(":", group_key.end_mark.index) + 1
        return f"{text[:colon]} {{}}{text[colon:start]}{text[end:]}"
    return text[: line.start] + text[line.stop : start] + text[end:]


def _dumped(value: object, margin: str) -> str:
    lines = yaml.safe_dump(value, sort_keys=False, allow_unicode=True).splitlines(keepends=True)
    return "".join(margin + line for line in lines)


def _group(text: str, name: str) -> _Pair:
    return _required(yaml.compose(text, _LOADER), name)


def _required(node: yaml.Node | None, name: str) -> _Pair:
    found = None if node is None else _pair_of(node, name)
    if found is None:
        message = f"{name!r} is not in it"
        raise NotBlock(message)
    return found


def _pair_of(node: yaml.Node, name: str) -> _Pair | None:
    """Return a key of a mapping, and its value.

    Raises:
        NotBlock: when it is not a mapping, or has the key twice.
    """
    if not isinstance(node, yaml.MappingNode):
        message = f"line {node.start_mark.line + 1}: expected a mapping"
        raise NotBlock(message)
    pairs: list[_Pair] = [it for it in node.value if it[0].value == name]
    if len(pairs) > 1:
        message = f"line {pairs[1][0].start_mark.line + 1}: {name!r} is there twice"
        raise NotBlock(message)
    return pairs[0] if pairs else None


def _require_block(node: yaml.Node) -> None:
    if not isinstance(node, yaml.MappingNode) or node.flow_style:
        message = f"line {node.start_mark.line + 1}: expected a block of lines"
        raise NotBlock(message)


def _end_of(node: yaml.Node) -> int:
    """Return where the text of a value ends; the parser counts comments after a block to it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style:
        last = node.value[-1]
        return _end_of(last[1] if isinstance(last, tuple) else last)
    index: int = node.end_mark.index
    return index


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _next_line(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1
