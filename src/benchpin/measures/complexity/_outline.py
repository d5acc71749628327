"""The outline of a file: its functions and types with their measures, and totals.

Halstead's measures are those of "Elements of Software Science" (1977). The maintainability index is
that of P. Oman and J. Hagemeister (1992), in the form that Visual Studio and radon use, from 0 to
100.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import PlainSerializer

from benchpin.facts import FileFacts, Function, Halstead, Outline, Type


def _rounded(digits: int) -> PlainSerializer:
    return PlainSerializer(lambda it: round(it, digits), return_type=float)


@dataclass(frozen=True, slots=True)
class HalsteadScore:
    """Halstead's measures; exact here, rounded when they are published."""

    vocabulary: int
    length: int
    volume: Annotated[float, _rounded(1)]
    difficulty: Annotated[float, _rounded(2)]
    effort: Annotated[float, _rounded(1)]


def score_halstead(counts: Halstead) -> HalsteadScore:
    """Return the measures of some code; code without operands has no difficulty."""
    vocabulary = counts.distinct_operators + counts.distinct_operands
    length = counts.operators + counts.operands
    volume = length * math.log2(vocabulary) if vocabulary else 0.0
    per_operand = counts.operands / counts.distinct_operands if counts.distinct_operands else 0.0
    difficulty = counts.distinct_operators / 2 * per_operand
    return HalsteadScore(vocabulary, length, volume, difficulty, volume * difficulty)


@dataclass(frozen=True, slots=True)
class FileMeasures:
    """The measures of a whole file."""

    cyclomatic: int
    """The complexity of all functions and of the code outside of them."""
    halstead: HalsteadScore
    maintainability_index: float
    """From 0 (worst) to 100."""


def measure_file(outline: Outline) -> FileMeasures:
    cyclomatic = outline.cyclomatic + sum(it.cyclomatic for it in outline.functions)
    halstead = score_halstead(outline.halstead)
    comment_share = outline.comment_lines / outline.lines if outline.lines else 0.0
    index = maintainability(halstead.volume, cyclomatic, outline.code_lines, comment_share)
    return FileMeasures(cyclomatic, halstead, index)


def maintainability(volume: float, cyclomatic: int, code_lines: int, comment_share: float) -> float:
    """Return the index from 0 (worst) to 100; the share of comments is from 0 to 1."""
    if code_lines == 0:  # the logarithm of nothing; there is nothing to maintain either
        return 100.0
    raw = (
        171  # the constants as they were published
        - 5.2 * math.log(max(volume, 1.0))
        - 0.23 * cyclomatic
        - 16.2 * math.log(code_lines)
        + 50 * math.sin(math.sqrt(2.46 * math.radians(comment_share * 100)))
    )
    return min(100.0, max(0.0, raw * 100 / 171))


@dataclass(frozen=True, slots=True)
class OutlineSymbol:
    """A function or type; only functions have measures and a signature, only types have bases."""

    name: str
    kind: str
    line: int
    end_line: int
    is_public: bool
    is_documented: bool
    signature: str | None = None
    bases: tuple[str, ...] | None = None
    decorators: tuple[str, ...] | None = None
    cyclomatic: int | None = None
    cognitive: int | None = None
    nesting: int | None = None
    parameters: int | None = None
    code_lines: int | None = None

    @property
    def declaration(self) -> str:
        """The signature of a function, or the name of a type with its bases."""
        bases = f"({', '.join(self.bases)})" if self.bases else ""
        return self.signature or f"{self.kind} {self.name.rpartition('.')[2]}{bases}"


@dataclass(frozen=True, slots=True)
class FileOutline:
    """One file."""

    file: str
    language: str
    lines: int
    code_lines: int
    comment_lines: int
    cyclomatic: int
    """The complexity of all functions and of the code outside of them."""
    maintainability_index: Annotated[
        float, PlainSerializer(lambda it: round(it, 2), return_type=float)
    ]
    """From 0 (worst) to 100."""
    halstead: HalsteadScore
    error_line: int | None
    """The first line that does not parse; symbols near it may be missing."""
    symbols: tuple[OutlineSymbol, ...]
    """In the order of lines."""


def outline_of(file: FileFacts, *, public_only: bool = False) -> FileOutline:
    """Return the outline of a file, on request only of what other files can use."""
    outline = file.outline
    measures = measure_file(outline)
    found = [*map(_type, outline.types), *map(_function, outline.functions)]
    symbols = [it for it in found if it.is_public or not public_only]
    return FileOutline(
        file=file.path,
        language=file.language,
        lines=outline.lines,
        code_lines=outline.code_lines,
        comment_lines=outline.comment_lines,
        cyclomatic=measures.cyclomatic,
        maintainability_index=measures.maintainability_index,
        halstead=measures.halstead,
        error_line=outline.error_line or None,
        symbols=tuple(sorted(symbols, key=lambda it: (it.line, -it.end_line))),
    )


def _type(declared: Type) -> OutlineSymbol:
    return OutlineSymbol(
        declared.name,
        declared.kind,
        declared.line,
        declared.end_line,
        declared.is_public,
        declared.is_documented,
        bases=declared.bases,
    )


def _function(function: Function) -> OutlineSymbol:
    return OutlineSymbol(
        name=function.name,
        kind=function.kind,
        line=function.line,
        end_line=function.end_line,
        is_public=function.is_public,
        is_documented=function.is_documented,
        signature=function.shown_signature(),
        decorators=function.decorators,
        cyclomatic=function.cyclomatic,
        cognitive=function.cognitive,
        nesting=function.nesting,
        parameters=function.parameters,
        code_lines=function.code_lines,
    )


def own_lines(functions: Sequence[Function]) -> list[int]:
    """Return the lines of code of each function without those of functions inside it."""
    lines = [it.code_lines for it in functions]
    for at, outer in _around(functions):
        if outer is not None:
            lines[outer] = max(0, lines[outer] - functions[at].code_lines)
    return lines


def total_cognitive(outline: Outline) -> int:
    """Return the cognitive complexity of a file; a function has that of functions inside it."""
    functions = outline.functions
    outermost = (at for at, outer in _around(functions) if outer is None)
    return outline.cognitive + sum(functions[at].cognitive for at in outermost)


def _around(functions: Sequence[Function]) -> Iterator[tuple[int, int | None]]:
    """Yield each function with the innermost one that it is in, by their positions."""
    around: list[int] = []
    order = sorted(
        range(len(functions)), key=lambda at: (functions[at].first_token, -functions[at].last_token)
    )
    for at in order:
        while around and functions[around[-1]].last_token <= functions[at].first_token:
            around.pop()
        yield at, around[-1] if around else None
        around.append(at)
