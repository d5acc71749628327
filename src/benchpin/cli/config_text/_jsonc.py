"""Edit JSON with comments as text, so that comments, order and layout stay as they are.

No maintained library does this: those that read JSON with comments write it back without them.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

_COMMENTS = {"//": "\n", "/*": "*/"}
_INDENT = re.compile(r"\n([ \t]+)\"")
_SPACE = re.compile(r"\s*")


class NotJson(ValueError):
    """A text that is not JSON; says where."""


@dataclass(slots=True)
class _Node:
    """A value and where it is in the text; members if it is an object on the way to the entry."""

    start: int
    end: int
    value: object
    members: "list[_Member]" = field(default_factory=list)
    content_end: int = 0
    """In an object: after its last member, comma or comment."""


@dataclass(slots=True)
class _Member:
    key: str
    start: int
    node: _Node
    comma: int | None = None
    """Where the comma after it is."""

    @property
    def end(self) -> int:
        """After its comma, if it has one."""
        return self.node.end if self.comma is None else self.comma + 1


def loads(text: str) -> object:
    """Return the value of a text with comments and trailing commas; None if it is blank.

    Raises:
        NotJson: naming the line.
    """
    return None if not text.strip() else _Parser(text, ()).parse().value


def with_members(text: str, keys: Sequence[str], changed: Mapping[str, object]) -> str:
    """Return the text with some members of an entry set.

    Raises:
        NotJson: as `with_entry` does.
    """
    for key, value in changed.items():
        text = with_entry(text, (*keys, key), value)
    return text


def with_entry(text: str, keys: Sequence[str], value: object) -> str:
    """Return the text of an object with one member set, at any depth.

    Raises:
        NotJson: when the text, or what should hold the member, is not an object, or has a key
            on the way to it twice.
    """
    if not text.strip():
        return json.dumps(_nested(keys, value), indent=2, ensure_ascii=False) + "\n"
    node = _Parser(text, keys).parse()
    for depth, key in enumerate(keys):
        _require_object(text, node)
        member = _member(text, node, key)
        if member is None:
            return _inserted(text, node, depth, key, _nested(keys[depth + 1 :], value))
        node = member.node
    return text[: node.start] + _dumped(text, value, len(keys)) + text[node.end :]


def without_entry(text: str, keys: Sequence[str]) -> str:
    """Return the text without a member, and without objects in which nothing is left then.

    Raises:
        NotJson: when the text is not JSON, or has a key on the way to the member twice.
    """
    node = _Parser(text, keys).parse()
    path: list[tuple[_Node, _Member]] = []
    for key in keys:
        member = _member(text, node, key)
        if member is None:
            return text
        path.append((node, member))
        node = member.node
    while len(path) > 1 and _holds_only(text, *path[-1]) and _is_bare(text, path[-2][1]):
        path.pop()
    return _removed(text, *path[-1])


def _holds_only(text: str, parent: _Node, member: _Member) -> bool:
    """Whether an object has one member, and no comment beside it."""
    around = text[parent.start + 1 : member.start] + text[member.end : parent.end - 1]
    return not around.strip() and member.comma in {None, member.node.end}


def _is_bare(text: str, member: _Member) -> bool:
    """Whether there is no comment around the value of a member."""
    _, key_end = json.JSONDecoder().raw_decode(text, member.start)
    around = text[key_end : member.node.start] + text[member.node.end : member.end]
    return not around.strip(":, \t\r\n")


def _member(text: str, node: _Node, key: str) -> _Member | None:
    found = [it for it in node.members if it.key == key]
    if len(found) > 1:
        message = f"line {_line(text, found[1].start)}: {key!r} is there twice"
        raise NotJson(message)
    return found[0] if found else None


def _removed(text: str, parent: _Node, member: _Member) -> str:
    """Cut out a member with its comma, and with the space before it; comments stay."""
    at, rest = parent.members.index(member), text[member.end :]
    if at + 1 < len(parent.members):
        return text[: member.start] + rest.lstrip()
    head = text[: member.start]
    if at > 0 and member.comma is None:  # it was the last: the comma before it goes too
        before = parent.members[at - 1]
        head = text[: before.end - 1] + text[before.end : member.start]
    kept = head.rstrip()
    if len(kept) == parent.start + 1:
        return kept + rest.lstrip()
    # What is before may be a comment that ends with its line.
    has_line_end = rest.lstrip(" \t\r").startswith("\n") or "\n" not in head[len(kept) :]
    return kept + ("" if has_line_end else "\n") + rest


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _require_object(text: str, node: _Node) -> None:
    if not isinstance(node.value, dict):
        message = f"line {_line(text, node.start)}: expected an object"
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
    last = parent.members[-1] if parent.members else None
    comma = "," if last is not None and last.comma is None else ""
    cut = parent.content_end if last is None else last.node.end
    after = text[cut : parent.content_end]
    closing = text[parent.content_end : parent.end - 1]
    if "\n" not in closing:
        closing = "\n" + unit * depth
    return f"{text[:cut]}{comma}{after}\n{member}{closing}{text[parent.end - 1 :]}"


class _Parser:
    """Reads values, and notes where the members are on the way to an entry."""

    def __init__(self, text: str, keys: Sequence[str]) -> None:
        self._text = text
        self._keys = keys
        self._at = 0
        # Constants such as NaN as text: NaN is not equal to itself.
        self._decode = json.JSONDecoder(parse_constant=str).raw_decode

    def parse(self) -> _Node:
        node = self._value(0)
        self._skip()
        if self._at < len(self._text):
            raise self._wrong("text after the end")
        return node

    def _skip(self) -> None:
        """Skip white space and comments."""
        text = self._text
        while True:
            found = _SPACE.match(text, self._at)
            self._at = self._at if found is None else found.end()
            if not text.startswith("/", self._at):
                return
            closing = _COMMENTS.get(text[self._at : self._at + 2])
            if closing is None:
                return
            end = text.find(closing, self._at + 2)
            self._at = len(text) if end < 0 else end + len(closing)

    def _wrong(self, problem: str) -> NotJson:
        return NotJson(f"line {_line(self._text, self._at)}: {problem}")

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _value(self, depth: int | None) -> _Node:
        """Read a value; the depth is that on the way to the entry, None beside it."""
        self._skip()
        start = self._at
        if depth is not None and (depth == len(self._keys) or self._peek() != "{"):
            # The whole value at once, forty times as fast; not if there are comments in it. Only
            # beside the way to the entry, or each level of a deep value would be read again.
            try:
                value, self._at = self._decode(self._text, start)
                return _Node(start, self._at, value)
            except ValueError:
                depth = None
        opening = self._peek()
        if opening == "{":
            return self._object(depth)
        return self._array() if opening == "[" else self._scalar()

    def _scalar(self) -> _Node:
        start = self._at
        try:
            value, self._at = self._decode(self._text, start)
        except ValueError:
            raise self._wrong("expected a value") from None
        return _Node(start, self._at, value)

    def _object(self, depth: int | None) -> _Node:
        node = _Node(self._at, self._at, None)
        values: dict[str, object] = {}
        self._at += 1
        has_comma = True
        while self._next_of(node, has_comma=has_comma):
            begin, key = self._at, self._key()
            self._skip()
            if self._peek() != ":":
                raise self._wrong("expected a colon")
            self._at += 1
            inner = self._value(self._depth_of(key, depth))
            values[key] = inner.value
            self._skip()
            has_comma = self._peek() == ","
            if depth is not None:
                node.members.append(_Member(key, begin, inner, self._at if has_comma else None))
            self._at += has_comma
        node.value = values
        return node

    def _depth_of(self, key: str, depth: int | None) -> int | None:
        if depth is None:
            return None
        return depth + 1 if key == self._keys[depth] else len(self._keys)

    def _key(self) -> str:
        if self._peek() != '"':
            raise self._wrong("expected a name in quotes")
        return str(self._scalar().value)

    def _next_of(self, node: _Node, *, has_comma: bool) -> bool:
        """Go to the next member of an object; at its end, note where that is."""
        self._skip()
        found = self._peek()
        if found == "":
            raise self._wrong("expected '}'")
        if found != "}":
            if not has_comma:
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
            values.append(self._value(None).value)
            self._skip()
            if self._peek() == ",":
                self._at += 1
            elif self._peek() != "]":
                raise self._wrong("expected a comma or ']'")
