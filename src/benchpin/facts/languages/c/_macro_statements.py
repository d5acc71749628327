"""Make macros readable that a C grammar misreads without an error.

`Py_END_ALLOW_THREADS` or `FOR_ALL(item)` before an `if` reads as a type before the name `if`, and
the branch is lost. `INIT(module)` before a function makes a function `INIT` of it. Such a macro is
known by its place: it begins a statement, and what follows can only begin another. It gets its `;`
in a blank after it; where there is none, the macro itself becomes blanks. Of a function that a
macro defines, `TEST(a, b) {…}`, one argument stays, as the grammar reads that as a function.
Offsets stay the same.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from benchpin.facts.preprocessor import blank

_STRING = rb"""(?<!\\)"(?:\\.|[^"\\\n])*+"|(?<!\\)'(?:\\.|[^'\\\n])*+'"""
_GROUP = rb"""\((?:[^(){};"'/\#]|%b)*+\)""" % _STRING
_OPERATOR = rb"""%b|\d[\w.]*+|[^\s\w{}()\[\];:/]""" % _STRING
# Parentheses are one token where they are simple, and so is what begins with an operator, up to the
# next bracket: no statement begins inside them, and the scan has less to do.
_TOKEN = re.compile(
    rb"""
      ^[ \t]*+\#[ \t]*+(?P<directive>[a-z]*+)(?:\\\r?\n|/\*.*?(?:\*/|\Z)|[^\\\n])*+
    | (?P<comment>//(?:\\\r?\n|[^\n])*+|/\*.*?(?:\*/|\Z))
    | (?P<name>[A-Za-z_]\w*+)
    | (?P<group>%b)
    | (?P<mark>[{}()\[\];:])
    | (?P<rest>/|(?:%b)(?:%b|\s++(?!\#)|[A-Za-z_]\w*+|%b)*+)
    """
    % (_GROUP, _OPERATOR, _OPERATOR, _GROUP),
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_HEADS = frozenset({b"if", b"for", b"while", b"switch"})
_STATEMENTS = _HEADS | {b"do", b"return", b"goto", b"break", b"continue", b"case", b"default"}
_TYPES = frozenset(
    {b"int", b"char", b"long", b"short", b"unsigned", b"signed", b"void", b"float", b"double"}
) | {b"bool", b"struct", b"union", b"enum", b"const", b"volatile"}
_SPECIFIERS = frozenset({b"static", b"extern", b"inline"})
_DECLARATIONS = _TYPES | _SPECIFIERS | {b"typedef"}
_NOT_MACROS = (
    _STATEMENTS
    | _DECLARATIONS
    | {b"else", b"try", b"catch", b"throw", b"new", b"delete", b"operator", b"using", b"template"}
    | {b"class", b"namespace", b"constexpr", b"register", b"auto", b"typename", b"asm", b"sizeof"}
    | {b"typeof", b"alignas", b"public", b"protected", b"private", b"friend"}
)
# Parentheses of `if (…)` and of `[](…)`; others are as written.
_HEAD, _LAMBDA = b"head", b"lambda"
_BEFORE_BODY = frozenset({_HEAD, _LAMBDA, b"else", b"do", b"try", b"const", b"noexcept", b"("}) | {
    b"override"
}
# A name that is written like a macro; another one, before a name on the next line, is a type.
_LOUD = re.compile(rb"[A-Z][A-Za-z]*(?:_[A-Z\d]+)+|[A-Z][A-Z\d_]{2,}")
_NAME = re.compile(rb"[A-Za-z_]\w*+")
# A line that may be such a macro; a file without one is not scanned.
_SUSPECT = re.compile(
    rb"^[ \t]*+(?!(?:if|for|while|switch|return|else|do|case)\b)"
    rb"(?:(?:static|extern|inline)[ \t]++){0,3}+[A-Za-z_]\w*+[ \t]*+"
    rb"(?:(?://[^\n]*+|/\*[^\n]*?\*/[ \t]*+)?$|\{|\([^;{}]{0,400}?\)\s*+[A-Za-z_{}])"
    rb"|(?:\)|\belse)[ \t]++[A-Za-z_]\w*+(?:\([^\n;{}]{0,400}?\))?[ \t]*+$",
    re.MULTILINE,
)
# What a bracket on the stack encloses; one that is neither of these is there as written.
_FILE, _BODY = b"file", b"body"
_BLANKS = frozenset(b" \t")


def read_c_macros(source: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Rewrite the macros of a C file; also return the ranges that became blanks."""
    return _rewrite(source, has_constructors=False)


def read_cpp_macros(source: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Rewrite the macros of a C++ file; also return the ranges that became blanks."""
    return _rewrite(source, has_constructors=True)


def _rewrite(source: bytes, *, has_constructors: bool) -> tuple[bytes, list[tuple[int, int]]]:
    if _SUSPECT.search(source) is None:
        return source, []
    ended = bytearray(source)
    hidden: list[tuple[int, int]] = []
    for macro, following in _Scan(source).macros():
        end = macro.end
        if macro.depth == 1 and source[following] == ord("{"):
            # A C++ grammar reads `TEST(a, b) {` as a constructor, which is named as well.
            if not has_constructors or b'"' in source[macro.start : end]:
                hidden.extend(_surplus(source, macro))
        elif source[end] in _BLANKS:
            ended[end] = ord(";")
        elif source[following - 1] in _BLANKS and b"#" not in source[end:following]:
            ended[following - 1] = ord(";")
        else:
            hidden.append((macro.start, end))
    blank(ended, hidden)
    return bytes(ended), hidden


def _surplus(source: bytes, macro: "_Macro") -> Iterator[tuple[int, int]]:
    """Find what surrounds the first name among the arguments."""
    opening = source.index(b"(", macro.start) + 1
    name = _NAME.search(source, opening, macro.end)
    if name is not None:
        yield opening, name.start()
        yield name.end(), macro.end - 1


@dataclass(slots=True)
class _Macro:
    """The first name of a statement, which may be all of it."""

    name: bytes
    start: int
    end: int
    """With its arguments, once they are closed."""
    depth: int
    """How many brackets are open around it, the file being the first."""

    @property
    def has_arguments(self) -> bool:
        return self.end > self.start + len(self.name)


class _Scan:
    """Follows the brackets of a file and the beginnings of statements."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._open = [_FILE]
        self._branches: list[list[bytes]] = []
        """The brackets before each open `#if`."""
        self._last = b";"
        self._begins = True
        """Whether the next token begins a statement."""
        self._macro: _Macro | None = None

    def macros(self) -> Iterator[tuple[_Macro, int]]:
        """Find the macros, each with the offset of the token after it."""
        for found in _TOKEN.finditer(self._source):
            kind = found.lastgroup
            if kind == "directive":
                self._see_directive(found["directive"])
            elif kind != "comment":
                token, at, macro = found.group(), found.start(), self._macro
                if macro is not None and self._is_whole(macro, token, at):
                    yield macro, at
                    self._begins, self._last, self._macro = True, _HEAD, None
                if kind == "name":
                    self._see_name(token, at)
                elif kind == "mark":
                    self._see_mark(token, at)
                else:
                    self._see_group(token, found.end())

    def _see_directive(self, word: bytes) -> None:
        """Give each branch of an `#if` the brackets before it; after it, those of the last."""
        if word in {b"if", b"ifdef", b"ifndef"}:
            self._branches.append(self._open.copy())
        elif self._branches and word in {b"else", b"elif", b"elifdef", b"elifndef"}:
            self._open = self._branches[-1].copy()
        elif self._branches and word == b"endif":
            self._branches.pop()

    def _is_whole(self, macro: _Macro, token: bytes, at: int) -> bool:
        """Whether a macro is a whole statement, because `token` begins another."""
        if len(self._open) > macro.depth:
            return False
        is_in_body = self._open[-1] == _BODY
        if token == b"{":
            return macro.has_arguments or (is_in_body and macro.end < at)
        if is_in_body and token in _STATEMENTS:
            return True
        if b"\n" not in self._source[macro.end : at]:
            return False
        is_loud = _LOUD.fullmatch(macro.name) is not None
        if is_in_body:
            is_next = _NAME.match(token) is not None and (is_loud or macro.has_arguments)
            return is_next or token in {b"}", b"else"}
        return is_loud and macro.has_arguments and self._is_declared(macro, token)

    def _is_declared(self, macro: _Macro, token: bytes) -> bool:
        """Whether `token` begins something new, and does not name a `GLOBAL(int)` function."""
        if token in _DECLARATIONS:
            return True
        arguments = self._source[macro.start + len(macro.name) : macro.end]
        has_types = b"*" in arguments or not _TYPES.isdisjoint(_NAME.findall(arguments))
        return _LOUD.fullmatch(token) is not None and not has_types

    def _see_name(self, name: bytes, start: int) -> None:
        inside, begins = self._open[-1], False
        if self._macro is not None and len(self._open) == self._macro.depth:
            self._macro = None
        if name in {b"else", b"do"}:
            begins = inside == _BODY
        elif name in _SPECIFIERS:
            begins = self._begins and inside == _FILE
        elif self._begins and name not in _NOT_MACROS and name[:2] != b"__":
            self._macro = _Macro(name, start, start + len(name), len(self._open))
        self._begins, self._last = begins, name

    def _see_group(self, group: bytes, end: int) -> None:
        """Pass over parentheses with all that they contain, or an operator and what follows."""
        is_plain = group[:1] == b"("
        macro = self._macro
        if macro is not None and len(self._open) == macro.depth:
            if is_plain and not macro.has_arguments:
                macro.end = end
            else:
                self._macro = None
        closed = self._parenthesis() if is_plain else group.rstrip()
        self._begins = closed == _HEAD
        self._last = b")" if closed[-1:] == b")" else closed

    def _parenthesis(self) -> bytes:
        """Return what kind of parenthesis follows the last token."""
        if self._last in _HEADS:
            return _HEAD
        return _LAMBDA if self._last == b"]" else b")"

    def _see_mark(self, mark: bytes, start: int) -> None:
        macro, inside, begins, last = self._macro, self._open[-1], False, mark
        is_over = macro is not None and (mark != b"(" or macro.has_arguments)
        if macro is not None and is_over and len(self._open) == macro.depth:
            self._macro = None
        if mark == b"{":
            opened = self._opened(inside)
            begins = opened != mark
            self._open.append(opened)
        elif mark in {b"(", b"["}:
            self._open.append(self._parenthesis() if mark == b"(" else mark)
        elif mark in {b")", b"]", b"}"}:
            last = self._close(start, mark)
            begins = self._open[-1] in {_BODY, _FILE} and last in {b"}", _HEAD}
        else:
            begins = inside in {_BODY, _FILE}
        self._begins, self._last = begins, last

    def _opened(self, inside: bytes) -> bytes:
        """Return what a `{` begins."""
        last = self._last
        if last[:1] == b'"' and inside == _FILE:  # extern "C" {
            return _FILE
        is_statement = last in {b";", b"{", b"}", b":"} and inside in {_BODY, _FILE}
        is_function = last == b")" and inside in {_FILE, b"{"}  # elsewhere: `(struct point) {`
        return _BODY if is_statement or is_function or last in _BEFORE_BODY else b"{"

    def _close(self, start: int, mark: bytes) -> bytes:
        """Close a bracket; return the kind of parenthesis, or the bracket as written."""
        closed = self._open.pop() if len(self._open) > 1 else mark
        macro = self._macro
        if macro is not None and len(self._open) == macro.depth:
            macro.end = start + 1
        return closed if mark == b")" and closed in {_HEAD, _LAMBDA} else mark
