"""A file of comments as it is changed: in place, so that nothing unknown is lost."""

import base64
import binascii
import secrets
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

import msgspec

from .anchor import Anchor, make_anchor
from .document import Document
from .errors import CommentNotFound
from .sidecar import (
    OURS,
    VERSION,
    Comment,
    Json,
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

_ROOM = 1_000_000
"""Numbers within one millisecond, of which one is drawn."""
_LARGEST_BASE = 4 << 20


@dataclass(frozen=True, slots=True)
class Wording:
    """What a new comment says."""

    text: str
    tag: str | None
    author: str
    ai_meta: Mapping[str, object] | None = None
    reply_to: str = ""
    extra: Mapping[str, object] | None = None


def timestamp(now: datetime) -> str:
    """Return a time as comments have it: in UTC, with milliseconds."""
    return now.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Draft:
    """The comments of one file while somebody holds its lock."""

    def __init__(self, path: str, sidecar: Sidecar) -> None:
        """Take what was read; it is not changed until something is done."""
        self.path = path
        self._before = msgspec.json.encode(sidecar.raw)
        self._raw = cast("Json", msgspec.json.decode(self._before))
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
        self._drop_bases()
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

    def remove(self, comment_id: str) -> tuple[Json, list[Json]]:
        """Take a comment away, and its marker unless others share it; return both.

        Who answered it answers from then on what it answered.
        """
        raw = self._raw_of(comment_id)
        self._comments.remove(raw)
        for it in self._comments:
            if it.get("replyTo") == comment_id:
                it.pop("replyTo")
                if raw.get("replyTo"):
                    it["replyTo"] = raw["replyTo"]
        markers = [it for it in self._markers if comment_id in comment_ids(it)]
        for it in markers:
            rest = [other for other in comment_ids(it) if other != comment_id]
            if rest:
                it["commentIds"] = rest
            else:
                self._markers.remove(it)
        self._changed()
        return raw, markers

    def take_in(self, raw: Json, document: Document, anchor: Anchor, now: datetime) -> Comment:
        """Put a comment that was taken out elsewhere on a line."""
        number = self._fresh_number(now)
        entry = {key: it for key, it in raw.items() if key != "replyTo"}
        if any(it.get("id") == entry["id"] for it in self._comments):
            entry["id"] = f"c_{number}"
        marker = self._add_marker(f"gm_{number + 1}", document, anchor)
        marker["commentIds"] = [entry["id"]]
        entry["line"], entry["updated"] = anchor.line, timestamp(now)
        for name in ("startLine", "endLine"):
            entry.pop(name, None)
        self._comments.append(entry)
        self._changed()
        return self._found(str(entry["id"]))

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
        """Give comments that only have a line what they need to follow the code from now on."""
        if not self._is_changed:
            return
        for comment in self.sidecar.comments:
            marker = self._marker_of(comment.id)
            has_line = 1 <= comment.line <= len(document.lines)
            if not has_line or (marker is not None and _is_anchored(marker)):
                continue
            anchor = make_anchor(document, comment.line)
            if marker is None:
                number = self._fresh_number(datetime.now(UTC))
                marker = self._add_marker(f"gm_{number}", document, anchor)
                marker["commentIds"] = [comment.id]
            else:
                self._anchor(marker, document, anchor)

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
        marker[OURS] = {"anchor": packed_anchor(anchor)}
        if anchor.blob_id and len(document.text) <= _LARGEST_BASE:
            kept = cast("Json", self._raw.setdefault(OURS, {}))
            bases = cast("Json", kept.setdefault("bases", {}))
            bases.setdefault(anchor.blob_id, pack(document.text))

    def _drop_bases(self) -> None:
        """Let go of texts that no anchor was made in."""
        used = {ours(it, "anchor").get("blobId") for it in objects(self._markers)}
        bases = ours(self._raw, "bases")
        for blob_id in [it for it in bases if it not in used]:
            del bases[blob_id]

    def _fresh_number(self, now: datetime) -> int:
        """Return a number that neither a comment nor a marker has, nor the one behind it."""
        taken = {str(it.get("id")) for it in (*self._comments, *objects(self._markers))}
        while True:
            number = int(now.timestamp() * 1_000) * _ROOM + secrets.randbelow(_ROOM - 1)
            names = {f"{kind}_{it}" for kind in ("c", "gm") for it in (number, number + 1)}
            if not names & taken:
                return number


def comment_missing(path: str, comment_id: str) -> CommentNotFound:
    """Say that a file has no such comment."""
    return CommentNotFound(
        "Comment not found",
        suggestion="Use get_file_comments to list valid comment IDs",
        data={"filePath": path, "commentId": comment_id},
    )


def _is_anchored(marker: Json) -> bool:
    return bool(ours(marker, "anchor")) or isinstance(marker.get("lineText"), str)


def pack(text: bytes) -> str:
    """Return a text as it is kept in JSON."""
    return base64.b64encode(zlib.compress(text, 9)).decode("ascii")


def unpack(packed: object) -> bytes | None:
    """Return a text that was packed; None when it is damaged, or bigger than we ever pack."""
    if not isinstance(packed, str):
        return None
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(base64.b64decode(packed, validate=True), _LARGEST_BASE)
    except (binascii.Error, ValueError, zlib.error):
        return None
    return text if unpacker.eof else None
