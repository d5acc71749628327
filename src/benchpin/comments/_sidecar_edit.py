"""Change a sidecar in place, so that fields of other programs are not lost."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import cast

import msgspec

from benchpin.comments.anchoring import (
    Anchor,
    Layer,
    TrackedText,
    make_anchor,
    quotes_from,
    sketch_of,
    words_in,
)
from benchpin.core.errors import InvalidParams

from ._comment import Json, PlacedComment, StoredComment
from ._merged import COMMENT_ID, DELETED, encode_lines, text_key, texts_seen
from ._new_comment import (
    DetachedMarker,
    NewComment,
    comment_missing,
    line_now,
    placement,
    timestamp,
)
from ._sidecar import (
    OURS,
    VERSION,
    Sidecar,
    comment_ids,
    encode_anchor,
    has_id,
    is_comment,
    objects,
    ours,
    parse_comment,
    parse_marker,
)

# How many deleted comments of a file are known.
_MAX_DELETED = 200
# How many replaced texts of a comment are known by their keys.
_MAX_REPLACED = 20
# An id is the time in milliseconds and a random number below this.
_IDS_PER_MS = 1_000_000


class SidecarEditor:
    """The comments of one file while its lock is held."""

    def __init__(self, path: str, sidecar: Sidecar) -> None:
        """Work on a copy of a sidecar."""
        self.path = path
        self._before = msgspec.json.encode(sidecar.raw)
        self._raw = cast("Json", msgspec.json.decode(self._before)) or _empty(path)
        self._comments = cast("list[Json]", self._raw.setdefault("comments", []))
        self._markers = cast("list[Json]", self._raw.setdefault("ghostMarkers", []))
        self._is_changed = False
        self._deleted: Json = {}
        """What was deleted: the texts of comments, as keys, by id."""

    @property
    def sidecar(self) -> Sidecar:
        """The comments as they are now."""
        return Sidecar(self.path, self._raw, entries=tuple(self._comments))

    @property
    def is_changed(self) -> bool:
        """Whether there is something to write."""
        return self._is_changed and msgspec.json.encode(self._raw) != self._before

    @property
    def is_blank(self) -> bool:
        """Whether nothing is left that is worth a file."""
        expected = {OURS, "comments", "filePath", "ghostMarkers"}
        return not self._comments and not set(self._raw) - expected

    def encode(self) -> bytes:
        """Return the file as it is written."""
        self._drop_sketches()
        self._record_deleted()
        return encode_lines(self._raw)

    def add(
        self, new: NewComment, text: TrackedText, anchor: Anchor, now: datetime
    ) -> StoredComment:
        """Add a comment on a line, or a reply, which shares the marker of its parent.

        Raises:
            CommentNotFound: when the comment that it replies to is not there.
        """
        parent = self._entry(new.reply_to) if new.reply_to else None
        number = self._unused_number(now)
        comment_id, written = f"c_{number}", timestamp(now)
        marker = None if parent is None else self._marker_of(new.reply_to)
        if marker is None:
            marker = self._add_marker(f"gm_{number + 1}", text, anchor)
            if new.scope != "line":
                cast("Json", marker[OURS])["scope"] = new.scope
        marker["commentIds"] = [*comment_ids(marker), comment_id]
        entry: Json = {
            "id": comment_id,
            "line": marker["line"],
            "text": new.text,
            "tag": new.tag,
            "author": new.author,
            "created": written,
            "updated": written,
            "status": "open",
        }
        if parent is not None:
            entry["replyTo"] = new.reply_to
        if new.ai_meta:
            entry["aiMeta"] = dict(new.ai_meta)
        if quotes := quotes_from(new.text, text, anchor.line, new.scope):
            entry[OURS] = {"quotes": quotes}
        self._comments.append({**entry, **(new.extra or {})})
        self._mark_changed()
        return self._stored(comment_id)

    def add_to_folder(self, new: NewComment, entries: Sequence[str], now: datetime) -> str:
        """Add a note on a folder that has some files and folders in it; returns its id."""
        number = self._unused_number(now)
        comment_id, written = f"c_{number}", timestamp(now)
        folder = str(PurePosixPath(self.path).parent)
        own: Json = {"scope": "folder", "filePath": folder, "entries": [*entries]}
        marker: Json = {"id": f"gm_{number + 1}", "commentIds": [comment_id], OURS: own}
        self._markers.append(marker)
        entry: Json = {
            "id": comment_id,
            "text": new.text,
            "tag": new.tag,
            "author": new.author,
            "created": written,
            "updated": written,
            "status": "open",
        }
        known = set(entries)
        if quotes := [it for it in words_in(new.text) if it in known]:
            entry[OURS] = {"quotes": quotes}
        self._comments.append({**entry, **(new.extra or {})})
        self._mark_changed()
        return comment_id

    def link(self, comment_id: str, places: Sequence[tuple[str, str]]) -> None:
        """Record the other places of a note with several: files and the ids of the comments."""
        own = cast("Json", self._entry(comment_id).setdefault(OURS, {}))
        own["linked"] = [{"filePath": path, "id": other} for path, other in places]
        self._mark_changed()

    def edit(self, comment_id: str, text: str, now: datetime) -> StoredComment:
        """Change the text of a comment."""
        entry = self._entry(comment_id)
        replaced = text_key(str(entry["text"]))
        entry["text"], entry["updated"] = text, timestamp(now)
        own = entry.setdefault(OURS, {})
        if isinstance(own, dict):
            own.pop("quotes", None)
            before = own.get("replaces")
            kept = before[-_MAX_REPLACED:] if isinstance(before, list) else []
            own["replaces"] = [*kept, replaced]
            own["edited"] = timestamp(now)
        self._touch_marker(comment_id, now)
        self._mark_changed()
        return self._stored(comment_id)

    def resolve(self, comment_id: str, status: str, author: str, now: datetime) -> StoredComment:
        """Close a comment, or open it again."""
        entry = self._entry(comment_id)
        entry["status"], entry["updated"] = status, timestamp(now)
        own = entry.setdefault(OURS, {})
        if isinstance(own, dict):
            own["statusSet"] = timestamp(now)
        self._touch_marker(comment_id, now)
        if status == "open":
            entry.pop("resolvedBy", None)
            entry.pop("resolvedAt", None)
        else:
            entry["resolvedBy"], entry["resolvedAt"] = author, timestamp(now)
        self._mark_changed()
        return self._stored(comment_id)

    def _touch_marker(self, comment_id: str, now: datetime) -> None:
        """Change the line of the marker too, so that a merge keeps it with the comment."""
        marker = self._marker_of(comment_id)
        own = None if marker is None else marker.setdefault(OURS, {})
        if isinstance(own, dict):
            own["touched"] = timestamp(now)

    def remove(self, comment_id: str) -> None:
        """Remove a comment, and its marker unless others share it; replies go to its parent."""
        entry = self._entry(comment_id)
        for comment in self._comments:
            if comment.get("replyTo") == comment_id:
                comment.pop("replyTo")
                if entry.get("replyTo"):
                    comment["replyTo"] = entry["replyTo"]
        self._drop([entry])

    def remove_thread(self, comment_id: str) -> list[Json]:
        """Remove a comment with all replies, and return them, the comment first."""
        thread = [self._entry(comment_id)]
        ids = {comment_id}
        for comment in self._comments:  # one pass is enough: a reply is after what it replies to
            if comment.get("replyTo") in ids:
                ids.add(str(comment["id"]))
                thread.append(comment)
        self._drop(thread)
        return thread

    def add_thread(
        self, thread: Sequence[Json], text: TrackedText, anchor: Anchor, now: datetime
    ) -> StoredComment:
        """Put a removed thread, of this file or another, on a line."""
        self._make_room(thread)
        number = self._unused_number(now)
        marker = self._add_marker(f"gm_{number + 1}", text, anchor)
        first, *replies = (dict(it) for it in thread)
        first.pop("replyTo", None)
        for entry in (first, *replies):
            for name in ("startLine", "endLine"):
                entry.pop(name, None)
            entry["line"] = anchor.line
            self._comments.append(entry)
        first["updated"] = timestamp(now)
        marker["commentIds"] = [entry["id"] for entry in (first, *replies)]
        self._mark_changed()
        return self._stored(str(first["id"]))

    def detach_marker(self, comment_id: str) -> DetachedMarker:
        """Remove the marker of a comment with all of its comments, for another file."""
        marker = self._marker_of(comment_id)
        if marker is None:
            raise comment_missing(self.path, comment_id)
        ids = comment_ids(marker)
        entries = [it for it in self._comments if it["id"] in ids]
        blob_id = str(ours(marker, "anchor").get("blobId"))
        sketch = ours(self._raw, "sketches").get(blob_id)
        self._drop(entries)
        own = cast("Json", marker.setdefault(OURS, {}))
        own.setdefault("filePath", self.path)
        marker["commentIds"] = [it["id"] for it in entries]
        return DetachedMarker(marker, tuple(entries), {} if sketch is None else {blob_id: sketch})

    def attach_marker(self, detached: DetachedMarker, placed: PlacedComment) -> None:
        """Put a marker from another file, and its comments, on a line."""
        self._make_room(detached.entries)
        self._markers.append(detached.marker)
        self._comments.extend(detached.entries)
        own = cast("Json", self._raw.setdefault(OURS, {}))
        cast("Json", own.setdefault("sketches", {})).update(detached.sketches)
        self.set_place(str(detached.marker["id"]), placed)

    def set_place(self, marker_id: str, placed: PlacedComment) -> None:
        """Store the present line of a marker; its anchor stays as it is."""
        marker = next(it for it in self._markers if it.get("id") == marker_id)
        marker["line"] = placed.line
        own = marker.setdefault(OURS, {})
        if isinstance(own, dict):
            own["placement"] = placement(placed.line, placed.layer, placed.confidence)
        for comment in self._comments:
            if comment["id"] in comment_ids(marker):
                comment["line"] = placed.line
        self._mark_changed()

    def anchor_line_numbers(self, text: TrackedText, now: datetime) -> None:
        """Give comments that only have a line number an anchor, when the file is written anyway.

        The marker says that the line was assumed.
        """
        if not self._is_changed:
            return
        markers = {it: marker for marker in self._markers for it in comment_ids(marker)}
        for entry in self._comments:
            comment_id = str(entry["id"])
            marker = markers.get(comment_id)
            if marker is not None and ours(marker, "anchor"):
                continue
            known = None if marker is None else parse_marker(marker)
            line = line_now(parse_comment(self.path, entry, known), known, text)
            if not 1 <= line <= len(text.lines):
                continue
            anchor = make_anchor(text, line)
            if marker is None:
                marker = self._add_marker(f"gm_{self._unused_number(now)}", text, anchor)
                marker["commentIds"] = [comment_id]
            else:
                self._anchor(marker, text, anchor)
            if known is None or known.anchor is None:
                marker[OURS] = {"anchor": encode_anchor(anchor), "isAssumed": True}

    def _make_room(self, entries: Sequence[Json]) -> None:
        """Drop comments that are about to be added: an interrupted move may have left them here.

        Raises:
            InvalidParams: when a different comment has the same id.
        """
        known = {str(it["id"]): it for it in self._comments}
        for entry in entries:
            other = known.get(str(entry["id"]))
            if other is not None and other.get("created") != entry.get("created"):
                raise InvalidParams(
                    f"{self.path} has another comment with the id {entry['id']}",
                    suggestion="Add the text again with add_comment, and delete the old comment.",
                    data={"filePath": self.path, "commentId": str(entry["id"])},
                )
        self._drop([it for it in entries if str(it["id"]) in known])

    def _drop(self, entries: Sequence[Json]) -> None:
        gone = {str(it["id"]) for it in entries}
        self._deleted |= {str(it["id"]): texts_seen(it) for it in entries}
        self._comments[:] = [it for it in self._comments if it["id"] not in gone]
        for marker in [it for it in self._markers if gone.intersection(comment_ids(it))]:
            rest = [it for it in comment_ids(marker) if it not in gone]
            if rest:
                marker["commentIds"] = rest
            else:
                self._markers.remove(marker)
        self._mark_changed()

    def _mark_changed(self) -> None:
        """Convert the file to our format on the first change."""
        if not self._is_changed:
            self._is_changed = True
            own = cast("Json", self._raw.setdefault(OURS, {}))
            version = self._raw.pop("version", None)
            if version is not None:
                own["upgradedFrom"] = version
            own["version"] = VERSION
            for entry in filter(is_comment, self._comments):
                if "created" not in entry and "timestamp" in entry:
                    entry["created"] = entry["timestamp"]
        self._raw["filePath"] = self.path

    def _stored(self, comment_id: str) -> StoredComment:
        marker = self._marker_of(comment_id)
        known = None if marker is None else parse_marker(marker)
        return parse_comment(self.path, self._entry(comment_id), known)

    def _entry(self, comment_id: str) -> Json:
        found = next((it for it in self._comments if it["id"] == comment_id), None)
        if found is None:
            raise comment_missing(self.path, comment_id)
        return found

    def _marker_of(self, comment_id: str) -> Json | None:
        markers = filter(has_id, self._markers)
        return next((it for it in markers if comment_id in comment_ids(it)), None)

    def _add_marker(self, marker_id: str, text: TrackedText, anchor: Anchor) -> Json:
        marker: Json = {"id": marker_id, "commentIds": [], "line": anchor.line}
        self._anchor(marker, text, anchor)
        self._markers.append(marker)
        return marker

    def _anchor(self, marker: Json, text: TrackedText, anchor: Anchor) -> None:
        marker["line"] = anchor.line
        now = placement(anchor.line, Layer.SAME.value, 1.0)
        marker[OURS] = {"anchor": encode_anchor(anchor), "placement": now}
        own = cast("Json", self._raw.setdefault(OURS, {}))
        sketches = cast("Json", own.setdefault("sketches", {}))
        if anchor.blob_id not in sketches:
            sketches[anchor.blob_id] = sketch_of(text)

    def _drop_sketches(self) -> None:
        """Remove the sketches of texts in which no anchor was made."""
        used = {ours(it, "anchor").get("blobId") for it in objects(self._markers)}
        sketches = ours(self._raw, "sketches")
        for blob_id in [it for it in sketches if it not in used]:
            del sketches[blob_id]

    def _record_deleted(self) -> None:
        """Record which comments were deleted: merged with a branch that has them, they stay so."""
        ids = {str(it.get("id")) for it in self._comments}
        own = cast("Json", self._raw.setdefault(OURS, {}))
        known = ours(self._raw, DELETED) | self._deleted
        deleted = [it for it in known.items() if it[0] not in ids and COMMENT_ID.fullmatch(it[0])]
        own.pop(DELETED, None)
        if deleted:
            own[DELETED] = dict(deleted[-_MAX_DELETED:])

    def _unused_number(self, now: datetime) -> int:
        """Return a number such that neither it nor the next one is in an id."""
        taken = {str(it.get("id")) for it in (*self._comments, *objects(self._markers))}
        while True:
            number = int(now.timestamp() * 1_000) * _IDS_PER_MS + secrets.randbelow(_IDS_PER_MS - 1)
            names = {f"{kind}_{it}" for kind in ("c", "gm") for it in (number, number + 1)}
            if not names & taken:
                return number


def _empty(path: str) -> Json:
    return {"filePath": path, "comments": [], "ghostMarkers": [], OURS: {"version": VERSION}}
