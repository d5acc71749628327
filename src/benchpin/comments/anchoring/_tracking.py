"""Find the present places of the comments of a file, and remember them while nothing changes."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from benchpin.comments import Marker, PlacedComment, Sidecar, State, StoredComment, read_time
from benchpin.workspace.files import Stamp, is_racy, stamp_of

from ._anchor import GONE, Anchor, Layer, Orphan, Outcome, Placement, SketchedText, Suggestion
from ._git_history import GitHistory
from ._reanchor import line_by_name, place_by_context, reanchor
from ._source_files import SourceFiles
from ._tracked_text import TrackedText, open_text

# How many files are remembered.
_ROOM = 8_192
_ASSUMED = "only its line number is known"
_LONG_AGO = datetime.fromtimestamp(0, UTC)
_NO_SYMBOL = ("", "")

# The keys are comment ids, in the order of the sidecar.
PlacedComments = Mapping[str, PlacedComment]


@dataclass(frozen=True, slots=True)
class _Places:
    """Remembered places of the comments of a file."""

    fingerprint: str
    """Of the sidecar."""
    comments: PlacedComments
    is_settled: bool
    """Whether they depend on this file alone; an orphan may turn up in any other file."""


class CommentTracker:
    """Places comments during one call."""

    def __init__(self, files: SourceFiles, history: GitHistory) -> None:
        self._files = files
        self._history = history

    def place(self, sidecar: Sidecar) -> PlacedComments:
        return self.place_unread(sidecar.path, sidecar.fingerprint, lambda: sidecar)

    def place_unread(
        self, path: str, fingerprint: str, read_sidecar: Callable[[], Sidecar]
    ) -> PlacedComments:
        """Return the comments of a file; its sidecar and text are not read while they are the same.

        The fingerprint is that of the sidecar.
        """
        now_ns = time.time_ns()
        stamp: Stamp = ()
        with suppress(OSError):
            # Not Path.__truediv__, which takes as long as the rest: there may be 5,000 files.
            stamp = stamp_of(os.lstat(f"{self._files.root}/{path}"))
        state: Stamp | str = stamp
        if not stamp or is_racy(stamp, now_ns):  # the times of a new file prove nothing
            new = self._files.read_now(path)
            state = "" if new is None else new.blob_id
        return self._files.session.remember(
            self._files.job,
            "places of comments",
            (path, fingerprint, state),
            lambda: self._find(read_sidecar()),
            room=_ROOM,
            is_current=lambda it: it.is_settled and it.fingerprint == fingerprint,
        ).comments

    def _find(self, sidecar: Sidecar) -> _Places:
        new = self._files.read_now(sidecar.path)
        outcomes = self._place_markers(sidecar, new)
        shown: dict[str, PlacedComment] = {}
        for comment in sidecar.comments:
            marker = sidecar.marker_of.get(comment.id)
            if marker is None or marker.anchor is None:
                placed = _place_by_number(comment, marker, new)
            else:
                outcome = outcomes[marker.id]
                symbol = self._symbol(marker.anchor, outcome)
                placed = _place_by_anchor(comment, marker, outcome, symbol)
            shown[placed.id] = self._readable(comment, placed)
        for what in self._history.left_out:  # also for an earlier file, whose answers are reused
            self._files.job.leave_out(what)
        if any(it.is_orphaned for it in shown.values()):
            why = self._files.why_unreadable(sidecar.path)
            shown = {key: _explained(it, why) for key, it in shown.items()}
        is_settled = not any(
            it.is_orphaned or it.file_path != sidecar.path for it in shown.values()
        )
        return _Places(sidecar.fingerprint, shown, is_settled)

    def _place_markers(self, sidecar: Sidecar, new: TrackedText | None) -> dict[str, Outcome]:
        """Return the outcomes by marker; anchors that were made in one text are placed together."""
        path = sidecar.path
        groups: dict[tuple[str, str, str], list[tuple[str, Anchor]]] = {}
        for marker in sidecar.markers:
            if marker.anchor is not None:
                key = (marker.anchor.blob_id, marker.anchor.commit, marker.origin or path)
                groups.setdefault(key, []).append((marker.id, marker.anchor))
        found: dict[str, Outcome] = {}
        for (_, _, origin), members in groups.items():
            anchors = [anchor for _, anchor in members]
            outcomes = self._place_anchors(origin, anchors, sidecar)
            if origin != path:  # they moved here with their code, and may still be where it was
                outcomes = [
                    place_by_context(anchor, path, new, least_ratio=1.0)
                    if isinstance(it, Orphan) and it.path != path
                    else it
                    for anchor, it in zip(anchors, outcomes, strict=True)
                ]
            found |= {marker_id: it for (marker_id, _), it in zip(members, outcomes, strict=True)}
        return found

    def _place_anchors(self, path: str, anchors: list[Anchor], sidecar: Sidecar) -> list[Outcome]:
        """Place anchors that were made in one text of a file."""
        read_now, history = self._files.read_now, self._history
        new = read_now(path)
        if new is not None and anchors[0].blob_id == new.blob_id:
            return [_unmoved(path, anchor, new) for anchor in anchors]
        base = self._base(path, anchors, sidecar)
        commits = history.of(path).commits(anchors[0].commit)
        found = reanchor(path, anchors, base, read_now, commits=commits)
        if not any(isinstance(it, Orphan) for it in found):
            return found
        size_bytes = len(base.text) if new is None and base is not None and base.text else None
        elsewhere = history.uncommitted(path, min(_times(sidecar), default=_LONG_AGO), size_bytes)
        if new is None and base is not None:
            known = {it.path for it in elsewhere}
            elsewhere += [it for it in history.renamed(path, base) if it.path not in known]
        if not elsewhere:
            return found
        return reanchor(path, anchors, base, read_now, commits=commits, elsewhere=elsewhere)

    def _base(self, path: str, anchors: list[Anchor], sidecar: Sidecar) -> TrackedText | None:
        """Return the text in which anchors were made: from git, or its sketch."""
        blob_id = anchors[0].blob_id
        text = self._history.of(path).read(blob_id) if blob_id else None
        if text is not None:
            return open_text(path, text)
        sketch = sidecar.sketches.get(blob_id)
        if not isinstance(sketch, str):
            return None
        try:
            return SketchedText(blob_id, sketch, anchors)
        except ValueError:  # it is damaged
            return None

    def _symbol(self, anchor: Anchor, outcome: Outcome) -> tuple[str, str]:
        """Return path and kind of the symbol around a line: the present one where it is known."""
        stored = anchor.symbol, anchor.symbol_kind
        if isinstance(outcome, Orphan) or outcome.layer is Layer.SAME:
            return stored
        new = self._files.read_now(outcome.path)
        return stored if new is None or not new.symbols else _symbol_at(new, outcome.line)

    def _readable(self, comment: StoredComment, placed: PlacedComment) -> PlacedComment:
        """Mention no file that may not be read."""
        if placed.file_path == comment.path and not placed.suggestions:
            return placed  # most comments: the file itself may be read
        if not self._files.may_read(placed.file_path):
            reason = "it moved to a file that may not be read"
            return _placed(comment, comment.path, 0, "orphaned", reason=reason)
        visible = tuple(it for it in placed.suggestions if self._files.may_read(it.file_path))
        return placed if visible == placed.suggestions else replace(placed, suggestions=visible)


def _explained(placed: PlacedComment, why: str) -> PlacedComment:
    """Put the reason why the whole file cannot be read before that of an orphan."""
    if not why or not placed.is_orphaned:
        return placed
    reason = why if placed.reason in {None, GONE} else f"{why}; {placed.reason}"
    return replace(placed, reason=reason)


def _unmoved(path: str, anchor: Anchor, new: TrackedText) -> Outcome:
    if anchor.line > len(new.lines):
        return Orphan("the file has no such line")
    return Placement(path, anchor.line, Layer.SAME)


def _times(sidecar: Sidecar) -> Iterable[datetime]:
    return (found for it in sidecar.comments if (found := read_time(it.created)) is not None)


def _symbol_at(text: TrackedText, line: int) -> tuple[str, str]:
    found = text.symbol_at(line)
    return _NO_SYMBOL if found is None else (found.path, found.kind)


def _place_by_anchor(
    comment: StoredComment, marker: Marker, outcome: Outcome, symbol: tuple[str, str]
) -> PlacedComment:
    if isinstance(outcome, Orphan):
        return _placed(
            comment,
            comment.path,
            marker.line,
            "orphaned",
            reason=outcome.reason,
            suggestions=outcome.suggestions,
            symbol=symbol,
        )
    path, line = outcome.path, outcome.line
    if marker.is_assumed:
        return _placed(comment, path, line, "unverified", reason=_ASSUMED, symbol=symbol)
    return _placed(
        comment,
        path,
        line,
        "kept" if (path, line) == (comment.path, marker.line) else "moved",
        reason=outcome.reason,
        symbol=symbol,
        layer=outcome.layer.value,
        confidence=outcome.confidence,
    )


def _place_by_number(
    comment: StoredComment, marker: Marker | None, new: TrackedText | None
) -> PlacedComment:
    """Place a comment without an anchor by its line number and the name of its symbol."""
    path, name = comment.path, "" if marker is None else marker.symbol
    if new is None:
        return _placed(comment, path, comment.line, "orphaned", reason=GONE)
    line = line_by_name(name, comment.line, new) if name else comment.line
    if not 1 <= line <= len(new.lines):
        reason = "the file has no such line"
        return _placed(comment, path, comment.line, "orphaned", reason=reason)
    symbol = _symbol_at(new, line) if name else _NO_SYMBOL
    reason = _ASSUMED if line == comment.line else f"the start of {name}; its text is unknown"
    return _placed(comment, path, line, "unverified", reason=reason, symbol=symbol)


def _placed(
    comment: StoredComment,
    path: str,
    line: int,
    state: State,
    *,
    reason: str,
    suggestions: tuple[Suggestion, ...] = (),
    symbol: tuple[str, str] = _NO_SYMBOL,
    layer: str = "",
    confidence: float | None = None,
) -> PlacedComment:
    return PlacedComment(
        id=comment.id,
        file_path=path,
        line=line,
        text=comment.text,
        tag=comment.tag,
        author=comment.author,
        created=comment.created,
        updated=comment.updated,
        status=comment.status,
        is_orphaned=state == "orphaned",
        state=state,
        symbol=symbol[0],
        symbol_kind=symbol[1],
        confidence=confidence,
        ghost_marker_id=comment.marker_id or None,
        reply_to=comment.reply_to or None,
        resolved_by=comment.resolved_by or None,
        resolved_at=comment.resolved_at or None,
        ai_meta=comment.ai_meta,
        reason=reason or None,
        suggestions=suggestions,
        extra=comment.extra,
        layer=layer,
    )
