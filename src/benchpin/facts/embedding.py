"""What a language is written with whose files hold several: the script and template of a component.

Such a language rewrites a file as code of one language (`Language.as_code`), which is then parsed
and walked like any other. Each line of that code has what the same line of the file has, so all
facts have the right lines; columns are found in the file itself. Expressions of a template become
statements, its conditions and loops blocks, and what binds a name in it a declaration.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal

import msgspec

_NEWLINE = re.compile(rb"\n")
_TAG = re.compile(rb"<(/?)([A-Za-z][\w.:$-]*+)")
_ATTRIBUTE = re.compile(rb"""[^\s=>/{"'][^\s=>/"']*+""")
_SPACE = re.compile(rb"\s*+")
_PLAIN_VALUE = re.compile(rb"""[^\s>"']++""")
_ENTITIES = {b"&quot;": b'"', b"&#39;": b"'", b"&lt;": b"<", b"&gt;": b">", b"&amp;": b"&"}
_ENTITY = re.compile(b"|".join(_ENTITIES))
# What is between a word or a closing bracket and a slash is a division; else it begins a pattern.
# What would begin a statement of another kind.
_AMBIGUOUS = re.compile(rb"\s*+(?:\{|(?:async\s++)?function\b|class\b|let\b|/[/*])")
_OPERAND_END = re.compile(rb"[\w$)\]}]\s*+\Z")
# The lengths are bounded: a long line may have very many slashes that begin no such expression.
_REGULAR_EXPRESSION = re.compile(rb"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,500}+/")
_IN_CODE = re.compile(rb"[\"'`/{}()\[\]]")
_IN_TEMPLATE = re.compile(rb"`|\$\{|\\.", re.DOTALL)
_STRING = re.compile(rb"""(?<!\\)"(?:[^"\\\n]|\\.)*+"|(?<!\\)'(?:[^'\\\n]|\\.)*+'""")
_COMMENT = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\n]*+", re.DOTALL)
# Elements that have no content, and elements whose content is text whatever it looks like.
_VOID = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
_AFTER_NAME = frozenset({b"", b" ", b"\t", b"\n", b"\r", b"/", b">"})
RAW_TEXT = frozenset({b"script", b"style"})
_BEFORE_PATTERN_CHARS = 40


class Attribute(msgspec.Struct, frozen=True):
    """An attribute of a tag; `value_at` is -1 where it has no value."""

    name: bytes
    at: int
    value: bytes = b""
    value_at: int = -1
    is_quoted: bool = False


class Piece(msgspec.Struct, frozen=True):
    """A part of a template, from `at` to `end`.

    `code` is what is between marks in the text, such as `{{ name }}`; `text` is `name` then.
    """

    kind: Literal["open", "close", "comment", "code"]
    at: int
    end: int
    name: bytes = b""
    text: bytes = b""
    text_at: int = 0
    attributes: tuple[Attribute, ...] = ()
    is_empty: bool = False
    """Whether an element has no content, and no closing tag."""

    def attribute(self, name: bytes) -> bytes | None:
        """Return the value of an attribute, empty without one; None where it is missing."""
        return next((it.value for it in self.attributes if it.name == name), None)


class CodeLines:
    """Code under construction, in which everything is on the line where the file has it."""

    def __init__(self, source: bytes) -> None:
        self._starts = [found.end() for found in _NEWLINE.finditer(source)]
        self._parts: list[bytes] = []
        self._line = 0

    def put(self, text: bytes, at: int) -> None:
        """Add code; `at` is the offset in the file that it belongs to."""
        line = bisect_right(self._starts, at)
        if line > self._line:
            self._parts.append(b"\n" * (line - self._line))
            self._line = line
        count = text.count(b"\n")
        # Pieces of broken markup may overlap: the code must not have more lines than the file.
        allowed = max(0, min(line + count, len(self._starts)) - self._line)
        self._parts.append(text.replace(b"\n", b" ", max(0, count - allowed)))
        self._line += min(count, allowed)

    def code(self) -> bytes:
        """Return the code, with as many lines as the file."""
        missing = len(self._starts) - self._line
        return b"".join(self._parts) + b"\n" * missing


def comment_of(text: bytes) -> bytes:
    """Return the text of a comment of markup or style as one of code."""
    return b"/*" + text.replace(b"*/", b"* ") + b"*/"


def statement_of(expression: bytes) -> bytes:
    """Return an expression as a statement; in parentheses only where it needs them.

    Columns are looked for in the file, which lacks them.
    """
    is_ambiguous = _AMBIGUOUS.match(expression) is not None
    return b"(" + expression + b");" if is_ambiguous else expression + b";"


def without_entities(value: bytes) -> bytes:
    """Return the value of an attribute as the template engine sees it."""
    return _ENTITY.sub(lambda found: _ENTITIES[found[0]], value) if b"&" in value else value


def end_of_code(source: bytes, at: int, last: int) -> int:
    """Return where the brace is that closes the one before `at`; `last` if there is none.

    Braces in strings, comments and regular expressions do not count. A stack instead of recursion,
    so that deep nesting cannot overflow it.
    """
    inside = bytearray()
    while at < last:
        is_text = inside.endswith(b"`")
        found = (_IN_TEMPLATE if is_text else _IN_CODE).search(source, at, last)
        if found is None:
            return last
        at, mark = found.end(), found[0]
        if mark == b"`":
            if is_text:
                del inside[-1:]
            else:
                inside += mark
        elif is_text:
            inside += b"{" if mark == b"${" else b""
        elif mark in b"{([":
            inside += mark
        elif mark in b"})]":
            if not inside and mark == b"}":
                return at - 1
            del inside[-1:]
        else:
            at = _end_of_token(source, at - 1, last)
    return last


def _end_of_token(source: bytes, at: int, last: int) -> int:
    """Return the end of a string, comment or regular expression; of the character if it is none."""
    found = _STRING.match(source, at, last) or _COMMENT.match(source, at, last)
    is_slash = source.startswith(b"/", at)
    behind = max(0, at - _BEFORE_PATTERN_CHARS)
    if found is None and is_slash and not _OPERAND_END.search(source, behind, at):
        found = _REGULAR_EXPRESSION.match(source, at, last)
    return found.end() if found else at + 1


class Markup:
    """Reads a template: tags with their attributes, comments, and code between marks.

    `marks` are what code in the text is between. With `has_braces`, attributes may be code too:
    `name={code}`, `{name}`. Whatever is no tag is text; nothing is ever an error.
    """

    def __init__(
        self, source: bytes, marks: tuple[bytes, bytes], *, has_braces: bool = False
    ) -> None:
        self._source = source
        self._opening, self._closing = marks
        self._has_braces = has_braces
        self._is_unclosed = False
        """Whether no mark closes code any more, so that none is looked for again."""
        self._next = re.compile(b"<|" + re.escape(self._opening))

    def pieces(self, at: int = 0, last: int | None = None) -> Iterator[Piece]:
        """Read from one offset to another."""
        source = self._source
        last = len(source) if last is None else last
        while (found := self._next.search(source, at, last)) is not None:
            at = found.start()
            piece = self._piece(at, last)
            if piece is None:
                at += 1
                continue
            yield piece
            at = max(piece.end, at + 1)
            if piece.kind == "open" and piece.name in RAW_TEXT and not piece.is_empty:
                at = self.end_of_raw(piece.name, at, last)

    def end_of_raw(self, name: bytes, at: int, last: int) -> int:
        """Return where the closing tag of an element is whose content is text."""
        mark = b"</" + name
        found = self._source.find(mark, at, last)
        # A string of a script may have `<\/script>` or `</script\>`, which ends nothing.
        while (
            found >= 0
            and self._source[found + len(mark) : found + len(mark) + 1] not in _AFTER_NAME
        ):
            found = self._source.find(mark, found + 1, last)
        return last if found < 0 else found

    def _piece(self, at: int, last: int) -> Piece | None:
        source = self._source
        if source.startswith(b"<!--", at):
            end = source.find(b"-->", at, last)
            end = last if end < 0 else end
            return Piece("comment", at, end + 3, text=source[at + 4 : end], text_at=at + 4)
        if source.startswith(self._opening, at):
            return self._code(at, last)
        found = _TAG.match(source, at, last)
        if found is None:
            return None
        if found[1]:
            end = source.find(b">", at, last)
            return Piece("close", at, last if end < 0 else end + 1, found[2])
        return self._opened(found[2], at, found.end(), last)

    def _code(self, at: int, last: int) -> Piece | None:
        if self._is_unclosed:
            return None
        start = at + len(self._opening)
        end = end_of_code(self._source, start, last)
        if not self._source.startswith(self._closing, end):
            # The brackets do not match: the nearest mark ends it.
            end = self._source.find(self._closing, start, last)
            if end < 0:
                self._is_unclosed = True
                return None
        text = self._source[start:end]
        return Piece("code", at, end + len(self._closing), text=text, text_at=start)

    def _opened(self, name: bytes, at: int, end: int, last: int) -> Piece:
        source, attributes = self._source, []
        while True:
            end = _end(_SPACE, source, end, last)
            if end >= last or source.startswith((b">", b"/>"), end):
                break
            attribute, end = self._attribute(end, last)
            if attribute is not None:
                attributes.append(attribute)
        is_empty = source.startswith(b"/", end) or name.lower() in _VOID
        end = min(last, end + 1 + source.startswith(b"/", end))
        return Piece("open", at, end, name, attributes=tuple(attributes), is_empty=is_empty)

    def _attribute(self, at: int, last: int) -> tuple[Attribute | None, int]:
        source = self._source
        if self._has_braces and source.startswith(b"{", at):
            end = end_of_code(source, at + 1, last)
            return Attribute(b"", at, source[at + 1 : end], at + 1), min(end + 1, last)
        found = _ATTRIBUTE.match(source, at, last)
        if found is None:
            return None, at + 1
        name, end = found[0], found.end()
        equals = _end(_SPACE, source, end, last)
        if not source.startswith(b"=", equals):
            return Attribute(name, at), end
        start = _end(_SPACE, source, equals + 1, last)
        if self._has_braces and source.startswith(b"{", start):
            end = end_of_code(source, start + 1, last)
            return Attribute(name, at, source[start + 1 : end], start + 1), min(end + 1, last)
        quote = source[start : start + 1]
        if quote in {b'"', b"'"}:
            end = self._end_of_value(start + 1, quote, last)
            return Attribute(name, at, source[start + 1 : end], start + 1, is_quoted=True), end + 1
        end = _end(_PLAIN_VALUE, source, start, last)
        return Attribute(name, at, source[start:end], start, is_quoted=True), max(end, start)

    def _end_of_value(self, at: int, quote: bytes, last: int) -> int:
        """Return where a quoted value ends; quotes inside of its code do not end it."""
        source = self._source
        while at < last and not source.startswith(quote, at):
            is_code = self._has_braces and source.startswith(b"{", at)
            at = end_of_code(source, at + 1, last) + 1 if is_code else at + 1
        return min(at, last)


def _end(pattern: "re.Pattern[bytes]", source: bytes, at: int, last: int) -> int:
    found = pattern.match(source, at, last)
    return at if found is None else found.end()
