"""What the facts of a file are made of, from tokens alone: lines, and the vocabulary."""

import array
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from benchpin.facts import SourceComment, TokenKind, Tokens

from ._tokens import Token

_NAME = re.compile(r"'([A-Za-z_]\w*)'")


class FileLines:
    """Where the lines of a file are, and which of them have code."""

    def __init__(self, source: bytes) -> None:
        self.texts = source.split(b"\n")
        self.starts = [0]
        for text in self.texts:
            self.starts.append(self.starts[-1] + len(text) + 1)
        if not self.texts[-1]:
            self.texts.pop()
        self.total = len(self.texts)

    def at(self, offset: int) -> int:
        """Return the line of an offset, from 1."""
        return max(1, min(bisect_right(self.starts, offset), self.total))

    def comment(self, token: Token) -> SourceComment:
        """Return a comment; a trailing one has code before it on its line."""
        line = self.at(token.at)
        text = token.text.rstrip()
        before = self.texts[line - 1][: token.at - self.starts[line - 1]]
        end = line + text.count(b"\n")
        return SourceComment(
            text.decode(errors="replace"), line, end, is_doc=False, is_trailing=bool(before.strip())
        )

    def _only_comments(self, comments: Sequence[SourceComment]) -> set[int]:
        """Return the lines that have a comment and nothing else."""
        return {
            line
            for it in comments
            for line in range(it.line + it.is_trailing, it.end_line + 1)
            if self.texts[line - 1].strip()
        }

    def commented(self, comments: Sequence[SourceComment]) -> int:
        """Count the lines that have only comments."""
        return len(self._only_comments(comments))

    def code(self, first: int, last: int, comments: Sequence[SourceComment]) -> int:
        """Count the lines of code, both ends included."""
        near = [it for it in comments if first <= it.end_line and it.line <= last]
        skipped = self._only_comments(near)
        return sum(
            bool(self.texts[line - 1].strip()) and line not in skipped
            for line in range(first, last + 1)
        )


class TokenTables:
    """The tokens of a file as numbers, and what is counted over them."""

    def __init__(self, tokens: Sequence[Token], lines: FileLines, keywords: set[int]) -> None:
        numbers: dict[tuple[int, bytes], int] = {}
        self._stream = array.array("I")
        begun = array.array("I", bytes(4 * lines.total))
        for at, token in enumerate(tokens):
            is_name = token.role == "name" or (token.role == "word" and at not in keywords)
            kind = TokenKind.LITERAL if token.role == "literal" else TokenKind.OPERATOR
            key = (TokenKind.IDENTIFIER if is_name else kind, token.text)
            self._stream.append(numbers.setdefault(key, len(numbers)))
            begun[lines.at(token.at) - 1] += 1
        self._numbers = numbers
        self._counts = Counter(self._stream)
        self._begun = begun

    def halstead(self) -> tuple[int, int, int, int]:
        """Return distinct operators, distinct operands, all operators and all operands."""
        operators = [it for (kind, _), it in self._numbers.items() if kind == TokenKind.OPERATOR]
        used = sum(map(self._counts.__getitem__, operators))
        others = len(self._numbers) - len(operators)
        return len(operators), others, used, len(self._stream) - used

    def references(self) -> dict[str, int]:
        """Count every identifier."""
        return {
            text.decode(errors="replace"): self._counts[number]
            for (kind, text), number in self._numbers.items()
            if kind == TokenKind.IDENTIFIER
        }

    def mentions(self) -> tuple[str, ...]:
        """Return the strings that are nothing but a name."""
        literals = (
            text.decode(errors="replace")
            for kind, text in self._numbers
            if kind == TokenKind.LITERAL
        )
        return tuple(sorted({it[1] for text in literals if (it := _NAME.fullmatch(text))}))

    def tokens(self) -> Tokens:
        """Return the token stream."""
        return Tokens(
            tuple(text for _, text in self._numbers),
            bytes(kind for kind, _ in self._numbers),
            self._stream.tobytes(),
            self._begun.tobytes(),
        )
