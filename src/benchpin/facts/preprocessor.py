"""Make code with C preprocessor directives parsable.

A grammar accepts `#if … #endif` only where a statement may be. If a conditional starts in the
middle of something, or a branch opens a brace that is closed after it, only the first branch is
kept, as a compiler keeps one of them. Macros that annotate a class or a function are removed too,
and comments in the middle of a macro.
Offsets stay the same: what is removed becomes blanks.
"""

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    rb"""
      ^[ \t]*+\#[ \t]*+(?P<directive>[a-z]*+)(?:\\\r?\n|/\*.*?(?:\*/|\Z)|[^\\\n])*+
    | (?P<blank>//(?:\\\r?\n|[^\n])*+|/\*.*?(?:\*/|\Z))
    | (?P<mark>[{}()\[\];:=,])
    | (?P<else>\belse\b)
    | (?P<rest>(?<!\\)"(?:\\.|[^"\\\n])*+"|(?<!\\)'(?:\\.|[^'\\\n])*+'|\w+|[^\s\w{}()\[\];:=,])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_MACRO = rb"[A-Z][A-Z\d_]+(?:\s*\([^(){};]{0,200}\))?"
_KEYWORD = rb"(?:if|for|while|switch|do|return|goto|break|continue)\b"
_CALL = rb"[A-Za-z_]\w*+[ \t]*+\((?:[^(){};]|\([^(){};]*+\)){0,200}+\)"
# `class EXPORT Name {`, `f() GUARDED_BY(lock) {`, `int a UNUSED`, `BEGIN_NAMESPACE` and
# `FOR_ALL(item) if (…)`.
_ANNOTATION = re.compile(
    rb"\b(?:class|struct|union)\s+(?P<export>%b)\s+[\w:<>, ]{1,80}[:{]"
    rb"|\)\s*(?:(?:const|noexcept|override|final)\s+)*(?P<after>%b)\s*\{"
    rb"|\b[a-z_]\w*[ \t]+(?P<unused>[A-Z_]{0,60}UNUSED[A-Z_]*+)\s*+[,)]"
    rb"|^(?P<alone>[A-Z][A-Z\d_]{2,})[ \t]*$"
    rb"|^[ \t]+(?P<loop>(?:(?!%b)%b\s*+){1,50}+)%b" % (_MACRO, _MACRO, _KEYWORD, _CALL, _KEYWORD),
    re.MULTILINE,
)
_INNER_COMMENT = re.compile(
    rb"""(?P<comment>/\*.*?(?:\*/|\Z))|(?<!\\)"(?:\\.|[^"\\\n])*+"|.""", re.DOTALL
)
_DEAD = re.compile(rb"\s*+#\s*+if\s++0\s*+(//|/\*|$)")
_NOT_NEWLINE = re.compile(rb"[^\n]")
_OPENING = frozenset("{([")
_CLOSING = frozenset("})]")
_ENDINGS = frozenset({"", ";", "{", "}", ":"})
_INITIALIZER = "="


@dataclass(slots=True)
class _State:
    """The state of the scan: open brackets, and the last significant token."""

    brackets: list[str] = field(default_factory=list)
    last: str = ""

    def copy(self) -> "_State":
        return _State(self.brackets.copy(), self.last)

    def is_between_statements(self) -> bool:
        """Whether a statement may start here."""
        inside = self.brackets[-1] if self.brackets else "{"
        may_be_macro = self.last == ")" and not self.brackets
        return inside == "{" and (self.last in _ENDINGS or may_be_macro)


@dataclass(slots=True)
class _Group:
    """One `#if` with its branches."""

    before: _State
    is_clean: bool
    """Whether it is parsable as it is: it consists of whole statements."""
    is_dead: bool
    """Whether it is `#if 0`, so that the second branch is kept."""
    directives: list[tuple[int, int]]
    after: _State | None = None
    """The state at the end of the kept branch."""
    is_fresh: bool = True
    """Whether the branch has no token yet."""


