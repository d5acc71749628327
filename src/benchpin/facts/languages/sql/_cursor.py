"""The tokens of a file by position, and what can be said of one by those beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ._defined import Defined
from ._facts import FileLines
from ._tokens import Token
from ._words import STARTERS

# `$$`: a body between dollar signs. `declaring`: a routine of Oracle, which has declarations before
# `BEGIN`. `package`: holds routines. `routine`: any other one.
OpenKind = Literal["begin", "if", "loop", "case", "$$", "declaring", "package", "routine"]

# After these a statement begins, or a declaration.
_OPENERS = frozenset(
    "; BEGIN THEN ELSE LOOP DO REPEAT $$ DECLARE GO / ATOMIC TRY CATCH // |".split()  # noqa: SIM905
)
_LIKELY = frozenset({"BEGIN", "CREATE", "DECLARE"})
_TRANSACT_SETTINGS = frozenset({"NOCOUNT", "XACT_ABORT", "ANSI_NULLS", "QUOTED_IDENTIFIER"})
_MAX_THEN_TOKENS = 600


@dataclass(slots=True, eq=False)
class Open:
    """Something that is not closed yet: a block, or a definition with a body."""

    kind: OpenKind
    defined: Defined | None = None
    body: int = -1
    """The position of the first token of its body."""
    has_begun: bool = False
    """Whether the declarations are over."""


class Cursor:
    """The tokens of a file; what is open at each is kept by those that inherit."""

    def __init__(self, tokens: Sequence[Token], source: bytes, lines: FileLines) -> None:
        self.tokens = tokens
        self.source = source
        self.lines = lines
        self.words = [it.word for it in tokens]
        self.open: list[Open] = []
        self.error_line = 0
        self.error = ""

    @cached_property
    def is_transact(self) -> bool:
        """Whether it is SQL Server's, where `IF` has no end and no semicolon ends a routine."""
        near = zip(self.words, [*self.words[1:], ""], strict=True)
        return any(
            one == "NVARCHAR"
            or (one == "GO" and self.is_alone(at))
            or (one == "DECLARE" and other.startswith("@"))
            or (one == "SET" and other in _TRANSACT_SETTINGS)
            for at, (one, other) in enumerate(near)
        )

    def word(self, at: int) -> str:
        """Return a token in capitals; empty before the first and after the last."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def text(self, at: int) -> str:
        """Return a token as written, without quotes."""
        return self.tokens[at].text.decode(errors="replace") if at < len(self.tokens) else ""

    def is_name(self, at: int) -> bool:
        """Whether a token may be a name: it is a word or in quotes."""
        return at < len(self.tokens) and self.tokens[at].role in {"word", "name"}

    def is_mark(self, at: int) -> bool:
        return self.tokens[at].role == "mark"

    def line(self, at: int) -> int:
        return self.lines.at(self.tokens[at].at)

    def begins_line(self, at: int) -> bool:
        """Whether there is nothing before a token on its line."""
        start = self.lines.starts[self.line(at) - 1]
        return not self.source[start : self.tokens[at].at].strip()

    def is_alone(self, at: int) -> bool:
        """Whether there is nothing else on the line of a token but how often: `GO 5`."""
        text = self.lines.texts[self.line(at) - 1].strip()
        return not text[len(self.words[at]) :].strip(b"; 0123456789")

    def is_separator(self, at: int) -> bool:
        """Whether a token is `GO` or `/` on a line of its own, which ends everything."""
        is_one = self.words[at] == "/" or (self.words[at] == "GO" and self.is_transact)
        return is_one and self.begins_line(at) and self.is_alone(at)

    def starts(self, at: int) -> bool:
        """Whether a statement begins at a token."""
        before = self.word(at - 1)
        if not at or before in _OPENERS or (self.open and before in {">>", ":"}):
            return True
        if self.open and self.open[-1].body == at:
            return True
        # After a command of SQL*Plus, or a statement of SQL Server, there may be no semicolon.
        is_likely = self.words[at] in _LIKELY and not self.open
        return (
            is_likely or (self.is_transact and self.words[at] in STARTERS)
        ) and self.begins_line(at)

    def is_certain_start(self, at: int) -> bool:
        """Whether what is here can only be a statement outside of any routine."""
        before = at - 1
        return not self.open and (not at or self.words[before] == ";" or self.is_separator(before))

    def has_then(self, at: int) -> bool:
        """Whether an `IF` is the one with `THEN` and an end."""
        near = self.words[at : at + _MAX_THEN_TOKENS]
        return "THEN" in (near[: near.index(";")] if ";" in near else near)

    def next_line(self, at: int) -> int:
        line = self.line(at)
        while at < len(self.tokens) and self.line(at) == line:
            at += 1
        return at

    def statement_end(self, at: int) -> int:
        """Return the end of a statement that has no body."""
        depth = 0
        while at < len(self.tokens):
            word = self.words[at]
            depth += (word == "(") - (word == ")")
            if word == ";" or (depth <= 0 and word == "$$") or self.is_separator(at):
                break
            if word == "CREATE" and depth <= 0 and self.begins_line(at):
                break
            at += 1
        return at

    def fail(self, at: int, error: str) -> None:
        """Note what is wrong; the first error counts."""
        if not self.error_line:
            self.error_line, self.error = self.line(at), error
