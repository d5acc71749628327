"""What to know about files before they are changed: who owns them, what changes with them, risk."""

from collections.abc import Sequence
from dataclasses import dataclass

from .defects import defects_of
from .project import Project

DAYS = 365
_MOST_PARTNERS = 3
_MOST_OWNERS = 2
_LEAST_SHARED = 3
"""Commits that two files must share to be said to change together."""


@dataclass(frozen=True, slots=True)
class FileContext:
    """One file, from its history."""

    file: str
    owners: tuple[str, ...]
    """Who changed it most in the last year."""
    changes_with: tuple[str, ...]
    """Files that usually change in the same commits, the most frequent first."""
    commits: int
    """In the last year."""
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
            if path in {it.first, it.second} and it.shared_commits >= _LEAST_SHARED
        ]
        partners = [it.second if it.first == path else it.first for it in pairs]
        found.append(
            FileContext(
                file=path,
                owners=tuple(it.name for it in own.authors[:_MOST_OWNERS]) if own else (),
                changes_with=tuple(partners[:_MOST_PARTNERS]),
                commits=own.commit_count if own else 0,
                defect_probability=risk.get(path),
            )
        )
    return found
