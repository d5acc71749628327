"""What the commits of the last year say about a repository, or about a folder of it."""

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from benchpin.core import Item, Job
from benchpin.engines.source.git import GitFailed, find_repository
from benchpin.engines.source.history import History
from benchpin.engines.source.recent_history import read_recent

from .shown import ShownText
from .tree import RepositoryTree

_YEAR = timedelta(days=365)
_MOST_NAMED = 5


class HistoryFacts(Item):
    """What the commits of the last year say; merges are left out."""

    since: str
    commits: int
    """Those that changed something in the folder that was asked for."""
    authors: int
    last_commit: str | None
    """Null when there is none in that time."""
    top_authors: list[ShownText]
    """With their commits."""
    most_changed: list[ShownText] | None
    """Files that are there, with their commits; null when the clone cannot tell."""
    is_shallow: bool
    """Whether a shallow clone hides what came before."""


def read_year(tree: RepositoryTree, job: Job, now: datetime) -> tuple[HistoryFacts, str]:
    """Return what the last year says, and why it is not told which files changed, if so.

    Raises:
        Cancelled: when the job was.
        DependencyMissing: when git is not installed.
        GitFailed: when git cannot read the repository, or not tell which commits are of the folder.
        NotARepository: when the folder is not under version control.
        PathOutsideWorkspace: when the folder or its history is elsewhere.
    """
    since = now - _YEAR
    place = Path(tree.root, tree.base)
    is_part = find_repository(place, tree.root).mount != tree.base
    history = read_recent(tree.session, place, since, job, needs_files=False)
    if is_part:
        history = _beneath(tree.base, history)
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


def _beneath(base: str, history: History) -> History:
    """Return the commits that changed something in a folder."""
    if history.problem:
        raise GitFailed(
            f"Which commits changed {base!r} cannot be told: {history.problem}",
            suggestion="Fetch what the clone lacks, or ask for the whole repository.",
        )
    commits = (it for it in history.commits if any(file.path.startswith(base) for file in it.files))
    return replace(history, commits=tuple(commits))


def _counted(counts: Counter[str]) -> list[str]:
    ranked = sorted(counts, key=lambda it: (-counts[it], it))
    return [f"{name}: {counts[name]}" for name in ranked[:_MOST_NAMED]]
