"""The shape of a function as its lines show it: loops, what changes in them, calls.

It works on text, not on a syntax tree, and for every language with the same few rules: blocks are
what is indented deeper, loops begin with a word that all languages share, or are a closure handed
to a method such as `map`. So it needs no table for a language; what it misses is only left unsaid.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_OPENING = re.compile(r"\"\"\"|\'\'\'|[\"\'`#]|//|/\*")
# A line that is longer is read up to here: patterns may look at each part of it several times.
MAX_LINE_CHARS = 300
_MAX_LINES, _MAX_ARGUMENT_LINES = 3_000, 12
_LOOP = re.compile(r"^\s*(?:async\s+)?(?:for|foreach|while)\b(?P<head>.*)")
_CLOSURE = re.compile(
    r"\.(?:forEach|map|filter|reduce|some|every|flatMap|each|iter\(\)\.\w+)\(\s*"
    r"(?P<head>(?:async\s*)?(?:function\b\s*\w*\s*)?\(?[^=>{]*?\)?\s*(?:=>|\{)|\|[^|]*\|)"
)
_INLINE = re.compile(r"[\[({].*\bfor\s+(?P<head>.+?\bin\b.+)")
_WORD = re.compile(r"\$?[A-Za-z_]\w*")
_ASSIGNED = re.compile(
    r"(?P<names>\$?[\w.\[\]'\"$>-]+(?:\s*,\s*\$?[\w.]+)*)\s*(?::[\w\[\], |]+)?"
    r"(?:[-+*/%.|&^]|<<|>>|//|\*\*|\?\?|\|\|)?(?::=|=)(?![=>])"
)
_MUTATED = re.compile(
    r"(?P<name>\$?\w+(?:(?:\.|->)\w+)*)(?:\.|->|\[\]\s*=)(?:append|add|push|push_back|insert|extend|pop"
    r"|shift|unshift|update|remove|delete|set|put|write)?\s*\("
)
_CALL = re.compile(r"(?P<name>\$?[A-Za-z_][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)*)\s*\(")
_KEYWORDS = frozenset(
    {
        *("if", "for", "foreach", "while", "switch", "match", "return", "catch", "and", "or"),
        *("not", "in", "function", "func", "fn", "def", "await", "yield", "elif", "else", "with"),
        *("except", "print", "typeof", "new", "lambda", "array", "list", "isset", "empty", "echo"),
    }
)
_TOO_LONG = 400_000
# How the outline of a file ends the names of closures.
CLOSURE = "(anonymous)"


def blanked(text: str) -> str:
    """Return code with comments and the contents of strings as blanks, at the same places."""
    if len(text) > _TOO_LONG:
        return ""
    pieces: list[str] = []
    place = 0
    while (found := _OPENING.search(text, place)) is not None:
        start, mark = found.start(), found.group()
        pieces.append(text[place:start])
        if mark in {"#", "//"} and not _is_comment(text, start, mark):
            pieces.append(mark)
            place = found.end()
            continue
        place = _end_of(text, found.end(), mark)
        inner = _blanks(text[start:place])
        if mark[0] in "\"'`" and len(inner) > 1:  # the quotes stay: they show that text is here
            inner = f"{mark[0]}{inner[1:-1]}{mark[0]}"
        pieces.append(inner)
    pieces.append(text[place:])
    return "".join(pieces)


def _is_comment(text: str, start: int, mark: str) -> bool:
    """Whether a mark begins a comment: `#` and `//` are operators, too."""
    before = text[start - 1] if start else "\n"
    if mark == "#":
        return before.isspace() and text[start + 1 : start + 2] != "["
    return before.isspace() or before in ";{}),"


def _end_of(text: str, start: int, mark: str) -> int:
    """Return where the comment or string ends whose content begins at `start`."""
    if mark in {"#", "//"}:
        end = text.find("\n", start)
        return len(text) if end < 0 else end
    closing = "*/" if mark == "/*" else mark
    while True:
        end = text.find(closing, start)
        if end < 0:
            return len(text)
        line = text.find("\n", start, end) if mark in {'"', "'"} else -1
        if line >= 0:
            return line  # it was no string, such as the apostrophe of a lifetime
        slashes = len(text[start:end]) - len(text[start:end].rstrip("\\"))
        if mark == "/*" or slashes % 2 == 0:
            return end + len(closing)
        start = end + 1


def _blanks(text: str) -> str:
    return "".join(it if it == "\n" else " " for it in text)


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop, and which of its lines are repeated."""

    line: int
    end: int
    depth: int
    """0 for the outermost."""
    head: str
    names: frozenset[str]
    """What differs from one repetition to the next."""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call, with its arguments as text."""

    line: int
    name: str
    arguments: str


@dataclass
class FunctionLines:
    """The lines of one function."""

    name: str
    """A closure has none of its own."""
    start: int
    raw: Sequence[str]
    code: Sequence[str]
    loops: list[Loop] = field(default_factory=list)
    calls: list[WrittenCall] = field(default_factory=list)

    @classmethod
    def of(
        cls, name: str, lines: Sequence[str], code: Sequence[str], start: int, end: int
    ) -> "FunctionLines":
        """Return a function by its lines in a file, from 1."""
        end = min(end, start + _MAX_LINES)
        body = cls(
            name,
            start,
            [it[:MAX_LINE_CHARS] for it in lines[start - 1 : end]],
            [it[:MAX_LINE_CHARS] for it in code[start - 1 : end]],
        )
        body.loops = list(body._find_loops())
        body.calls = list(body._find_calls())
        return body

    @property
    def is_closure(self) -> bool:
        return self.name.endswith(CLOSURE)

    def lines_within(self, loop: Loop | None) -> range:
        """Return the lines that a loop repeats, or all."""
        if loop is None:
            return range(self.start, self.start + len(self.code))
        return range(loop.line if loop.end == loop.line else loop.line + 1, loop.end + 1)

    def text(self, lines: range, *, is_raw: bool = False) -> str:
        """Return some lines as one text."""
        source = self.raw if is_raw else self.code
        return "\n".join(source[it - self.start] for it in lines)

    def loop_at(self, line: int) -> Loop | None:
        """Return the innermost loop that repeats a line."""
        around = [it for it in self.loops if line in self.lines_within(it)]
        return max(around, key=lambda it: it.depth, default=None)

    def _find_loops(self) -> Iterator[Loop]:
        open_loops: list[Loop] = []
        for number, code in enumerate(self.code, start=self.start):
            is_signature = number == self.start and len(self.code) > 1 and not _LOOP.match(code)
            if is_signature and not (self.is_closure and _CLOSURE.search(code)):
                continue
            found = _LOOP.match(code)
            closure = None if found else _CLOSURE.search(code)
            inline = None if found or closure else _INLINE.search(code)
            match = found or closure or inline
            if match is None:
                continue
            end = number if inline else self._end_of(number)
            open_loops = [it for it in open_loops if it.end >= end and it.end >= number]
            loop = self._loop(number, end, len(open_loops), match["head"])
            if end > number:
                open_loops.append(loop)
            yield loop

    def _loop(self, line: int, end: int, depth: int, head: str) -> Loop:
        lines = range(line, end + 1) if end > line else range(line, line + 1)
        inside = [self.code[it - self.start] for it in lines]
        names = set(_WORD.findall(re.split(r"\bin\b|\brange\b|\bof\b|:=|\bas\b(?=\s*\$)", head)[0]))
        if "$" in head and " as " in head:
            names |= set(_WORD.findall(head.rpartition(" as ")[2]))
        for code in inside:
            for found in _ASSIGNED.finditer(code):
                names |= set(_WORD.findall(found["names"]))
            for found in _MUTATED.finditer(code):
                names.add(found["name"].split(".")[0].split("->")[0])
        return Loop(line, end, depth, head, frozenset(names - _KEYWORDS))

    def _end_of(self, line: int) -> int:
        """Return the last line of the block that begins on a line."""
        place = line - self.start
        level, end = _indent(self.code[place]), place
        for at in range(place + 1, len(self.code)):
            code = self.code[at]
            if not code.strip():
                continue
            if _indent(code) <= level and not code.lstrip().startswith(("{", ")")):
                break
            end = at
        return end + self.start

    def _find_calls(self) -> Iterator[WrittenCall]:
        for at, code in enumerate(self.code):
            if at == 0 and len(self.code) > 1:
                continue  # the signature
            for found in _CALL.finditer(code):
                if found["name"] not in _KEYWORDS:
                    yield WrittenCall(
                        self.start + at, found["name"], self._arguments(at, found.end())
                    )

    def _arguments(self, at: int, column: int) -> str:
        """Return what is between a bracket and the one that closes it, some lines below."""
        lines = range(at, min(at + _MAX_ARGUMENT_LINES, len(self.code)))
        code = "\n".join(self.code[it] for it in lines)[column:]
        raw = "\n".join(self.raw[it] for it in lines)[column:]
        return raw[: _inside(code)]


def _indent(line: str) -> int:
    return len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())


def _inside(text: str) -> int:
    """Return how many characters there are before the bracket that closes."""
    depth = 1
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if not depth:
            return at
    return len(text)


def words_of(text: str) -> set[str]:
    """Return the names in an expression, those in strings too: they may be interpolated."""
    return set(_WORD.findall(text)) - _KEYWORDS
