"""A component of Vue as code of TypeScript.

The script is kept as it is. The template becomes a function `template`: `v-if` an `if` around the
element, `v-for` a loop that declares its names, a slot with names a block that declares them, a
component a call of it, and every other expression a statement.
"""

import re
from collections import Counter

from benchpin.facts.embedding import (
    Attribute,
    CodeLines,
    Markup,
    Piece,
    comment_of,
    statement_of,
    without_entities,
)
from benchpin.facts.languages.javascript.scripts import WORD, script_language

_MARKS = (b"{{", b"}}")
_LOOP = re.compile(rb"(?<!\s)\s++(?:in|of)\s")
_BIND_IN_STYLE = re.compile(rb"/\*.*?(?:\*/|\Z)|\bv-bind\(([^()]*+)\)", re.DOTALL)
_VALUE_HANDLER = re.compile(rb"\s*+(?:\{|(?:async\s++)?function\b)")
_CONDITIONS = {b"v-if": b"if(", b"v-else-if": b"else if(", b"v-else": b"else{"}
_FIRST_ON_ELEMENT = frozenset({*_CONDITIONS, b"v-for", b"v-slot", b"slot-scope"})
_OWN_DIRECTIVES = frozenset(
    b"bind cloak else else-if for html if memo model on once pre show slot text".split()
)


def as_code(source: bytes) -> tuple[str, bytes]:
    """Return the code of a component, and the language of its scripts."""
    return _Component(source).code()


