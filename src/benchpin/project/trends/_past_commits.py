"""Which past commits to measure: a week, months and the last release before the newest commit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from benchpin.core.calls import Job
from benchpin.project.defects import newest_moment
from benchpin.workspace.git import Repository, find_head, merge_base, stream

WEEK, MONTH, RELEASE = "last week", "last month", "last release"
_DAYS_IN_MONTH = 365 / 12
# The ends of the year first, then the months between them: a curve that gets finer.
_LATER_MONTHS = (12, 6, 3, 9, 2, 4, 5, 7, 8, 10, 11)
MAX_COMMITS = 3 + len(_LATER_MONTHS)
_MAX_TAGS = 1_000
_MAX_RELEASES = 20
# A released version: a tag of a pre-release, such as 2.0rc1, ends in something else.
_VERSION = re.compile(r"(?P<package>.*?[/@_-])?v?(?P<number>\d+(?:\.\d+)+)")


@dataclass(frozen=True, slots=True)
class PastCommit:
    """A commit to compare with."""

    when: str
    """last week, last month, last release, or the number of months ago."""
    commit: str
    date: datetime
    """The moment that was asked for; of a release, when its commit was made."""
    name: str = ""
    """The tag of a release."""


def past_commits(repository: Repository, job: Job) -> Iterator[PastCommit]:
    """Yield commits to compare with, the most interesting first.

    A release may be the same commit as last month; nothing else is yielded twice, nor is the newest
    commit.

    Periods end at the newest commit, not today: the same repository has the same trend on any day.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    head = find_head(repository, job)
    if head is None:
        return
    newest = newest_moment(repository, job)
    seen = {head}
    for found in _candidates(repository, head, newest, job):
        # A week in which nothing was committed is no other state than now.
        is_new = found is not None and found.commit not in seen
        if found is not None and (is_new or (found.name and found.commit != head)):
            seen.add(found.commit)
            yield found


def _candidates(
    repository: Repository, head: str, newest: datetime, job: Job
) -> Iterator[PastCommit | None]:
    yield _before(repository, head, MONTH, newest - timedelta(days=_DAYS_IN_MONTH), job)
    yield _before(repository, head, WEEK, newest - timedelta(days=7), job)
    yield _last_release(repository, head, job)
    for months in _LATER_MONTHS:
        moment = newest - timedelta(days=months * _DAYS_IN_MONTH)
        yield _before(repository, head, f"{months} months ago", moment, job)


def _before(
    repository: Repository, head: str, when: str, moment: datetime, job: Job
) -> PastCommit | None:
    """Return the state of the branch at a moment; None before its first commit."""
    age = f"--min-age={int(moment.timestamp())}"
    options = ("-1", "--first-parent", "--format=%H", age)
    found = b"".join(stream(repository, "log", options, (head,), None, job)).decode("ascii")
    return PastCommit(when, found.strip(), moment) if found.strip() else None


def _last_release(repository: Repository, head: str, job: Job) -> PastCommit | None:
    """Return the highest version that has a tag, on whatever branch; None without versions.

    Where every tag names a package, as in a repository of many, the newest of them.
    """
    # -n first: git walks the history again when a number comes after --no-walk.
    options = (f"-{_MAX_TAGS}", "--no-walk=sorted", "--tags", "--decorate-refs=refs/tags/")
    listed = b"".join(
        stream(repository, "log", (*options, "--format=%H %ct %D"), (), None, job)
    ).decode("utf-8", "replace")
    whole: list[tuple[tuple[int, ...], PastCommit]] = []
    of_packages: list[PastCommit] = []
    for line in listed.splitlines():
        commit, seconds, names = line.split(" ", 2)
        for name in names.split(", "):
            tag = name.removeprefix("tag: ")
            version = _VERSION.fullmatch(tag)
            if version is None:
                continue
            found = PastCommit(RELEASE, commit, datetime.fromtimestamp(int(seconds), UTC), tag)
            if version["package"]:
                of_packages.append(found)
            else:
                whole.append((tuple(map(int, version["number"].split("."))), found))
    whole.sort(key=lambda it: (it[0], it[1].date), reverse=True)
    for last in [it for _, it in whole][:_MAX_RELEASES] or of_packages[:_MAX_RELEASES]:
        # A release is often tagged on a branch: what counts is the commit where that branch began.
        # One that is newer than what is checked out is not the last one here.
        base = merge_base(repository, last.commit, head, job)
        if base and base != head:
            asked = b"".join(stream(repository, "log", ("-1", "--format=%ct"), (base,), None, job))
            return replace(last, commit=base, date=datetime.fromtimestamp(int(asked), UTC))
    return None
