"""The outline of a file: its functions and types with their measures, and totals."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import PlainSerializer

from benchpin.facts import FileFacts, Function, Type

from ._halstead import HalsteadScore
from ._maintainability import measure_file


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
