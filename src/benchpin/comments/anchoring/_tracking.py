"""Find the present places of the comments of a file, and remember them while nothing changes."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import NamedTuple

from benchpin.comments import Marker, PlacedComment, Sidecar, State, StoredComment, read_time
from benchpin.workspace.files import Stamp, is_racy, stamp_of

from ._anchor import (
    GONE,
    Anchor,
    LastPlace,
    Layer,
    Orphan,
    Outcome,
    Placement,
    SketchedText,
    Suggestion,
)
from ._code_state import (
    CodeChange,
    around,
    change_of,
    has_changed,
    old_span,
    quotes_in,
    span_now,
    words_of,
)
from ._git_history import GitHistory
from ._reanchor import line_by_name, place_by_context, reanchor
from ._source_files import SourceFiles
from ._tracked_text import TrackedText, open_text

# How many files are remembered.
_ROOM = 8_192
_ASSUMED = "only its line number is known"
_LONG_AGO = datetime.fromtimestamp(0, UTC)
_NO_SYMBOL = ("", "")
# The name in place of a file's under which the notes on a folder are stored.
FOLDER = ".folder"

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


class _Found(NamedTuple):
    """The outcome of an anchor, and the text in which it was made."""

    outcome: Outcome
    base: TrackedText | None


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
        if PurePosixPath(sidecar.path).name == FOLDER:
            return _Places(sidecar.fingerprint, self._place_on_folder(sidecar), is_settled=False)
        new = self._files.read_now(sidecar.path)
        found = self._place_markers(sidecar, new)
        shown: dict[str, PlacedComment] = {}
        for comment in sidecar.comments:
            marker = sidecar.marker_of.get(comment.id)
            if marker is None or marker.anchor is None:
                placed = _place_by_number(comment, marker, new)
            else:
                placed = self._place_by_anchor(comment, marker, marker.anchor, found[marker.id])
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

    def changes(self, sidecar: Sidecar, placed: PlacedComments) -> PlacedComments:
        """Return placed comments with the old and the new lines of those whose code changed."""
        found: dict[str, PlacedComment] = {}
        for comment in placed.values():
            change = self._change(sidecar, comment) if comment.state == "changed" else None
            found[comment.id] = comment if change is None else replace(comment, change=change)
        return found

    def _change(self, sidecar: Sidecar, comment: PlacedComment) -> CodeChange | None:
        marker, new = sidecar.marker_of.get(comment.id), self._files.read_now(comment.file_path)
        if marker is None or marker.anchor is None or new is None:
            return None
        base = self._base(marker.origin or sidecar.path, [marker.anchor], sidecar)
        return change_of(marker.anchor, base, new, comment.line, marker.scope)

    def _place_on_folder(self, sidecar: Sidecar) -> dict[str, PlacedComment]:
        """Return the notes on a folder: it changed when the names in it are not the same."""
        folder = str(PurePosixPath(sidecar.path).parent)
        entries = self._files.entries(folder)
        shown = {}
        for comment in sidecar.comments:
            marker = sidecar.marker_of.get(comment.id)
            state: State = "unverified"
            reason = ""
            if not (self._files.root / folder).is_dir() or (
                not entries and marker is not None and marker.entries
            ):
                state, reason = "gone", "the folder is gone"
            elif marker is not None and marker.scope == "folder":
                added = sorted(set(entries) - set(marker.entries))
                removed = sorted(set(marker.entries) - set(entries))
                parts = [f"added {', '.join(added)}"] if added else []
                parts += [f"removed {', '.join(removed)}"] if removed else []
                reason = "; ".join(parts)
                has_moved = bool(marker.origin) and marker.origin != folder
                state = "changed" if reason else "moved" if has_moved else "fresh"
            gone = tuple(it for it in comment.quotes or () if it not in entries)
            shown[comment.id] = replace(
                _placed(comment, folder, 0, state, reason=reason),
                scope="folder",
                contradicts=gone if state == "changed" else (),
            )
        return shown

    def _place_markers(self, sidecar: Sidecar, new: TrackedText | None) -> dict[str, _Found]:
        """Return what was found by marker; anchors made in one text are placed together."""
        path = sidecar.path
        groups: dict[tuple[str, str, str], list[tuple[str, Anchor]]] = {}
        for marker in sidecar.markers:
            if marker.anchor is not None:
                key = (marker.anchor.blob_id, marker.anchor.commit, marker.origin or path)
                groups.setdefault(key, []).append((marker.id, marker.anchor))
        found: dict[str, _Found] = {}
        for (_, _, origin), members in groups.items():
            anchors = [anchor for _, anchor in members]
            outcomes, base = self._place_anchors(origin, anchors, sidecar)
            if origin != path:  # they moved here with their code, and may still be where it was
                outcomes = [
                    place_by_context(anchor, path, new, least_ratio=1.0)
                    if isinstance(it, Orphan) and it.path != path
                    else it
                    for anchor, it in zip(anchors, outcomes, strict=True)
                ]
            found |= {
                marker_id: _Found(it, base)
                for (marker_id, _), it in zip(members, outcomes, strict=True)
            }
        return found

    def _place_anchors(
        self, path: str, anchors: list[Anchor], sidecar: Sidecar
    ) -> tuple[list[Outcome], TrackedText | None]:
        """Place anchors that were made in one text of a file; returns that text as well."""
        read_now, history = self._files.read_now, self._history
        new = read_now(path)
        if new is not None and anchors[0].blob_id == new.blob_id:
            return [_unmoved(path, anchor, new) for anchor in anchors], new
        base = self._base(path, anchors, sidecar)
        commits = history.of(path).commits(anchors[0].commit)
        found = reanchor(path, anchors, base, read_now, commits=commits)
        if not any(isinstance(it, Orphan) for it in found):
            return found, base
        size_bytes = len(base.text) if new is None and base is not None and base.text else None
        elsewhere = history.uncommitted(path, min(_times(sidecar), default=_LONG_AGO), size_bytes)
        if new is None and base is not None:
            known = {it.path for it in elsewhere}
            elsewhere += [it for it in history.renamed(path, base) if it.path not in known]
        if elsewhere:
            found = reanchor(path, anchors, base, read_now, commits=commits, elsewhere=elsewhere)
        return found, base

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

    def _place_by_anchor(
        self, comment: StoredComment, marker: Marker, anchor: Anchor, found: _Found
    ) -> PlacedComment:
        """Return a comment with an anchor, and what became of its code."""
        outcome, base = found
        origin = marker.origin or comment.path
        new = self._files.read_now(comment.path if isinstance(outcome, Orphan) else outcome.path)
        stored = anchor.symbol, anchor.symbol_kind
        if marker.scope == "file" and isinstance(outcome, Orphan) and new is not None:
            outcome = Placement(comment.path, 1, Layer.DIFF)  # only its first line is gone
        if isinstance(outcome, Orphan) or new is None:
            lost = outcome if isinstance(outcome, Orphan) else Orphan(GONE)
            placed = _placed(
                comment,
                comment.path,
                marker.line,
                "gone",
                reason=lost.reason,
                suggestions=lost.suggestions,
                symbol=stored,
            )
            last = lost.last or LastPlace(origin, anchor.line)
            return replace(placed, last_place=last, scope=marker.scope, commit=anchor.commit)
        line = 1 if marker.scope == "file" else outcome.line
        is_parsed = outcome.layer is not Layer.SAME and bool(new.symbols)
        state: State = "fresh"
        if has_changed(anchor, base, new, line, marker.scope):
            state = "changed"
        elif (outcome.path, line) != (origin, 1 if marker.scope == "file" else anchor.line):
            state = "moved"
        placed = _placed(
            comment,
            outcome.path,
            line,
            "unverified" if marker.is_assumed else state,
            reason=_ASSUMED if marker.is_assumed else outcome.reason,
            symbol=_symbol_at(new, line) if is_parsed else stored,
            layer="" if marker.is_assumed else outcome.layer.value,
            confidence=None if marker.is_assumed else outcome.confidence,
        )
        gone = self._contradicted(comment, marker, anchor, base, placed)
        return replace(placed, scope=marker.scope, commit=anchor.commit, contradicts=gone)

    def _contradicted(
        self,
        comment: StoredComment,
        marker: Marker,
        anchor: Anchor,
        base: TrackedText | None,
        placed: PlacedComment,
    ) -> tuple[str, ...]:
        """Return the names and numbers in a note that its code had, and has no more."""
        if placed.state != "changed":
            return ()
        new = self._files.read_now(placed.file_path)
        quotes = quotes_in(comment.text) if comment.quotes is None else comment.quotes
        if new is None or not quotes:
            return ()
        if comment.quotes is None:
            old: Iterable[str] = (*anchor.before, anchor.text, *anchor.after)
            if base is not None and base.is_complete:
                old = around(base, old_span(anchor, base, marker.scope))
            known = words_of(old)
            quotes = [it for it in quotes if it in known]
        now = words_of(around(new, span_now(new, placed.line, marker.scope)))
        return tuple(it for it in quotes if it not in now)

    def _readable(self, comment: StoredComment, placed: PlacedComment) -> PlacedComment:
        """Mention no file that may not be read."""
        last = placed.last_place
        if last is not None and not self._files.may_read(last.file_path):
            placed = replace(placed, last_place=None)
        if placed.file_path == comment.path and not placed.suggestions:
            return placed  # most comments: the file itself may be read
        if not self._files.may_read(placed.file_path):
            reason = "it moved to a file that may not be read"
            return _placed(comment, comment.path, 0, "gone", reason=reason)
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


def _place_by_number(
    comment: StoredComment, marker: Marker | None, new: TrackedText | None
) -> PlacedComment:
    """Place a comment without an anchor by its line number and the name of its symbol."""
    path, name = comment.path, "" if marker is None else marker.symbol
    if new is None:
        return _placed(comment, path, comment.line, "gone", reason=GONE)
    line = line_by_name(name, comment.line, new) if name else comment.line
    if not 1 <= line <= len(new.lines):
        reason = "the file has no such line"
        return _placed(comment, path, comment.line, "gone", reason=reason)
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
        is_orphaned=state == "gone",
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
        linked=comment.linked,
        also_says=comment.also_says,
        extra=comment.extra,
        layer=layer,
    )
