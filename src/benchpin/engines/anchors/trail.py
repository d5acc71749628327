"""Follow lines through what happened to their file, change by change.

Between two states far apart a line may have been edited twice, or have moved and been edited: each
change alone is small, and lines are found again that a comparison of the ends would lose.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

from .comparison import Comparison
from .document import Base, Document
from .moves import ChangedFile
from .placement import Layer, Orphan, Outcome, Placement

_LAYERS = tuple(Layer)
_UNCHANGED = _LAYERS.index(Layer.DIFF)
_KEPT_TEXTS = 128
_ABBREVIATION = 10

ReadText = Callable[[str, str], Document | None]
"""From a path and a blob id to the text; None when it cannot be had."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What one commit did to one file; a path and an id are empty where there was none."""

    old_path: str
    new_path: str
    old_id: str
    new_id: str


@dataclass(frozen=True, slots=True)
class Step:
    """One commit, by what it changed."""

    commit: str
    changes: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True)
class Sighting:
    """Where a line was last seen, and the least sure of the layers that led there."""

    path: str
    line: int
    text: Base
    layer: Layer = Layer.SAME
    reason: str = ""

    def then(self, found: Outcome, where: str = "") -> Outcome:
        """Return what became of the line next, by the least sure layer so far."""
        if isinstance(found, Orphan):
            return Orphan(found.reason + where, found.suggestions, found.path)
        if _LAYERS.index(found.layer) > max(_LAYERS.index(self.layer), _UNCHANGED):
            return Placement(found.path, found.line, found.layer, found.reason + where)
        layer = max(self.layer, Layer.DIFF, key=_LAYERS.index)
        return Placement(found.path, found.line, layer, self.reason)


class Trail:
    """The commits since anchors were made, oldest first, and the texts in them."""

    def __init__(self, steps: Sequence[Step], read: ReadText) -> None:
        self._steps = steps
        self._read_once = lru_cache(_KEPT_TEXTS)(read)

    @cached_property
    def changed_files(self) -> list[ChangedFile]:
        """Return the files that are not what they were before the first step."""
        net: dict[str, FileChange] = {}
        for step in self._steps:
            before = {it.old_path: net.pop(it.old_path, it) for it in step.changes}
            for it in step.changes:
                first = before[it.old_path] if it.old_path else it
                net[it.new_path] = FileChange(first.old_path, it.new_path, first.old_id, it.new_id)
        net.pop("", None)
        return self._changed_files(net.values())

    def current_path(self, path: str) -> str:
        """Return where a file is after all steps, or where it was last."""
        for step in self._steps:
            path = next((it.new_path for it in step.changes if it.old_path == path), path) or path
        return path

    def follow(self, path: str, base: Base, lines: Iterable[int]) -> dict[int, Sighting | Orphan]:
        """Return where lines of a text are after all steps."""
        seen: dict[int, Sighting | Orphan] = {line: Sighting(path, line, base) for line in lines}
        for step in self._steps:
            touched = {it.old_path: it for it in step.changes if it.old_path}
            live = {
                line: it
                for line, it in seen.items()
                if isinstance(it, Sighting) and it.path in touched
            }
            if live:
                seen |= self._take(step, touched, live)
        return seen

    def _take(
        self, step: Step, touched: dict[str, FileChange], live: dict[int, Sighting]
    ) -> dict[int, Sighting | Orphan]:
        """Return where lines are after one step."""
        elsewhere = self._changed_files(step.changes)
        where = f", in commit {step.commit[:_ABBREVIATION]}"
        comparisons: dict[tuple[str, str], Comparison] = {}
        found: dict[int, Sighting | Orphan] = {}
        for line, sighting in live.items():
            change = touched[sighting.path]
            new = self._read(change.new_path, change.new_id)
            if new is None and change.new_id:
                found[line] = replace(sighting, path=change.new_path)
                continue
            key = (sighting.path, sighting.text.blob_id)
            if key not in comparisons:
                path = change.new_path or change.old_path
                comparisons[key] = Comparison(path, sighting.text, new, elsewhere)
            outcome = sighting.then(comparisons[key].find(sighting.line), where)
            found[line] = self._seen(step, outcome)
        return found

    def _read(self, path: str, blob_id: str) -> Document | None:
        return self._read_once(path, blob_id) if blob_id else None

    def _seen(self, step: Step, found: Outcome) -> Sighting | Orphan:
        if isinstance(found, Orphan):
            return found
        new_id = next(it.new_id for it in step.changes if it.new_path == found.path)
        text = self._read(found.path, new_id)
        if text is None:
            return Orphan("its text is not in the repository")
        return Sighting(found.path, found.line, text, found.layer, found.reason)

    def _changed_files(self, changes: Iterable[FileChange]) -> list[ChangedFile]:
        return [
            ChangedFile(
                it.new_path,
                partial(self._read, it.new_path, it.new_id),
                partial(self._read, it.old_path, it.old_id),
            )
            for it in changes
            if it.new_id
        ]
