"""Recognise new functions that repeat existing ones.

Only whole functions are compared, which is fast enough for every change: by a hash of their tokens
with the names numbered, so that renaming does not hide a copy; and by the share of equal lines.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.facts import FileFacts, Function, TokenKind, Tokens
from benchpin.workspace.walking import is_product_path

_MIN_TOKENS = 40
_MIN_LINES = 6
_MIN_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class FunctionShape:
    """A function in a form in which it can be compared."""

    name: str
    line: int
    end_line: int
    shape: int
    lines: "array[int]"
    """A hash of each line."""


@dataclass(frozen=True, slots=True)
class Copy:
    """An existing function that a new one repeats."""

    path: str
    shape: FunctionShape
    share: float
    """Of the lines; 1 if only names differ."""


class FunctionShapes:
    """Knows the functions of files that were seen, by the content of the files."""

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[FunctionShape, ...]] = {}

    def of(self, file: FileFacts) -> tuple[FunctionShape, ...]:
        """Return the functions of a file, which needs its tokens unless it was seen before."""
        found = self._known.get(file.key)
        if found is None:
            found = self._known[file.key] = tuple(_shapes(file))
        return found

    def knows(self, file: FileFacts) -> bool:
        """Whether a file of this content was seen."""
        return file.key in self._known

    def keep_only(self, files: Sequence[FileFacts]) -> None:
        """Forget the files that are gone."""
        keys = {it.key for it in files}
        self._known = {key: it for key, it in self._known.items() if key in keys}

    def close(self) -> None:
        """Forget everything."""
        self._known.clear()


def open_shapes(session: WorkspaceSession) -> FunctionShapes:
    """Return the functions of a workspace, which its session keeps from call to call."""
    return session.service(FunctionShapes, FunctionShapes)


def find_copy(
    new: FunctionShape, shapes: FunctionShapes, files: Sequence[FileFacts], job: Job
) -> Copy | None:
    """Return the existing function that a new one repeats most, if it repeats one."""
    wanted = set(new.lines)
    best: Copy | None = None
    for file in job.each(files, "files to compare"):
        if not is_product_path(file.path):
            continue
        for known in shapes.of(file):
            equal = len(wanted.intersection(known.lines)) / len(wanted)
            share = 1.0 if known.shape == new.shape else equal
            if share >= _MIN_SHARE and (best is None or share > best.share):
                best = Copy(file.path, known, share)
    return best


def _shapes(file: FileFacts) -> Iterator[FunctionShape]:
    tokens = file.tokens
    stream = tokens.indices()
    ends = _line_ends(tokens)
    for function in file.outline.functions:
        long = function.last_token - function.first_token >= _MIN_TOKENS
        if long and function.code_lines >= _MIN_LINES:
            lines = array("q", _line_hashes(tokens, stream, ends, function))
            if len(set(lines)) >= _MIN_LINES - 1:
                shape = _shape(tokens, stream, function)
                yield FunctionShape(function.name, function.line, function.end_line, shape, lines)


def _shape(tokens: Tokens, stream: "array[int]", function: Function) -> int:
    """Hash the body with names and literals numbered in their order; the own name is not in it."""
    own = function.name.rpartition(".")[2].encode()
    numbers: dict[int, int] = {}
    words: list[object] = []
    for at in range(function.first_token, function.last_token):
        word = stream[at]
        if tokens.kinds[word] == TokenKind.OPERATOR:
            words.append(tokens.texts[word])
        elif tokens.texts[word] != own:
            words.append(numbers.setdefault(word, len(numbers)))
    return hash(tuple(words))


def _line_ends(tokens: Tokens) -> list[int]:
    ends, total = [], 0
    for count in memoryview(tokens.begun).cast("I"):
        total += count
        ends.append(total)
    return ends


def _line_hashes(
    tokens: Tokens, stream: "array[int]", ends: Sequence[int], function: Function
) -> Iterator[int]:
    """Hash each line after the head; lines of a bracket or a keyword alone say nothing."""
    for line in range(function.line, min(function.end_line, len(ends))):
        first, last = (
            max(ends[line - 1], function.first_token),
            min(ends[line], function.last_token),
        )
        words = tuple(tokens.texts[stream[at]] for at in range(first, last))
        if len(words) > len(("return", "x")):
            yield hash(words)
