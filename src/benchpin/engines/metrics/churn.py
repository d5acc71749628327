"""How much and how often files change, who changes them, and which change together."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import nsmallest
from itertools import accumulate, chain

from benchpin.engines.source.history import Author, Commit, History

COMMIT_WEIGHT = 0.6
CHANGE_WEIGHT = 0.4
HOTSPOT_ABOVE = 0.5
STABLE_BELOW = 0.1
LISTED = 10
MAX_FILES_TOGETHER = 50
MIN_SUPPORT = 3
MIN_CONFIDENCE = 0.5
LISTED_PAIRS = 20


@dataclass(frozen=True, slots=True)
class AuthorShare:
    """How many of the commits one author made."""

    author: Author
    commits: int


@dataclass(frozen=True, slots=True)
class FileChurn:
    """What happened to one file in the period."""

    path: str
    commits: int
    authors: tuple[AuthorShare, ...]
    """The most active first."""
    added: int
    deleted: int
    first_change: datetime
    last_change: datetime
    days_since_change: float
    churn_score: float
    """From 0 to 1: 0.6 · commits / most commits + 0.4 · changed lines / most changed lines."""
    bus_factor: int
    """How many authors, the most active first, made more than half of the commits."""


@dataclass(frozen=True, slots=True)
class FilePair:
    """Two files that change together; commits of more than 50 files are not counted."""

    first: str
    """The one that rarely changes without the other."""
    second: str
    support: int
    """How many commits changed both."""
    confidence: float
    """Which part of the commits that changed the first changed the second too."""


@dataclass(frozen=True, slots=True)
class ChurnReport:
    """The churn of a folder in a period."""

    since: datetime | None
    until: datetime
    commits: int
    merges: int
    authors: tuple[AuthorShare, ...]
    added: int
    deleted: int
    files: tuple[FileChurn, ...]
    """The most changed first."""
    hotspots: tuple[FileChurn, ...]
    stable: tuple[FileChurn, ...]
    pairs: tuple[FilePair, ...]
    removed_files: int
    """Files that changed in the period, are gone, and are left out."""
    is_shallow: bool


def churn_report(history: History, existing_paths: Collection[str] | None = None) -> ChurnReport:
    """Measure churn over the files that exist; None means all that ever changed."""
    tallies = _tally(history.commits)
    kept = tallies if existing_paths is None else _only(tallies, frozenset(existing_paths))
    files = _score(kept, history.until)
    steady = (file for file in files if file.churn_score < STABLE_BELOW)
    merges = sum(commit.is_merge for commit in history.commits)
    return ChurnReport(
        since=history.since,
        until=history.until,
        commits=len(history.commits) - merges,
        merges=merges,
        authors=_shares(Counter(it.author for it in history.commits if not it.is_merge)),
        added=sum(file.added for file in files),
        deleted=sum(file.deleted for file in files),
        files=files,
        hotspots=tuple(file for file in files[:LISTED] if file.churn_score > HOTSPOT_ABOVE),
        stable=tuple(nsmallest(LISTED, steady, key=lambda file: (file.churn_score, file.path))),
        pairs=coupled_files(history.commits, kept),
        removed_files=len(tallies) - len(kept),
        is_shallow=history.is_shallow,
    )


def coupled_files(
    commits: Iterable[Commit],
    paths: Collection[str],
    *,
    min_support: int = MIN_SUPPORT,
    min_confidence: float = MIN_CONFIDENCE,
    limit: int = LISTED_PAIRS,
) -> tuple[FilePair, ...]:
    """Find the files that change together most often."""
    small = [
        [file.path for file in commit.files if file.path in paths]
        for commit in commits
        if len(commit.files) <= MAX_FILES_TOGETHER
    ]
    often = {
        path: count
        for path, count in Counter(chain.from_iterable(small)).items()
        if count >= min_support
    }
    groups: dict[str, list[list[str]]] = {path: [] for path in sorted(often)}
    for together in small:
        frequent = [path for path in together if path in often]
        for path in frequent:
            groups[path].append(frequent)
    pairs = (
        pair
        for pair in _pairs(groups, often)
        if pair.support >= min_support and pair.confidence >= min_confidence
    )
    return tuple(nsmallest(limit, pairs, key=_pair_order))


def _pair_order(pair: FilePair) -> tuple[int, float, str, str]:
    return -pair.support, -pair.confidence, pair.first, pair.second


def _pairs(
    groups: Mapping[str, Sequence[Sequence[str]]], commits: Mapping[str, int]
) -> Iterator[FilePair]:
    """Count one file's companions at a time: all pairs at once may not fit in memory."""
    for path, group in groups.items():
        for other, support in Counter(chain.from_iterable(group)).items():
            if other > path:
                first, second = sorted((path, other), key=lambda it: (commits[it], it))
                yield FilePair(first, second, support, support / commits[first])


@dataclass(slots=True)
class _Tally:
    first_change: datetime
    last_change: datetime
    commits: int = 0
    added: int = 0
    deleted: int = 0
    authors: Counter[Author] = field(default_factory=Counter)


def _tally(commits: Iterable[Commit]) -> dict[str, _Tally]:
    tallies: dict[str, _Tally] = {}
    for commit in commits:
        for file in commit.files:
            tally = tallies.get(file.path)
            if tally is None:
                tally = tallies[file.path] = _Tally(commit.time, commit.time)
            tally.first_change = min(tally.first_change, commit.time)
            tally.last_change = max(tally.last_change, commit.time)
            tally.commits += 1
            tally.added += file.added or 0
            tally.deleted += file.deleted or 0
            tally.authors[commit.author] += 1
    return tallies


def _only(tallies: Mapping[str, _Tally], paths: frozenset[str]) -> dict[str, _Tally]:
    return {path: tally for path, tally in tallies.items() if path in paths}


def _score(tallies: Mapping[str, _Tally], now: datetime) -> tuple[FileChurn, ...]:
    most_commits = max((it.commits for it in tallies.values()), default=0) or 1
    most_changes = max((it.added + it.deleted for it in tallies.values()), default=0) or 1
    files = []
    for path, tally in tallies.items():
        authors = _shares(tally.authors)
        changes = tally.added + tally.deleted
        by_commits = COMMIT_WEIGHT * tally.commits / most_commits
        by_changes = CHANGE_WEIGHT * changes / most_changes
        files.append(
            FileChurn(
                path=path,
                commits=tally.commits,
                authors=authors,
                added=tally.added,
                deleted=tally.deleted,
                first_change=tally.first_change,
                last_change=tally.last_change,
                days_since_change=max(now - tally.last_change, timedelta()) / timedelta(days=1),
                churn_score=min(1.0, by_commits + by_changes),
                bus_factor=_bus_factor(authors),
            )
        )
    return tuple(sorted(files, key=lambda file: (-file.churn_score, file.path)))


def _shares(commits: Mapping[Author, int]) -> tuple[AuthorShare, ...]:
    ranked = sorted(commits.items(), key=lambda it: (-it[1], it[0].name, it[0].email))
    return tuple(AuthorShare(author, count) for author, count in ranked)


def _bus_factor(ranked: Sequence[AuthorShare]) -> int:
    total = sum(share.commits for share in ranked)
    running = accumulate(share.commits for share in ranked)
    return sum(1 for reached in running if 2 * reached <= total) + 1
