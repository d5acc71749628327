"""What to know about files before they are changed: who owns them, what changes with them, risk."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.code import CodeIndex
from benchpin.code.names import Symbol
from benchpin.code.references import Dependent, find_dependents
from benchpin.core.calls import Job
from benchpin.project.defects import defects_of

from ._project import Project

DAYS = 365
_MAX_PARTNERS = 3
_MAX_OWNERS = 2
# Commits that two files must share to be said to change together.
_MIN_SHARED_COMMITS = 3


@dataclass(frozen=True, slots=True)
class RemovedSymbols:
    """What a change removes, in the index of the files before it."""

    before: CodeIndex
    symbols: Sequence[Symbol]

    def still_used_by(self, after: CodeIndex, job: Job) -> list[Dependent]:
        """Return the code that still uses it after the change, nearest first."""
        found = find_dependents(self.before, self.symbols, job, depth=1).found
        return [it for it in found if _still_names(after, it)]


def _still_names(after: CodeIndex, user: Dependent) -> bool:
    """Whether the code that used a symbol is still there, and its name refers to nothing else."""
    module = after.symbols.modules.get(user.file)
    code = None if module is None else module.code
    if module is None or code is None:
        return False
    name = user.uses.rpartition("::")[2].rpartition(".")[2]
    if user.certainty != "certain" and after.symbols.count_named(module.family, name):
        return False
    inside = user.id.rpartition("::")[2] if "::" in user.id else ""
    for at in code.stream.positions(name):
        scope = code.scope_at(at)
        around = "" if scope is None else scope.declared.name
        is_there = around == inside or around.startswith(f"{inside}.") or not inside
        if is_there and after.meaning(module, at).symbol is None:
            return True
    return False


@dataclass(frozen=True, slots=True)
class FileContext:
    """One file, from its history."""

    file: str
    owners: tuple[str, ...]
    """Who changed it most in the last year."""
    changes_with: tuple[str, ...]
    """Files that usually change in the same commits, the most frequent first."""
    commits: int | None
    """In the last year; None where the history cannot be read."""
    defect_probability: float | None
    """That a bug fix touches it within a year; None where that is not known."""


def contexts_of(project: Project, files: Sequence[str]) -> list[FileContext]:
    """Return what the history of the workspace says about some files."""
    churned = project.churn(DAYS).value
    predicted = defects_of(project).value
    risk = {} if predicted is None else {it.file: it.probability for it in predicted.files}
    found = []
    for path in files:
        own = next((it for it in churned.files if it.path == path), None) if churned else None
        pairs = [
            it
            for it in (churned.coupling if churned else ())
            if path in {it.first, it.second} and it.shared_commits >= _MIN_SHARED_COMMITS
        ]
        partners = [it.second if it.first == path else it.first for it in pairs]
        found.append(
            FileContext(
                file=path,
                owners=tuple(it.name for it in own.authors[:_MAX_OWNERS]) if own else (),
                changes_with=tuple(partners[:_MAX_PARTNERS]),
                commits=None if churned is None else own.commit_count if own else 0,
                defect_probability=risk.get(path),
            )
        )
    return found
