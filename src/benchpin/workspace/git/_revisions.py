"""Find the commits that people name."""

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.core.text import plain

from ._command import GitFailed, stream
from ._repository import Repository

MAX_REVISION = 200


def find_commit(repository: Repository, revision: str, job: Job) -> str:
    """Return the id of the commit that a revision names.

    Raises:
        InvalidParams: when the repository has no such revision.
    """
    unknown = InvalidParams(
        f"The repository has no revision {plain(revision[:MAX_REVISION])!r}",
        suggestion="Give a commit, branch or tag that is here; a shallow clone lacks older ones: "
        "`git fetch --unshallow`.",
        data={"revision": revision[:MAX_REVISION]},
    )
    is_plain = revision.isprintable() and not revision.startswith("^")
    if not is_plain or not 0 < len(revision) <= MAX_REVISION:
        raise unknown
    wanted = (f"{revision}^{{commit}}",)
    try:
        answer = b"".join(stream(repository, "rev-parse", (), wanted, None, job))
    except GitFailed as error:
        raise unknown from error
    return answer.decode("ascii").strip()


def merge_base(repository: Repository, one: str, other: str, job: Job) -> str | None:
    """Return the newest commit that is in the history of both; None if there is none."""
    try:
        answer = b"".join(stream(repository, "merge-base", (), (one, other), None, job))
    except GitFailed as error:
        if error.data["exit_code"] != 1:
            raise
        return None
    return answer.decode("ascii").split("\n")[0].strip() or None
