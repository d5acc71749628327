"""Edit JSON with comments as text, so that comments, order and layout stay as they are.

No maintained library does this: those that read JSON with comments write it back without them.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

_COMMENTS = {"//": "\n", "/*": "*/"}
_INDENT = re.compile(r"\n([ \t]+)\"")


class NotJson(ValueError):
    """A text that is not JSON; says where."""


@dataclass(slots=True)
class _Node:
    """A value and where it is in the text; members if it is an object."""

    start: int
    end: int
    value: object
    members: "dict[str, _Member]" = field(default_factory=dict)
    content_end: int = 0
    """In an object: after its last member, comma or comment."""
    last: "_Member | None" = None


@dataclass(slots=True)
class _Member:
    start: int
    node: _Node
    comma: int | None = None
    """Where the comma after it is."""


def loads(text: str) -> object:
    """Return the value of a text with comments and trailing commas; None if it is blank.

    Raises:
        NotJson: naming the line.
    """
    return None if not text.strip() else _Parser(text).parse().value


def with_member(text: str, keys: Sequence[str], value: object) -> str:
    """Return the text of an object with one member set, at any depth.

    Raises:
        NotJson: when the text, or what should hold the member, is not an object.
    """
    if not text.strip():
        return json.dumps(_nested(keys, value), indent=2, ensure_ascii=False) + "\n"
    node, depth = _Parser(text).parse(), 0
    while True:
        _require_object(text, node)
        if keys[depth] not in node.members:
            return _inserted(text, node, depth, keys[depth], _nested(keys[depth + 1 :], value))
        node, depth = node.members[keys[depth]].node, depth + 1
        if depth == len(keys):
            if node.value == value:
                return text
            return text[: node.start] + _dumped(text, value, depth) + text[node.end :]


def without_member(text: str, keys: Sequence[str]) -> str:
    """Return the text without a member, and without objects that are empty then.

    Raises:
        NotJson: when the text is not JSON.
    """
    path = [_Parser(text).parse()] if text.strip() else []
    for key in keys:
        if not path or key not in path[-1].members:
            return text
        path.append(path[-1].members[key].node)
    depth = len(keys) - 1
    while depth > 0 and len(path[depth].members) == 1:
        depth -= 1
    return _removed(text, path[depth], keys[depth])


def _removed(text: str, parent: _Node, key: str) -> str:
    names = list(parent.members)
    at, member = names.index(key), parent.members[key]
    if member.comma is not None and at + 1 < len(names):
        return text[: member.start] + text[parent.members[names[at + 1]].start :]
    end = member.node.end if member.comma is None else member.comma + 1
    if at == 0:
        kept = text[: member.start].rstrip()
        return kept + (text[end:].lstrip() if kept.endswith("{") else text[end:])
    before = parent.members[names[at - 1]]
    # The comma before it goes too, unless the list of members ends with one.
    keep = before.node.end if member.comma is None else (before.comma or before.node.end) + 1
    between = text[(before.comma or before.node.end) + 1 : member.start].rstrip()
    return text[:keep] + between + text[end:]


def _require_object(text: str, node: _Node) -> None:
    if not isinstance(node.value, dict):
        line = text.count("\n", 0, node.start) + 1
        message = f"line {line}: expected an object"
        raise NotJson(message)


def _nested(keys: Sequence[str], value: object) -> object:
    return reduce(lambda inner, key: {key: inner}, reversed(keys), value)


def _dumped(text: str, value: object, depth: int) -> str:
    found = _INDENT.search(text)
    unit = found[1] if found else "  "
    dumped = json.dumps(value, indent=unit, ensure_ascii=False)
    return dumped.replace("\n", "\n" + unit * depth)


def _inserted(text: str, parent: _Node, depth: int, key: str, value: object) -> str:
    found = _INDENT.search(text)
    unit = found[1] if found else "  "
    member = f"{unit * (depth + 1)}{json.dumps(key)}: {_dumped(text, value, depth + 1)}"
    last = parent.last
    comma = "," if last is not None and last.comma is None else ""
    cut = parent.content_end if last is None else last.node.end
    after = text[cut : parent.content_end]
    closing = text[parent.content_end : parent.end - 1]
    if "\n" not in closing:
        closing = "\n" + unit * depth
    return f"{text[:cut]}{comma}{after}\n{member}{closing}{text[parent.end - 1 :]}"


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def parse(self) -> _Node:
        node = self._value()
        self._skip()
        if self._at < len(self._text):
            raise self._wrong("text after the end")
        return node

    def _skip(self) -> None:
        """Skip white space and comments."""
        while True:
            while self._peek().isspace():
                self._at += 1
            opening = self._text[self._at : self._at + 2]
            if opening not in _COMMENTS:
                return
            end = self._text.find(_COMMENTS[opening], self._at + 2)
            self._at = len(self._text) if end < 0 else end + len(_COMMENTS[opening])

    def _wrong(self, problem: str) -> NotJson:
        line = self._text.count("\n", 0, self._at) + 1
        return NotJson(f"line {line}: {problem}")

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _value(self) -> _Node:
        self._skip()
        if self._peek() == "{":
            return self._object()
        if self._peek() == "[":
            return self._array()
        return self._scalar()

    def _scalar(self) -> _Node:
        start = self._at
        try:
            value, self._at = json.JSONDecoder(parse_constant=float).raw_decode(self._text, start)
        except ValueError:
            raise self._wrong("expected a value") from None
        return _Node(start, self._at, value)

    def _object(self) -> _Node:
        start = self._at
        self._at += 1
        node = _Node(start, start, {})
        while self._next_of(node, "}"):
            begin, key = self._at, self._key()
            self._skip()
            if self._peek() != ":":
                raise self._wrong("expected a colon")
            self._at += 1
            member = _Member(begin, self._value())
            node.members[key] = node.last = member
            self._skip()
            if self._peek() == ",":
                member.comma = self._at
                self._at += 1
        node.value = {key: it.node.value for key, it in node.members.items()}
        return node

    def _key(self) -> str:
        if self._peek() != '"':
            raise self._wrong("expected a name in quotes")
        return str(self._scalar().value)

    def _next_of(self, node: _Node, closing: str) -> bool:
        """Go to the next member of a container; at its end, note where that is."""
        self._skip()
        if self._peek() == "":
            raise self._wrong(f"expected {closing!r}")
        last = node.last
        if self._peek() != closing:
            if last is not None and last.comma is None:
                raise self._wrong("expected a comma")
            return True
        node.content_end = self._at
        while self._text[node.content_end - 1].isspace():
            node.content_end -= 1
        self._at += 1
        node.end = self._at
        return False

    def _array(self) -> _Node:
        start = self._at
        self._at += 1
        values: list[object] = []
        while True:
            self._skip()
            if self._peek() == "]":
                self._at += 1
                return _Node(start, self._at, values)
            values.append(self._value().value)
            self._skip()
            if self._peek() == ",":
                self._at += 1
            elif self._peek() != "]":
                raise self._wrong("expected a comma or ']'")
