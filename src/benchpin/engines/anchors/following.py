"""Say where the comments of a file stand in its present text; what was worked out is kept."""

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Literal

import msgspec

from benchpin.engines.source.excludes import Stamp, is_racy, stamp_of

from .anchor import Anchor
from .context import GONE, line_by_name, place_by_context
from .document import Base, Document, open_document
from .past import Past
from .placement import Layer, Orphan, Outcome, Placement, Suggestion
from .reanchor import reanchor
from .sidecar import Comment, Marker, Sidecar, read_time
from .sketch import Sketch, SketchedBase

_MOST_FOLLOWERS = 4
_MOST_KEPT = 8_192
_ASSUMED = "only its line number is known"
_LONG_AGO = datetime.fromtimestamp(0, UTC)

State = Literal["kept", "moved", "orphaned", "unverified"]
May = Callable[[str], bool]


class Standing(msgspec.Struct, frozen=True):
    """Where a comment stands now."""

    path: str
    line: int
    """The last known one when it is orphaned."""
    state: State
    layer: str = ""
    """By which way it was found."""
    confidence: float | None = None
    """None when it is orphaned, or when only the number of the line was ever written down."""
    reason: str = ""
    suggestions: tuple[Suggestion, ...] = ()
    symbol: str = ""
    """The function or type that it is about; empty outside of any."""
    symbol_kind: str = ""

    @property
    def is_orphaned(self) -> bool:
        """Whether its line is gone."""
        return self.state == "orphaned"


Standings = Mapping[str, Standing]
"""By the id of the comment."""
_Key = tuple[str, str, str]
"""A path, a state of its comments and a text of its own."""


