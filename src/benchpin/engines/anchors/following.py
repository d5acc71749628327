"""Say where the comments of a file stand in its present text; what was worked out is kept."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Literal

import msgspec

from .anchor import Anchor
from .document import Document, Symbol, squeeze
from .draft import unpack
from .placement import Layer, Orphan, Outcome, Placement, Suggestion
from .reanchor import Reanchoring
from .sidecar import Comment, Marker, Sidecar

_MOST_KEPT = 8_192
_MOST_SUGGESTIONS = 5
_SURE = 2
"""So many neighbours must agree where a line is known by its words alone."""

State = Literal["kept", "moved", "orphaned", "unverified"]


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

    @property
    def is_orphaned(self) -> bool:
        """Whether its line is gone."""
        return self.state == "orphaned"


Standings = Mapping[str, Standing]
"""By the id of the comment."""


def follow(path: str, sidecar: Sidecar, new: Document | None) -> dict[str, Standing]:
    """Return where each comment of a file stands; the file is None when it is gone."""
    runs: dict[str, Reanchoring | None] = {}
    standings: dict[str, Standing] = {}
    by_marker: dict[str, Standing] = {}
    for comment in sidecar.comments:
        marker = sidecar.marker_of.get(comment.id)
        if marker is None or marker.anchor is None:
            standings[comment.id] = _by_number(path, comment, new)
            continue
        if marker.id not in by_marker:
            run = _run(runs, path, sidecar, marker.anchor, new)
            by_marker[marker.id] = _standing(path, marker, _place(run, path, marker.anchor, new))
        standings[comment.id] = by_marker[marker.id]
    return standings


def _run(
    runs: dict[str, Reanchoring | None],
    path: str,
    sidecar: Sidecar,
    anchor: Anchor,
    new: Document | None,
) -> Reanchoring | None:
    """Return what finds the lines of one base text; None when that text is lost."""
    blob_id = anchor.blob_id
    if blob_id not in runs:
        is_same = new is not None and blob_id == new.blob_id
        base = new if is_same else _base(sidecar, blob_id)
        runs[blob_id] = None if base is None else Reanchoring(path, base, new)
    return runs[blob_id]


def _base(sidecar: Sidecar, blob_id: str) -> Document | None:
    text = unpack(sidecar.bases.get(blob_id))
    base = None if text is None else Document(text)
    return base if base is not None and base.blob_id == blob_id else None


def _place(run: Reanchoring | None, path: str, anchor: Anchor, new: Document | None) -> Outcome:
    if run is not None:
        return run.place(anchor)
    if new is None:
        return Orphan("the file is gone")
    return place_by_words(path, anchor, new)


def place_by_words(path: str, anchor: Anchor, new: Document) -> Outcome:
    """Find a line of which only its words and those around it are known."""
    words = squeeze(anchor.text)
    places = new.places.get(words, []) if words else []
    ranked = sorted(
        places, key=lambda it: (-_agreement(anchor, new, it), abs(it + 1 - anchor.line), it)
    )
    if not ranked:
        return Orphan("no line has its words")
    best = _agreement(anchor, new, ranked[0])
    rivals = [it for it in ranked if _agreement(anchor, new, it) == best]
    known = len(anchor.before) + len(anchor.after)
    is_sure = best >= min(_SURE, known) or (len(places) == 1 and best > 0)
    if len(rivals) == 1 and is_sure:
        reason = f"its words, and {best} of {known} lines around it"
        return Placement(path, ranked[0] + 1, 0.9, Layer.CONTEXT, (reason,))
    return Orphan(
        "lines with its words stand elsewhere",
        tuple(
            Suggestion(path, it + 1, round(_agreement(anchor, new, it) / max(known, 1), 3), "words")
            for it in ranked[:_MOST_SUGGESTIONS]
        ),
    )


def _agreement(anchor: Anchor, new: Document, place: int) -> int:
    """Return how many of the lines around an anchor stand around a place."""
    squeezed = new.squeezed
    above = zip(reversed(anchor.before), range(place - 1, -1, -1), strict=False)
    below = zip(anchor.after, range(place + 1, len(squeezed)), strict=False)
    return sum(squeeze(text) == squeezed[at] for text, at in (*above, *below))


def _standing(path: str, marker: Marker, outcome: Outcome) -> Standing:
    if isinstance(outcome, Orphan):
        return Standing(
            path,
            marker.line,
            "orphaned",
            reason=outcome.reason,
            suggestions=outcome.suggestions,
        )
    is_kept = (outcome.path, outcome.line) == (path, marker.line)
    return Standing(
        outcome.path,
        outcome.line,
        "kept" if is_kept else "moved",
        outcome.layer.value,
        round(outcome.confidence, 3),
        "; ".join(outcome.reasons),
    )


def _by_number(path: str, comment: Comment, new: Document | None) -> Standing:
    """Believe the number of a line while there is such a line; there is nothing else to go by."""
    if new is not None and 1 <= comment.line <= len(new.lines):
        return Standing(path, comment.line, "unverified", reason="only its line number is known")
    reason = "the file is gone" if new is None else "the file has no such line"
    return Standing(path, comment.line, "orphaned", reason=reason)


class Follower:
    """Follows files, and remembers what it found as long as neither text nor comments change."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, object, str], Standings] = OrderedDict()
        self._lock = Lock()

    def follow(
        self,
        path: str,
        sidecar: Sidecar,
        text: bytes | None,
        read_symbols: Callable[[], Sequence[Symbol]],
    ) -> Standings:
        """Return where each comment of a file stands."""
        new = None if text is None else Document(text, read_symbols)
        key = (path, sidecar.fingerprint, "" if new is None else new.blob_id)
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        found = follow(path, sidecar, new)
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return found