class _Component:
    def __init__(self, source: bytes) -> None:
        self._source = source
        self._markup = Markup(source, _MARKS)
        self._lines = CodeLines(source)
        self._names: frozenset[bytes] = frozenset()

    def code(self) -> tuple[str, bytes]:
        blocks = self._blocks()
        scripts = [it for it in blocks if it[0].name == b"script"]
        for _, start, end in scripts:
            self._names |= frozenset(WORD.findall(self._source, start, end))
        for tag, start, end in blocks:
            if tag.kind == "comment":
                self._lines.put(comment_of(tag.text), tag.at)
            elif tag.name == b"script":
                self._lines.put(self._source[start:end], start)
                self._lines.put(b"\n;" if end == len(self._source) else b"", end)
            elif tag.name == b"template" and tag.attribute(b"lang") in {None, b"html"}:
                self._template(tag, start, end)
            elif tag.name == b"style":
                self._style(start, end)
        return script_language(it[0] for it in scripts), self._lines.code()

    def _blocks(self) -> list[tuple[Piece, int, int]]:
        """Return the outermost elements and comments, and where the content of each is."""
        found: list[tuple[Piece, int, int]] = []
        at = 0
        while True:
            piece = next((it for it in self._markup.pieces(at) if it.kind != "code"), None)
            if piece is None:
                return found
            at = piece.end
            if piece.kind == "comment" or (piece.kind == "open" and piece.is_empty):
                found.append((piece, at, at))
            elif piece.kind == "open":
                end = self._end_of_block(piece)
                found.append((piece, at, end))
                at = max(at, end)

    def _end_of_block(self, tag: Piece) -> int:
        if tag.name != b"template" or tag.attribute(b"lang") not in {None, b"html"}:
            return self._markup.end_of_raw(tag.name, tag.end, len(self._source))
        depth = 1
        for piece in self._markup.pieces(tag.end):
            if piece.name == b"template" and not piece.is_empty:
                depth += {"open": 1, "close": -1}.get(piece.kind, 0)
                if not depth:
                    return piece.at
        return len(self._source)

    def _style(self, start: int, end: int) -> None:
        for found in _BIND_IN_STYLE.finditer(self._source, start, end):
            if found[1] is None:
                self._lines.put(comment_of(found[0].strip(b"/*")), found.start())
            else:
                self._lines.put(statement_of(found[1].strip(b"\"'")), found.start(1))

    def _template(self, tag: Piece, start: int, end: int) -> None:
        self._lines.put(b";(function template(){", tag.at)
        is_after_if = False
        open_elements: list[tuple[bytes, int, bool]] = []
        names: Counter[bytes] = Counter()
        for piece in self._markup.pieces(start, end):
            if piece.kind == "comment":
                self._lines.put(comment_of(piece.text), piece.at)
            elif piece.kind == "code":
                self._lines.put(statement_of(without_entities(piece.text)), piece.text_at)
                is_after_if = False
            elif piece.kind == "open":
                blocks, is_condition = self._open(piece, is_after_if=is_after_if)
                is_after_if = False
                if piece.is_empty:
                    self._lines.put(b"}" * blocks, piece.end - 1)
                    is_after_if = is_condition
                else:
                    open_elements.append((piece.name, blocks, is_condition))
                    names[piece.name] += 1
            elif names[piece.name]:
                name = b""
                while name != piece.name:
                    name, blocks, is_after_if = open_elements.pop()
                    names[name] -= 1
                    self._lines.put(b"}" * blocks, piece.at)
        blocks = sum(it[1] for it in open_elements)
        self._lines.put(b"}" * blocks + b"});", end)

    def _open(self, tag: Piece, *, is_after_if: bool) -> tuple[int, bool]:
        """Write a tag; return how many blocks it opens, and whether an `else` may follow it."""
        blocks, is_condition = 0, False
        conditions = [it for it in tag.attributes if it.name in _CONDITIONS]
        for given in conditions[:1]:
            word = _CONDITIONS[given.name]
            word = word if is_after_if else word.removeprefix(b"else").lstrip()
            self._lines.put(word, tag.at)
            is_condition = given.name != b"v-else"
            if is_condition:
                self._lines.put(_code_of(given) + b"){", given.value_at)
            blocks += 1
        for given in tag.attributes:
            found = _LOOP.search(given.value) if given.name == b"v-for" else None
            if found is not None:
                self._loop(given, found)
                blocks += 1
            elif given.name.startswith((b"#", b"v-slot", b"slot-scope")) and given.value.strip():
                self._lines.put(b"{const ", given.at)
                self._lines.put(_names_of(given.value) + b"=0;", given.value_at)
                blocks += 1
        self._lines.put(self._component(tag.name), tag.at)
        for given in tag.attributes:
            if given.name not in _FIRST_ON_ELEMENT and not given.name.startswith((b"#", b"v-slot")):
                self._attribute(given)
        return blocks, is_condition

    def _loop(self, attribute: Attribute, found: "re.Match[bytes]") -> None:
        value = attribute.value
        names, items = value[: found.start()].strip(), value[found.end() :]
        if names.startswith(b"(") and names.endswith(b")"):
            names = b"[" + names[1:-1] + b"]"
        self._lines.put(b"for(const ", attribute.at)
        self._lines.put(names, attribute.value_at + value.find(names))
        self._lines.put(b" of " + without_entities(items), attribute.value_at + found.end())
        self._lines.put(b"){", attribute.value_at + len(attribute.value))

    def _component(self, name: bytes) -> bytes:
        """Return a call of the component that a tag names, under its name in the script."""
        if name[:1].isupper():
            return name + b"();"
        if b"." in name:
            return name + b"();" if name.partition(b".")[0] in self._names else b";"
        if b"-" in name:
            camel = _camel(name)
            for known in (camel[:1].upper() + camel[1:], camel):
                if known in self._names:
                    return known + b"();"
        return b";"

    def _attribute(self, attribute: Attribute) -> None:
        name, value = attribute.name, attribute.value
        if name.startswith((b"@", b"v-on:")):
            if value.strip():
                self._lines.put(_handler(_code_of(attribute)), attribute.value_at)
        elif name.startswith((b":", b".", b"v-bind:")) and attribute.value_at < 0:
            short = _camel(name.rpartition(b":")[2].partition(b".")[0])
            self._lines.put(short + b";" if WORD.fullmatch(short) else b";", attribute.at)
        elif name.startswith((b":", b".", b"v-")):
            self._directive(name)
            if value.strip():
                self._lines.put(statement_of(_code_of(attribute)), attribute.value_at)
        elif name == b"ref" and value in self._names:
            self._lines.put(value + b";", attribute.value_at)

    def _directive(self, name: bytes) -> None:
        """Use a directive of the project: `v-focus` is `vFocus` in the script."""
        word = re.split(rb"[:.]", name)[0]
        own = _camel(word)
        if word.startswith(b"v-") and word[2:] not in _OWN_DIRECTIVES and own in self._names:
            self._lines.put(own + b";", 0)


def _code_of(attribute: Attribute) -> bytes:
    return without_entities(attribute.value)


def _handler(code: bytes) -> bytes:
    """Return a handler of events as statements: it is an expression, or statements itself."""
    return statement_of(code) if _VALUE_HANDLER.match(code) else code + b";"


def _names_of(value: bytes) -> bytes:
    """Return what a slot binds; several parameters are bound together."""
    value = without_entities(value).strip()
    return value if value.startswith((b"{", b"[")) or b"," not in value else b"[" + value + b"]"


def _camel(name: bytes) -> bytes:
    first, *others = name.split(b"-")
    return first + b"".join(it[:1].upper() + it[1:] for it in others)
