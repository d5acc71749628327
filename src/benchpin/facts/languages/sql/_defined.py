"""What a definition is, and how it becomes a fact."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchpin.facts import Function, SourceComment, Type

from ._facts import FileLines


@dataclass(slots=True, eq=False)
class Defined:
    """A table, column, routine or other thing with a name; or the file itself."""

    name: str = ""
    kind: str = ""
    is_routine: bool = False
    is_member: bool = False
    first: int = 0
    last: int = 0
    start: int = 0
    end: int = 0
    line: int = 0
    end_line: int = 0
    parameters: int = 0
    signature: str = ""
    cyclomatic: int = 1
    cognitive: int = 0
    nesting: int = 0
    calls: set[str] = field(default_factory=set)

    def callees(self) -> tuple[str, ...]:
        return tuple(sorted(self.calls))

    def as_type(self, documented: set[int]) -> Type:
        return Type(
            name=self.name,
            kind=self.kind,
            line=self.line,
            end_line=self.end_line,
            bases=(),
            is_public=True,
            is_documented=self.line - 1 in documented,
            first_token=self.first,
            last_token=self.last,
        )

    def as_function(
        self, lines: FileLines, comments: Sequence[SourceComment], documented: set[int]
    ) -> Function:
        return Function(
            name=self.name,
            kind="method" if self.is_member else "function",
            line=self.line,
            end_line=self.end_line,
            cyclomatic=self.cyclomatic,
            cognitive=self.cognitive,
            nesting=self.nesting,
            parameters=self.parameters,
            code_lines=lines.code(self.line, self.end_line, comments),
            first_token=self.first,
            last_token=self.last,
            signature=self.signature,
            is_public=True,
            is_documented=self.line - 1 in documented,
            decorators=(),
        )