class Follower:
    """Follows files, and remembers what it found as long as nothing changes that it came from."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._kept: OrderedDict[_Key, Standings] = OrderedDict()
        self._seen: dict[tuple[str, str], tuple[Stamp, _Key]] = {}
        """What a file looked like from outside when its text was that of the key."""
        self._lock = Lock()

    def recall(self, path: str, fingerprint: str) -> Standings | None:
        """Return what was found before, if nobody touched the file or its comments since."""
        seen = self._seen.get((path, fingerprint))
        if seen is None or seen[0] != self._stamp(path):
            return None
        return self._take(seen[1])

    def follow(self, path: str, sidecar: Sidecar, past: Past, may: May) -> Standings:
        """Return where each comment of a file stands; `may` says whether a file may be shown."""
        now_ns = time.time_ns()
        stamp = self._stamp(path)
        new = past.read_now(path)
        key = (path, sidecar.fingerprint, "" if new is None else new.blob_id)
        found = self._take(key)
        if found is None:
            found = {
                it: _shown(path, standing, may)
                for it, standing in _follow(path, sidecar, new, past).items()
            }
            if past.is_cut_short or any(it.is_orphaned or it.path != path for it in found.values()):
                return found  # what stands elsewhere, or nowhere, depends on other files
        self._keep(key, found)
        if stamp is not None and not is_racy(stamp, now_ns):
            self._seen[path, sidecar.fingerprint] = (stamp, key)
        return found

    def _stamp(self, path: str) -> Stamp | None:
        try:
            return stamp_of(os.lstat(self._root / path))
        except OSError:
            return None

    def _take(self, key: _Key) -> Standings | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, key: _Key, found: Standings) -> None:
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _MOST_KEPT:
                (path, fingerprint, _), _ = self._kept.popitem(last=False)
                self._seen.pop((path, fingerprint), None)


@lru_cache(_MOST_FOLLOWERS)
def follower_at(root: Path, comments: Path) -> Follower:
    """Return the follower of a workspace; a server keeps it from call to call."""
    del comments  # where they are only tells one follower from another
    return Follower(root)


def _follow(path: str, sidecar: Sidecar, new: Document | None, past: Past) -> dict[str, Standing]:
    by_marker = _place_markers(path, sidecar, new, past)
    return {
        comment.id: by_marker.get(comment.marker_id)
        or _by_number(path, comment, sidecar.marker_of.get(comment.id), new)
        for comment in sidecar.comments
    }


def _place_markers(
    path: str, sidecar: Sidecar, new: Document | None, past: Past
) -> dict[str, Standing]:
    """Return where markers stand; all that were made in one text are placed together."""
    groups: dict[tuple[str, str, str], list[tuple[Marker, Anchor]]] = {}
    for marker in sidecar.markers:
        if marker.anchor is not None:
            key = (marker.anchor.blob_id, marker.anchor.commit, marker.origin or path)
            groups.setdefault(key, []).append((marker, marker.anchor))
    found: dict[str, Standing] = {}
    for (_, _, origin), members in groups.items():
        anchors = [anchor for _, anchor in members]
        outcomes = _place(origin, anchors, sidecar, past)
        if origin != path:  # they went with their code before, and may still be where it went
            outcomes = [
                place_by_context(anchor, path, new, least_ratio=1.0)
                if isinstance(it, Orphan) and it.path != path
                else it
                for anchor, it in zip(anchors, outcomes, strict=True)
            ]
        for (marker, anchor), outcome in zip(members, outcomes, strict=True):
            symbol = _symbol(anchor, outcome, past)
            found[marker.id] = _standing(path, marker, symbol, outcome)
    return found


def _place(path: str, anchors: list[Anchor], sidecar: Sidecar, past: Past) -> list[Outcome]:
    """Return where anchors that were made in one text of a file belong."""
    new = past.read_now(path)
    if new is not None and anchors[0].blob_id == new.blob_id:
        return [_unmoved(path, anchor, new) for anchor in anchors]
    base = _base(path, anchors, sidecar, past)
    trail = past.trail(path, anchors[0].commit)
    found = reanchor(path, anchors, base, past.read_now, trail=trail)
    if not any(isinstance(it, Orphan) for it in found):
        return found
    size_bytes = len(base.text) if new is None and isinstance(base, Document) else None
    elsewhere = past.uncommitted(path, min(_times(sidecar), default=_LONG_AGO), size_bytes)
    if not elsewhere:
        return found
    return reanchor(path, anchors, base, past.read_now, trail=trail, elsewhere=elsewhere)


def _unmoved(path: str, anchor: Anchor, new: Document) -> Outcome:
    if anchor.line > len(new.lines):
        return Orphan("the file has no such line")
    return Placement(path, anchor.line, Layer.SAME)


def _base(path: str, anchors: list[Anchor], sidecar: Sidecar, past: Past) -> Base | None:
    """Return the text that anchors were made in: from git, or what was kept of it."""
    blob_id = anchors[0].blob_id
    text = past.text(path, blob_id) if blob_id else None
    if text is not None:
        return open_document(path, text)
    keys = sidecar.sketches.get(blob_id)
    if not isinstance(keys, str):
        return None
    try:
        return SketchedBase(Sketch(blob_id, keys), anchors)
    except ValueError:  # it is damaged
        return None


def _times(sidecar: Sidecar) -> Iterable[datetime]:
    return (found for it in sidecar.comments if (found := read_time(it.created)) is not None)


def _symbol(anchor: Anchor, outcome: Outcome, past: Past) -> tuple[str, str]:
    """Return the path and the kind of the symbol around a line: the present one if it is known."""
    known = anchor.symbol, anchor.symbol_kind
    if isinstance(outcome, Orphan) or outcome.layer is Layer.SAME:
        return known
    new = past.read_now(outcome.path)
    if new is None or not new.symbols:
        return known
    symbol = new.symbol_at(outcome.line)
    return ("", "") if symbol is None else (symbol.path, symbol.kind)


def _standing(path: str, marker: Marker, named: tuple[str, str], outcome: Outcome) -> Standing:
    symbol, kind = named
    if isinstance(outcome, Orphan):
        return Standing(
            path,
            marker.line,
            "orphaned",
            reason=outcome.reason,
            suggestions=outcome.suggestions,
            symbol=symbol,
            symbol_kind=kind,
        )
    if marker.is_assumed:
        return Standing(
            outcome.path,
            outcome.line,
            "unverified",
            reason=_ASSUMED,
            symbol=symbol,
            symbol_kind=kind,
        )
    is_kept = (outcome.path, outcome.line) == (path, marker.line)
    return Standing(
        outcome.path,
        outcome.line,
        "kept" if is_kept else "moved",
        outcome.layer.value,
        outcome.confidence,
        outcome.reason,
        symbol=symbol,
        symbol_kind=kind,
    )


def _by_number(
    path: str, comment: Comment, marker: Marker | None, new: Document | None
) -> Standing:
    """Believe the number of a line while there is such a line, and the name of its symbol."""
    if new is None:
        return Standing(path, comment.line, "orphaned", reason=GONE)
    name = "" if marker is None else marker.symbol
    line = line_by_name(name, comment.line, new) if name else comment.line
    if not 1 <= line <= len(new.lines):
        return Standing(path, comment.line, "orphaned", reason="the file has no such line")
    symbol = new.symbol_at(line) if name else None
    return Standing(
        path,
        line,
        "unverified",
        reason=_ASSUMED if line == comment.line else f"where {name} begins; its words are unknown",
        symbol="" if symbol is None else symbol.path,
        symbol_kind="" if symbol is None else symbol.kind,
    )


def because(orphan: Standing, why: str) -> Standing:
    """Say first why the file of an orphan cannot be read."""
    reason = why if orphan.reason in {"", GONE} else f"{why}; {orphan.reason}"
    return msgspec.structs.replace(orphan, reason=reason)


def _shown(path: str, standing: Standing, may: May) -> Standing:
    """Speak of no file that may not be read."""
    suggestions = tuple(it for it in standing.suggestions if may(it.path))
    if may(standing.path):
        return msgspec.structs.replace(standing, suggestions=suggestions)
    return Standing(path, 0, "orphaned", reason="it went to a file that may not be read")
