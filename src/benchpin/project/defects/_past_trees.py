"""The tree of a commit: which files may be code, and their git ids."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from benchpin.core.calls import Job
from benchpin.facts import May
from benchpin.facts.languages import is_candidate
from benchpin.workspace.git import Repository, find_head, stream
from benchpin.workspace.git_objects import list_tree

_REGULAR = frozenset({"100644", "100755"})
_UNSAFE_NAMES = frozenset({"", ".", ".."})


@dataclass(frozen=True, slots=True)
class PastTree:
    """The code of one commit."""

    commit: str
    blobs: Mapping[str, str]
    """The git ids of what may be code and may be read, by path in order; no links."""


def tree_at(
    repository: Repository, head: str | None, moment: datetime | None, may: May, job: Job
) -> PastTree | None:
    """Return the tree of a commit, or what it had been at a moment; None when there was none.

    Without a `head`, the commit is the one that is checked out.

    Raises:
        Cancelled: when the job was cancelled.
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    commit = head or find_head(repository, job)
    if commit is not None and moment is not None:
        commit = _commit_before(repository, commit, moment, job)
    if not commit:
        return None
    found = {
        it.path: it.object_id
        for it in list_tree(repository, commit, job)
        if it.mode in _REGULAR and _may_be_code(it.path) and may(it.path)
    }
    return PastTree(commit, dict(sorted(found.items())))


def _commit_before(repository: Repository, head: str, moment: datetime, job: Job) -> str:
    age = f"--min-age={int(moment.timestamp())}"
    options = ("-1", "--first-parent", "--format=%H", age)
    return b"".join(stream(repository, "log", options, (head,), None, job)).decode("ascii").strip()


def _may_be_code(path: str) -> bool:
    """Whether a path can be one of code, and can be written below a folder."""
    parts = path.split("/")
    return is_candidate(parts[-1]) and path.isprintable() and _UNSAFE_NAMES.isdisjoint(parts)
