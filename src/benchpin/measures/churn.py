"""How much and how often files change, who changes them, and which change together."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from heapq import nsmallest
from itertools import chain
from typing import Annotated

from pydantic import PlainSerializer

from benchpin.core.own_files import SIDECAR_SUFFIX
from benchpin.core.text import utf8
from benchpin.measures.history import Commit, CommittedFile, History

COMMIT_WEIGHT = 0.6
HOTSPOT_ABOVE = 0.5
STABLE_BELOW = 0.1
LISTED = 10
MAX_AUTHORS = 5
# Bigger commits, such as a reformatting, say nothing about which files belong together.
MAX_FILES_TOGETHER = 50
# The periods to try when none was given and nothing changed in the default one.
WIDER_DAYS = (90, 365, 3_650, 36_500)
MIN_SHARED_COMMITS = 3
MIN_DEGREE = 0.5
_SHALLOW = "a part of the period: the clone is shallow"
_NO_CONTENTS = (
    "changed lines, so that scores are of commits alone, and renames with edits: the clone has no "
    "contents of past files"
)

# A path or author as git has it; bytes that are not UTF-8 are escaped when it is sent.
Name = Annotated[str, PlainSerializer(utf8, return_type=str)]


def rounded(ratio: float) -> float:
    """Return a score, share or degree as it is published; it is ranked by its exact value."""
    return round(ratio, 4)


Ratio = Annotated[float, PlainSerializer(rounded, return_type=float)]


@dataclass(frozen=True, slots=True)
class AuthorShare:
    """How many of the commits one author made."""

    name: Name
    commits: int
    share: Ratio
    """From 0 to 1."""


@dataclass(frozen=True, slots=True)
class FileChurn:
    """The changes of one file in the period, under all names that it had."""

    path: Name
    commit_count: int
    additions: int | None
    """Lines; None for a binary file, or where the clone lacks its contents."""
    deletions: int | None
    """Lines; None for a binary file, or where the clone lacks its contents."""
    churn_score: Ratio
    """From 0 to 1: 0.6 · commits / most commits + 0.4 · changed lines / most changed lines.

    Where lines are missing, commits / most commits.
    """
    unique_authors: int
    authors: tuple[AuthorShare, ...]
    """The five most active."""
    first_seen: datetime
    """The first change in the period."""
    last_modified: datetime
    """The last change in the period."""
    days_since_change: int
    coupled_files: int
    """How many files change together with it."""


@dataclass(frozen=True, slots=True)
class CoupledFiles:
    """Two files that change together; commits of more than 50 files are not counted."""

    first: Name
    second: Name
    shared_commits: int
    """How many commits changed both."""
    degree: Ratio
    """From 0 to 1: shared commits / the mean of both files' commits, as in code-maat."""


@dataclass(frozen=True, slots=True)
class ChurnSummary:
    """The period as a whole."""

    total_commits: int
    """Commits, without merges, that changed a selected file, also one that was removed since."""
    total_files_changed: int
    additions: int
    deletions: int
    removed_files: int
    """Files that changed in the period and were removed; they are left out."""
    unique_authors: int
    author_contributions: tuple[AuthorShare, ...]
    """The five most active authors, as .mailmap names them."""
    hotspot_files: tuple[Name, ...]
    """Those of the ten most changed files with a score above 0.5."""
    stable_files: tuple[Name, ...]
    """The ten least changed files with a score below 0.1."""


@dataclass(frozen=True, slots=True)
class Churn:
    """The churn of some files in a period."""

    summary: ChurnSummary
    files: tuple[FileChurn, ...]
    """The most changed first."""
    coupling: tuple[CoupledFiles, ...]
    """The most often changed together first."""
    gaps: tuple[str, ...] = ()
    """What the clone lacks of the period."""


def measure_churn(
    history: History, now: datetime, is_selected: Callable[[str], bool] = lambda _path: True
) -> Churn:
    """Measure the churn of the files that are selected and still exist, without sidecars."""
    selected = {
        path
        for path in {file.path for commit in history.commits for file in commit.files}
        if not path.endswith(SIDECAR_SUFFIX) and is_selected(path)
    }
    commits = [it for it in history.commits if any(file.path in selected for file in it.files)]
    existing = selected & history.existing
    coupling = coupled_files(commits, existing)
    lacks_lines = not all(it.is_counted for it in commits)
    commit_weight = 1.0 if lacks_lines else COMMIT_WEIGHT  # lines of some files only would mislead
    files = _score(_tally(commits, existing), coupling, now, commit_weight)
    stable = (file for file in files if file.churn_score < STABLE_BELOW)
    least = nsmallest(LISTED, stable, key=lambda file: (file.churn_score, file.path))
    authors = Counter(commit.author for commit in commits)
    summary = ChurnSummary(
        total_commits=len(commits),
        total_files_changed=len(files),
        additions=sum(file.additions or 0 for file in files),
        deletions=sum(file.deletions or 0 for file in files),
        removed_files=len(selected) - len(existing),
        unique_authors=len(authors),
        author_contributions=_most_active(authors),
        hotspot_files=tuple(it.path for it in files[:LISTED] if it.churn_score > HOTSPOT_ABOVE),
        stable_files=tuple(file.path for file in least),
    )
    gaps = ((_SHALLOW, history.is_shallow), (_NO_CONTENTS, lacks_lines))
    return Churn(summary, files, coupling, tuple(said for said, is_true in gaps if is_true))


