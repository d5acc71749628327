"""The commits of the last year in a repository or one of its folders."""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.measures.history import History, read_recent
from benchpin.repository.packing import ShownText
from benchpin.workspace.git import GitFailed, find_repository

from ._tree import RepositoryTree

_YEAR = timedelta(days=365)
_MAX_NAMED = 5


class HistoryFacts(Item):
    """The commits of the last year, without merges."""

    since: str
    commits: int
    """Commits that changed something in the folder."""
    authors: int
    last_commit: str | None
    """Null when there is none in that year."""
    top_authors: list[ShownText]
    """With the number of their commits."""
    most_changed: list[ShownText] | None
    """Existing files, with the number of their commits; null when the clone lacks the data."""
    is_shallow: bool
    """Whether the clone is shallow and lacks older commits."""


def read_year(tree: RepositoryTree, job: Job, now: datetime) -> tuple[HistoryFacts, str]:
    """Return the facts of the last year, and why changed files are unknown, if they are.

    Raises:
        DependencyMissing: when git is not installed.
        GitFailed: when git cannot read the repository or the changes of the folder.
        NotARepository: when the folder is not under version control.
        PathOutsideWorkspace: when the folder or its history is elsewhere.
    """
    since = now - _YEAR
    place = Path(tree.root, tree.base)
    is_part = find_repository(place, tree.root, tree.session.git_folders).mount != tree.base
    history = read_recent(tree.session, place, since, job, needs_files=False)
    if is_part:
        history = _commits_in(tree.base, history)
    authors = Counter(commit.author for commit in history.commits)
    changed = Counter(
        change.path
        for commit in history.commits
        for change in commit.files
        if change.path in history.existing and change.path.startswith(tree.base)
    )
    facts = HistoryFacts(
        since=f"{since:%Y-%m-%d}",
        commits=len(history.commits),
        authors=len(authors),
        last_commit=f"{history.commits[0].time:%Y-%m-%d}" if history.commits else None,
        top_authors=_counted(authors),
        most_changed=None if history.problem else _counted(changed),
        is_shallow=history.is_shallow,
    )
    return facts, history.problem


def _commits_in(base: str, history: History) -> History:
    if history.problem:
        raise GitFailed(
            f"The commits that changed {base!r} are unknown: {history.problem}",
            suggestion="Fetch the missing objects, or analyse the whole repository.",
        )
    commits = (it for it in history.commits if any(file.path.startswith(base) for file in it.files))
    return replace(history, commits=tuple(commits))


def _counted(counts: Counter[str]) -> list[str]:
    ranked = sorted(counts, key=lambda it: (-counts[it], it))
    return [f"{name}: {counts[name]}" for name in ranked[:_MAX_NAMED]]
