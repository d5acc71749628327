"""A file of comments as it is changed: in place, so that nothing unknown is lost."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

import msgspec

from benchpin.core import InvalidParams

from .anchor import Anchor, make_anchor
from .context import line_by_name, place_by_context
from .document import Document
from .errors import CommentNotFound
from .placement import Layer, Placement
from .sidecar import (
    OURS,
    VERSION,
    Comment,
    Json,
    Marker,
    Sidecar,
    comment_ids,
    comment_of,
    has_id,
    is_comment,
    marker_of,
    objects,
    ours,
    packed_anchor,
    parse,
)
from .sketch import draw_sketch

_ROOM = 1_000_000
"""Numbers within one millisecond, of which one is drawn."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What a new comment says."""

    text: str
    tag: str | None
    author: str
    ai_meta: Mapping[str, object] | None = None
    reply_to: str = ""
    extra: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Handover:
    """A marker that leaves a file with its comments, and what it needs to be followed."""

    marker: Json
    entries: tuple[Json, ...]
    sketches: Json


def timestamp(now: datetime) -> str:
    """Return a time as comments have it: in UTC, with milliseconds."""
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Draft:
    """The comments of one file while somebody holds its lock."""

    def __init__(self, path: str, sidecar: Sidecar) -> None:
        """Take what was read; it is not changed until something is done."""
        self.path = path
        self._before = msgspec.json.encode(sidecar.raw)
        self._raw = cast("Json", msgspec.json.decode(self._before)) or _new(path)
        self._is_changed = False

    @property
    def sidecar(self) -> Sidecar:
        """Return the comments as they are now."""
        return parse(msgspec.json.encode(self._raw))

    @property
    def is_changed(self) -> bool:
        """Whether there is something to write."""
        return self._is_changed and msgspec.json.encode(self._raw) != self._before

    @property
    def is_blank(self) -> bool:
        """Whether nothing is left that is worth a file."""
        return not self._comments and not set(self._raw) - {
            OURS,
            "comments",
            "filePath",
            "ghostMarkers",
        }

    def encode(self) -> bytes:
        """Return the file as it is written."""
        self._drop_sketches()
        return msgspec.json.format(msgspec.json.encode(self._raw), indent=2) + b"\n"

    def add(self, wording: Wording, document: Document, anchor: Anchor, now: datetime) -> Comment:
        """Add a comment on a line, or to the thread of another.

        Raises:
            CommentNotFound: when the comment that it answers is not there.
        """
        parent = self._raw_of(wording.reply_to) if wording.reply_to else None
        number = self._fresh_number(now)
        comment_id, written = f"c_{number}", timestamp(now)
        marker = None if parent is None else self._marker_of(wording.reply_to)
        if marker is None:
            marker = self._add_marker(f"gm_{number + 1}", document, anchor)
        marker["commentIds"] = [*comment_ids(marker), comment_id]
        entry: Json = {
            "id": comment_id,
            "line": marker["line"],
            "text": wording.text,
            "tag": wording.tag,
            "author": wording.author,
            "created": written,
            "updated": written,
            "status": "open",
        }
        if parent is not None:
            entry["replyTo"] = wording.reply_to
        if wording.ai_meta:
            entry["aiMeta"] = dict(wording.ai_meta)
        self._comments.append({**entry, **(wording.extra or {})})
        self._changed()
        return self._found(comment_id)

    def edit(self, comment_id: str, text: str, now: datetime) -> Comment:
        """Change what a comment says."""
        raw = self._raw_of(comment_id)
        raw["text"], raw["updated"] = text, timestamp(now)
        self._changed()
        return self._found(comment_id)

    def resolve(self, comment_id: str, status: str, author: str, now: datetime) -> Comment:
        """Close a comment, or open it again."""
        raw = self._raw_of(comment_id)
        raw["status"], raw["updated"] = status, timestamp(now)
        if status == "open":
            raw.pop("resolvedBy", None)
            raw.pop("resolvedAt", None)
        else:
            raw["resolvedBy"], raw["resolvedAt"] = author, timestamp(now)
        self._changed()
        return self._found(comment_id)

    def remove(self, comment_id: str) -> None:
        """Take a comment away, and its marker unless others share it.

        Who answered it answers from then on what it answered.
        """
        raw = self._raw_of(comment_id)
        for it in self._comments:
            if it.get("replyTo") == comment_id:
                it.pop("replyTo")
                if raw.get("replyTo"):
                    it["replyTo"] = raw["replyTo"]
        self._drop([raw])

    def take_out(self, comment_id: str) -> list[Json]:
        """Take a comment away with all that answers it, and return them, itself first."""
        thread = [self._raw_of(comment_id)]
        ids = {comment_id}
        for it in self._comments:  # answers stand behind what they answer
            if it.get("replyTo") in ids:
                ids.add(str(it["id"]))
                thread.append(it)
        self._drop(thread)
        return thread

    def take_in(
        self, thread: Sequence[Json], document: Document, anchor: Anchor, now: datetime
    ) -> Comment:
        """Put comments that were taken out, here or elsewhere, on a line."""
        self._make_way(thread)
        number = self._fresh_number(now)
        marker = self._add_marker(f"gm_{number + 1}", document, anchor)
        first, *answers = (dict(it) for it in thread)
        first.pop("replyTo", None)
        for entry in (first, *answers):
            for name in ("startLine", "endLine"):
                entry.pop(name, None)
            entry["line"] = anchor.line
            self._comments.append(entry)
        first["updated"] = timestamp(now)
        marker["commentIds"] = [entry["id"] for entry in (first, *answers)]
        self._changed()
        return self._found(str(first["id"]))

    def hand_over(self, comment_id: str) -> Handover:
        """Take away a marker with all of its comments, as they are, for another file."""
        marker = self._marker_of(comment_id)
        if marker is None:
            raise comment_missing(self.path, comment_id)
        ids = comment_ids(marker)
        entries = [it for it in self._comments if it["id"] in ids]
        blob_id = str(ours(marker, "anchor").get("blobId"))
        sketch = ours(self._raw, "sketches").get(blob_id)
        self._drop(entries)
        kept = cast("Json", marker.setdefault(OURS, {}))
        kept.setdefault("filePath", self.path)
        marker["commentIds"] = [it["id"] for it in entries]
        return Handover(marker, tuple(entries), {} if sketch is None else {blob_id: sketch})

    def take_over(self, given: Handover, line: int, placement: Mapping[str, object]) -> None:
        """Put a marker from another file, and its comments, on a line."""
        self._make_way(given.entries)
        self._markers.append(given.marker)
        self._comments.extend(given.entries)
        kept = cast("Json", self._raw.setdefault(OURS, {}))
        cast("Json", kept.setdefault("sketches", {})).update(given.sketches)
        self.note_place(str(given.marker["id"]), line, placement)

    def note_place(self, marker_id: str, line: int, placement: Mapping[str, object]) -> None:
        """Write down where a marker stands now; what it was made from stays as it is."""
        marker = next(it for it in self._markers if it.get("id") == marker_id)
        marker["line"] = line
        kept = marker.setdefault(OURS, {})
        if isinstance(kept, dict):
            kept["placement"] = dict(placement)
        for it in self._comments:
            if it["id"] in comment_ids(marker):
                it["line"] = line
        self._changed()

    def adopt(self, document: Document) -> None:
        """Give comments that only have a line what they need to follow the code from now on.

        That it was the right line stays an assumption.
        """
        if not self._is_changed:
            return
        for comment in self.sidecar.comments:
            marker = self._marker_of(comment.id)
            if marker is not None and ours(marker, "anchor"):
                continue
            known = None if marker is None else marker_of(marker)
            line = _line_now(self.path, comment, known, document)
            if not 1 <= line <= len(document.lines):
                continue
            anchor = make_anchor(document, line)
            if marker is None:
                number = self._fresh_number(datetime.now(UTC))
                marker = self._add_marker(f"gm_{number}", document, anchor)
                marker["commentIds"] = [comment.id]
            else:
                self._anchor(marker, document, anchor)
            if known is None or known.anchor is None:
                marker[OURS] = {"anchor": packed_anchor(anchor), "isAssumed": True}

    def _make_way(self, entries: Sequence[Json]) -> None:
        """Let comments come in; one may be here already, from a move that was cut short."""
        known = {str(it["id"]): it for it in self._comments}
        for it in entries:
            other = known.get(str(it["id"]))
            if other is not None and other.get("created") != it.get("created"):
                raise collision(self.path, str(it["id"]))
        self._drop([it for it in entries if str(it["id"]) in known])

    def _drop(self, entries: Sequence[Json]) -> None:
        gone = {str(it["id"]) for it in entries}
        self._comments[:] = [it for it in self._comments if it["id"] not in gone]
        for marker in [it for it in self._markers if gone.intersection(comment_ids(it))]:
            rest = [it for it in comment_ids(marker) if it not in gone]
            if rest:
                marker["commentIds"] = rest
            else:
                self._markers.remove(marker)
        self._changed()

    @property
    def _comments(self) -> list[Json]:
        return cast("list[Json]", self._raw.setdefault("comments", []))

    @property
    def _markers(self) -> list[Json]:
        return cast("list[Json]", self._raw.setdefault("ghostMarkers", []))

    def _changed(self) -> None:
        """Bring the file into our shape."""
        if not self._is_changed:
            self._is_changed = True
            kept = cast("Json", self._raw.setdefault(OURS, {}))
            version = self._raw.pop("version", None)
            if version is not None:
                kept["upgradedFrom"] = version
            kept["version"] = VERSION
            for entry in filter(is_comment, self._comments):
                if "created" not in entry and "timestamp" in entry:
                    entry["created"] = entry["timestamp"]
        self._raw["filePath"] = self.path

    def _found(self, comment_id: str) -> Comment:
        marker = self._marker_of(comment_id)
        return comment_of(self._raw_of(comment_id), None if marker is None else marker_of(marker))

    def _raw_of(self, comment_id: str) -> Json:
        found = next((it for it in self._comments if it["id"] == comment_id), None)
        if found is None:
            raise comment_missing(self.path, comment_id)
        return found

    def _marker_of(self, comment_id: str) -> Json | None:
        return next(
            (it for it in filter(has_id, self._markers) if comment_id in comment_ids(it)), None
        )

    def _add_marker(self, marker_id: str, document: Document, anchor: Anchor) -> Json:
        marker: Json = {"id": marker_id, "commentIds": [], "line": anchor.line}
        self._anchor(marker, document, anchor)
        self._markers.append(marker)
        return marker

    def _anchor(self, marker: Json, document: Document, anchor: Anchor) -> None:
        marker["line"] = anchor.line
        placement = {"line": anchor.line, "layer": Layer.SAME.value, "confidence": 1.0}
        marker[OURS] = {"anchor": packed_anchor(anchor), "placement": placement}
        kept = cast("Json", self._raw.setdefault(OURS, {}))
        sketches = cast("Json", kept.setdefault("sketches", {}))
        if anchor.blob_id not in sketches:
            sketches[anchor.blob_id] = draw_sketch(document).keys

    def _drop_sketches(self) -> None:
        """Let go of texts that no anchor was made in."""
        used = {ours(it, "anchor").get("blobId") for it in objects(self._markers)}
        sketches = ours(self._raw, "sketches")
        for blob_id in [it for it in sketches if it not in used]:
            del sketches[blob_id]

    def _fresh_number(self, now: datetime) -> int:
        """Return a number that neither a comment nor a marker has, nor the one behind it."""
        taken = {str(it.get("id")) for it in (*self._comments, *objects(self._markers))}
        while True:
            number = int(now.timestamp() * 1_000) * _ROOM + secrets.randbelow(_ROOM - 1)
            names = {f"{kind}_{it}" for kind in ("c", "gm") for it in (number, number + 1)}
            if not names & taken:
                return number


def _new(path: str) -> Json:
    return {"filePath": path, "comments": [], "ghostMarkers": [], OURS: {"version": VERSION}}


def comment_missing(path: str, comment_id: str) -> CommentNotFound:
    """Say that a file has no such comment."""
    return CommentNotFound(
        "Comment not found",
        suggestion="Use get_file_comments to list valid comment IDs",
        data={"filePath": path, "commentId": comment_id},
    )


def collision(path: str, comment_id: str) -> InvalidParams:
    """Say that a comment cannot go where one with its id is already."""
    return InvalidParams(
        f"{path} has another comment with the id {comment_id}",
        suggestion="Add the text anew with add_comment, and delete the old comment.",
        data={"filePath": path, "commentId": comment_id},
    )


def _line_now(path: str, comment: Comment, marker: Marker | None, document: Document) -> int:
    """Return where a marker of another program stands; 0 when its words are not found."""
    if marker is None:
        return comment.line
    if marker.anchor is None:
        return line_by_name(marker.symbol, comment.line, document)
    found = place_by_context(marker.anchor, path, document)
    return found.line if isinstance(found, Placement) else 0
