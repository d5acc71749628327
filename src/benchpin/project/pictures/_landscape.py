"""What is known about every file at once: size, health, changes, risk, coverage, owner, age."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchpin.core.text import utf8
from benchpin.facts import FileFacts
from benchpin.measures.churn import FileChurn
from benchpin.measures.complexity import simplicity
from benchpin.present.pictures import PictureRow
from benchpin.project import Project
from benchpin.project.defects import DefectPrediction, defects_of

# How far back changes, owners and ages are read.
PERIOD_DAYS = 365


@dataclass(frozen=True, slots=True)
class FileState:
    """One file; None for what was not measured."""

    file: str
    lines: int
    """Of code."""
    functions: int
    complexity: int
    """Cognitive, of all functions."""
    health: float | None
    """How easy its functions are to follow, from 0 to 100; None without functions."""
    commits: int | None
    """In the period."""
    owner: str | None
    """Who made the most commits in the period; None if nobody did."""
    age_days: int | None
    """Since the last change; None if that was before the period."""
    defects: float | None
    """How likely a bug fix touches it within a year."""
    reason: str
    """What makes that likely."""
    coverage: float | None
    """The share that tests run, from 0 to 1."""

    def to_row(self) -> PictureRow:
        """Return it as pictures have it; what is unknown is left out."""
        found: dict[str, str | int | float | None] = {
            "file": self.file,
            "lines": self.lines,
            "functions": self.functions,
            "complexity": self.complexity,
            "health": self.health,
            "commits": self.commits,
            "owner": self.owner,
            "age": self.age_days,
            "defects": self.defects,
            "coverage": self.coverage,
        }
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Landscape:
    """All files, and what could not be measured."""

    files: Sequence[FileState]
    has_history: bool
    has_coverage: bool


def survey(project: Project) -> Landscape:
    """Return what is known about every file that has code.

    Raises:
        Cancelled: when the job was cancelled.
    """
    churn = project.churn(PERIOD_DAYS).value
    changed = None if churn is None else {it.path: it for it in churn.files}
    defects = defects_of(project).value
    likely = {} if defects is None else {it.file: it for it in defects.files}
    covered = project.coverage()
    shares = {} if covered is None else {path: it.share for path, it in covered.by_file.items()}
    return Landscape(
        [
            _state(file, changed, likely, shares.get(file.path))
            for file in project.files
            if file.outline.code_lines
        ],
        has_history=changed is not None,
        has_coverage=covered is not None,
    )


def _state(
    file: FileFacts,
    changed: Mapping[str, FileChurn] | None,
    likely: Mapping[str, DefectPrediction],
    coverage: float | None,
) -> FileState:
    outline, health = file.outline, simplicity(file.outline.functions)
    change = None if changed is None else changed.get(file.path)
    prediction = likely.get(file.path)
    return FileState(
        file=file.path,
        lines=outline.code_lines,
        functions=len(outline.functions),
        complexity=outline.cognitive + sum(it.cognitive for it in outline.functions),
        health=None if health is None else round(health),
        commits=None if changed is None else 0 if change is None else change.commit_count,
        owner=None if change is None or not change.authors else utf8(change.authors[0].name),
        age_days=None if change is None else change.days_since_change,
        defects=None if prediction is None else prediction.probability,
        reason="" if prediction is None else prediction.reason,
        coverage=coverage,
    )