def coupled_files(commits: Iterable[Commit], paths: Collection[str]) -> tuple[CoupledFiles, ...]:
    """Find the files that often change together, the most often first."""
    small = [
        [file.path for file in commit.files if file.path in paths]
        for commit in commits
        if len(commit.files) <= MAX_FILES_TOGETHER
    ]
    counts = Counter(chain.from_iterable(small))
    # A file with fewer commits cannot share enough of them: this drops most files at once.
    often = {path: count for path, count in counts.items() if count >= MIN_SHARED_COMMITS}
    companions: dict[str, list[list[str]]] = {path: [] for path in sorted(often)}
    for together in small:
        frequent = [path for path in together if path in often]
        for at, path in enumerate(frequent):
            companions[path].append(frequent[at + 1 :])
    found = (
        pair
        for pair in _pairs(companions, often)
        if pair.shared_commits >= MIN_SHARED_COMMITS and pair.degree >= MIN_DEGREE
    )
    return tuple(sorted(found, key=_pair_order))


def _pair_order(pair: CoupledFiles) -> tuple[int, float, str, str]:
    return -pair.shared_commits, -pair.degree, pair.first, pair.second


def _pairs(
    companions: Mapping[str, Sequence[Sequence[str]]], commits: Mapping[str, int]
) -> Iterator[CoupledFiles]:
    """Count one file's companions at a time: all pairs at once may not fit in memory."""
    for path, groups in companions.items():
        for other, shared in Counter(chain.from_iterable(groups)).items():
            yield CoupledFiles(path, other, shared, 2 * shared / (commits[path] + commits[other]))


@dataclass(slots=True)
class _Tally:
    first_change: datetime
    last_change: datetime
    commits: int = 0
    additions: int | None = None
    deletions: int | None = None
    authors: Counter[str] = field(default_factory=Counter)

    @property
    def changes(self) -> int:
        return (self.additions or 0) + (self.deletions or 0)

    def add(self, commit: Commit, file: CommittedFile) -> None:
        self.first_change = min(self.first_change, commit.time)
        self.last_change = max(self.last_change, commit.time)
        self.commits += 1
        self.authors[commit.author] += 1
        if file.added is not None and file.deleted is not None:
            self.additions = (self.additions or 0) + file.added
            self.deletions = (self.deletions or 0) + file.deleted


def _tally(commits: Iterable[Commit], paths: Collection[str]) -> dict[str, _Tally]:
    tallies: dict[str, _Tally] = {}
    for commit in commits:
        for file in commit.files:
            if file.path in paths:
                tally = tallies.get(file.path)
                if tally is None:
                    tally = tallies[file.path] = _Tally(commit.time, commit.time)
                tally.add(commit, file)
    return tallies


def _score(
    tallies: Mapping[str, _Tally],
    coupling: Iterable[CoupledFiles],
    now: datetime,
    commit_weight: float,
) -> tuple[FileChurn, ...]:
    most_commits = max((it.commits for it in tallies.values()), default=0) or 1
    most_changes = max((it.changes for it in tallies.values()), default=0) or 1
    coupled = Counter(path for pair in coupling for path in (pair.first, pair.second))
    files = [
        FileChurn(
            path=path,
            commit_count=it.commits,
            additions=it.additions,
            deletions=it.deletions,
            churn_score=min(
                1.0,  # the weights may add up to a little more by rounding
                commit_weight * it.commits / most_commits
                + (1 - commit_weight) * it.changes / most_changes,
            ),
            unique_authors=len(it.authors),
            authors=_most_active(it.authors),
            first_seen=it.first_change,
            last_modified=it.last_change,
            days_since_change=max(now - it.last_change, timedelta()).days,
            coupled_files=coupled[path],
        )
        for path, it in tallies.items()
    ]
    return tuple(sorted(files, key=lambda file: (-file.churn_score, file.path)))


def _most_active(commits: Counter[str]) -> tuple[AuthorShare, ...]:
    total = commits.total()
    ranked = sorted(commits.items(), key=lambda it: (-it[1], it[0]))
    return tuple(AuthorShare(name, count, count / total) for name, count in ranked[:MAX_AUTHORS])
