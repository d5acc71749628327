"""Trace lines through the commits that changed their file.

Between two states far apart a line may have been edited twice, or moved and edited. Each commit
alone is a small change, so lines are found that a direct comparison would lose.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

from ._anchor import LastPlace, Layer, Orphan, Outcome, Placement
from ._comparison import TextComparison
from ._moves import MoveTarget
from ._tracked_text import TrackedText

_LAYERS = tuple(Layer)
_UNCHANGED = _LAYERS.index(Layer.DIFF)
_KEPT_TEXTS = 128
_ABBREVIATION = 10

# It takes a path and a blob id and returns the text; None when it cannot be read.
ReadText = Callable[[str, str], TrackedText | None]


@dataclass(frozen=True, slots=True)
class BlobChange:
    """One file in one commit; path and id are empty where the file did not exist."""

    old_path: str
    new_path: str
    old_id: str
    new_id: str


@dataclass(frozen=True, slots=True)
class CommitChanges:
    """The files that one commit changed."""

    commit: str
    changes: tuple[BlobChange, ...]


@dataclass(frozen=True, slots=True)
class TracedLine:
    """The last known place of a line, and the least reliable layer on the way there."""

    path: str
    line: int
    text: TrackedText
    layer: Layer = Layer.SAME
    reason: str = ""

    def outcome(self, found: Outcome, commit: str = "") -> Outcome:
        """Return the next place of the line, with the least reliable layer so far.

        The commit is the one between the two places; empty for uncommitted changes.
        """
        where = f", in commit {commit[:_ABBREVIATION]}" if commit else ""
        if isinstance(found, Orphan):
            last = LastPlace(self.path, self.line, commit)
            return Orphan(found.reason + where, found.suggestions, found.path, last)
        if _LAYERS.index(found.layer) > max(_LAYERS.index(self.layer), _UNCHANGED):
            return Placement(found.path, found.line, found.layer, found.reason + where)
        layer = max(self.layer, Layer.DIFF, key=_LAYERS.index)
        return Placement(found.path, found.line, layer, self.reason)


class CommitRange:
    """The commits since anchors were made, oldest first, and the texts in them."""

    def __init__(self, commits: Sequence[CommitChanges], read: ReadText) -> None:
        self._commits = commits
        self._read_once = lru_cache(_KEPT_TEXTS)(read)

    @cached_property
    def changed_files(self) -> list[MoveTarget]:
        """The files that differ between the start and the end of the range."""
        net: dict[str, BlobChange] = {}
        for commit in self._commits:
            before = {it.old_path: net.pop(it.old_path, it) for it in commit.changes}
            for change in commit.changes:
                first = before[change.old_path] if change.old_path else change
                net[change.new_path] = BlobChange(
                    first.old_path, change.new_path, first.old_id, change.new_id
                )
        net.pop("", None)
        return self._changed_files(net.values())

    def current_path(self, path: str) -> str:
        """Return the path of a file after all commits; its last one when it was deleted."""
        for commit in self._commits:
            path = next((it.new_path for it in commit.changes if it.old_path == path), path) or path
        return path

    def trace(
        self, path: str, base: TrackedText, lines: Iterable[int]
    ) -> dict[int, TracedLine | Orphan]:
        """Return the places of lines of a text after all commits."""
        traced: dict[int, TracedLine | Orphan] = {
            line: TracedLine(path, line, base) for line in lines
        }
        for commit in self._commits:
            touched = {it.old_path: it for it in commit.changes if it.old_path}
            live = {
                line: it
                for line, it in traced.items()
                if isinstance(it, TracedLine) and it.path in touched
            }
            if live:
                traced |= self._apply(commit, touched, live)
        return traced

    def _apply(
        self, commit: CommitChanges, touched: dict[str, BlobChange], live: dict[int, TracedLine]
    ) -> dict[int, TracedLine | Orphan]:
        """Return the places of lines after one commit."""
        elsewhere = self._changed_files(commit.changes)
        comparisons: dict[tuple[str, str], TextComparison] = {}
        found: dict[int, TracedLine | Orphan] = {}
        for line, last in live.items():
            change = touched[last.path]
            new = self._read(change.new_path, change.new_id)
            if new is None and change.new_id:
                # A partial clone lacks the text: compare with the next one that is there.
                found[line] = replace(last, path=change.new_path)
                continue
            key = (last.path, last.text.blob_id)
            if key not in comparisons:
                path = change.new_path or change.old_path
                comparisons[key] = TextComparison(path, last.text, new, elsewhere)
            outcome = last.outcome(comparisons[key].find(last.line), commit.commit)
            found[line] = self._traced(commit, outcome)
        return found

    def _read(self, path: str, blob_id: str) -> TrackedText | None:
        return self._read_once(path, blob_id) if blob_id else None

    def _traced(self, commit: CommitChanges, found: Outcome) -> TracedLine | Orphan:
        if isinstance(found, Orphan):
            return found
        new_id = next(it.new_id for it in commit.changes if it.new_path == found.path)
        text = self._read(found.path, new_id)
        if text is None:
            return Orphan("its text is not in the repository")
        return TracedLine(found.path, found.line, text, found.layer, found.reason)

    def _changed_files(self, changes: Iterable[BlobChange]) -> list[MoveTarget]:
        return [
            MoveTarget(
                it.new_path,
                partial(self._read, it.new_path, it.new_id),
                partial(self._read, it.old_path, it.old_id),
            )
            for it in changes
            if it.new_id
        ]
