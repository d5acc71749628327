"""What was found for a question."""

from dataclasses import dataclass, field

from benchpin.code.references import FunctionCall
from benchpin.core.text import counted, plain
from benchpin.measures.history import LastCommit


@dataclass(frozen=True, slots=True)
class Excerpted:
    """A definition that answers the question, or a part of it."""

    id: str
    """The path, `::` and the qualified name; other tools accept it."""
    kind: str
    file: str
    line: int
    end_line: int
    code: str
    """Its lines with their numbers; ⋮ where some are left out."""
    is_whole: bool

    @property
    def heading(self) -> str:
        """The line above its code."""
        rest = "" if self.is_whole else ", in parts"
        return f"{self.id} ({self.kind}, {self.line}-{self.end_line}{rest})"


@dataclass(frozen=True, slots=True)
class UsedSetting:
    """A constant, variable or field that the definitions use."""

    name: str
    kind: str
    uses: int
    file: str | None
    """Where it is defined; None where that is outside or not known."""
    line: int


@dataclass(slots=True)
class Explored:
    """What was found for a question."""

    shown: list[Excerpted] = field(default_factory=list)
    calls: list[FunctionCall] = field(default_factory=list)
    """Among the definitions that are shown."""
    entered_by: list[FunctionCall] = field(default_factory=list)
    """Calls from elsewhere, production before tests."""
    settings: list[UsedSetting] = field(default_factory=list)
    commits: list[LastCommit] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    """Further candidates, best first."""
    definitions: int = 0
    """How many were searched."""
    files: int = 0
    unknown: list[str] = field(default_factory=list)
    """Words of the question that no definition has."""

    def headline(self) -> str:
        """Say what was found, and among how many definitions."""
        files = counted(len({it.file for it in self.shown}), "file")
        searched = f"{self.definitions:,} in {counted(self.files, 'file')}"
        return f"{counted(len(self.shown), 'definition')} in {files}, the best of {searched}:"

    def not_shown(self) -> list[str]:
        """Say what the answer does not show."""
        found, parts = [], [it for it in self.shown if not it.is_whole]
        if self.others:
            found.append(f"not shown, next best: {', '.join(map(plain, self.others))}")
        if parts:
            cut = counted(len(parts), "definition")
            more = "a larger budget shows more; find_symbol with include_body=true, one whole"
            found.append(f"⋮ lines left out of {cut}: {more}")
        if self.unknown:
            found.append(f"no definition has: {', '.join(map(plain, self.unknown))}")
        return found