class _Scan:
    def __init__(self, source: bytes) -> None:
        self.source = source
        self.state = _State()
        self.groups: list[_Group] = []
        self.hidden: list[tuple[int, int]] = []
        self.comments: list[tuple[int, int]] = []
        """Comments inside macros, which the walk finds in the source as it was."""

    def run(self) -> None:
        """Scan all tokens."""
        for found in _TOKEN.finditer(self.source):
            kind = found.lastgroup
            if kind == "directive":
                self._see_directive(found["directive"], found.span())
            elif kind == "mark":
                self._see_mark(found.group().decode())
            elif kind != "blank":
                self._see_word(is_else=kind == "else")

    def _see_directive(self, word: bytes, span: tuple[int, int]) -> None:
        if word == b"define":
            self._hide_comments(span)
        elif word in {b"if", b"ifdef", b"ifndef"}:
            is_dead = _DEAD.match(self.source[slice(*span)]) is not None
            is_clean = self.state.is_between_statements()
            self.groups.append(_Group(self.state.copy(), is_clean, is_dead, [span]))
        elif self.groups and word in {b"else", b"elif", b"elifdef", b"elifndef", b"endif"}:
            group = self.groups[-1]
            self._end_branch(group)
            group.directives.append(span)
            if word == b"endif":
                self._end_group(self.groups.pop())
            else:
                self.state = group.before.copy()
                group.is_fresh = True

    def _hide_comments(self, span: tuple[int, int]) -> None:
        """Hide comments in a macro of several lines: the grammar ends the macro at the first."""
        if b"\n" in self.source[slice(*span)]:
            for found in _INNER_COMMENT.finditer(self.source, *span):
                if found["comment"]:
                    self.comments.append(found.span())

    def _end_branch(self, group: _Group) -> None:
        state = self.state
        is_whole = state.is_between_statements() or state.last == ")"
        if len(state.brackets) != len(group.before.brackets) or not is_whole:
            group.is_clean = False
        is_second = len(group.directives) > 1
        if group.after is None and (not group.is_dead or is_second):
            group.after = state

    def _end_group(self, group: _Group) -> None:
        self.state = group.after or group.before
        if group.is_clean:
            return
        kept = 1 if group.is_dead else 0
        self.hidden.extend(group.directives)
        for at in range(len(group.directives) - 1):
            if at != kept:
                self.hidden.append((group.directives[at][1], group.directives[at + 1][0]))

    def _see_mark(self, mark: str) -> None:
        brackets = self.state.brackets
        if mark in _OPENING:
            is_initializer = mark == "{" and (
                self.state.last in {"=", ",", "("}
                or (bool(brackets) and brackets[-1] == _INITIALIZER)
            )
            brackets.append(_INITIALIZER if is_initializer else mark)
        elif mark in _CLOSING and brackets:
            brackets.pop()
            for group in reversed(self.groups):
                if len(brackets) >= len(group.before.brackets):
                    break
                group.is_clean = False
        self._note(mark)

    def _see_word(self, *, is_else: bool) -> None:
        if is_else:
            for group in reversed(self.groups):
                if not group.is_fresh:
                    break
                group.is_clean = False
        self._note("word")

    def _note(self, token: str) -> None:
        self.state.last = token
        for group in reversed(self.groups):
            if not group.is_fresh:
                break
            group.is_fresh = False


def mask(source: bytes) -> tuple[bytes, list[tuple[int, int]]]:
    """Blank out what a C grammar cannot parse; also return the blanked ranges."""
    scan = _Scan(source)
    scan.run()
    masked = bytearray(source)
    blank(masked, scan.hidden + scan.comments)
    annotations = [found.span(found.lastgroup or 0) for found in _ANNOTATION.finditer(masked)]
    blank(masked, annotations)
    changed = [(end, end) for _, end in scan.comments]
    return bytes(masked), sorted(scan.hidden + annotations + changed)


def blank(source: bytearray, spans: list[tuple[int, int]]) -> None:
    """Turn ranges into blanks; line breaks stay."""
    for start, end in spans:
        source[start:end] = _NOT_NEWLINE.sub(b" ", source[start:end])
