"""A file of comments as it is read: ours, and three shapes that other programs write.

What we write has the fields of the document that this follows, ours under the one key `benchpin`,
and everything that we do not know where it was. docs/comments.md has the schema.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, lru_cache
from typing import TypeGuard, cast

import msgspec

from .anchor import Anchor
from .salvage import salvage

SUFFIX = ".comments"
VERSION = 1
OURS = "benchpin"
NEWER = "it was written by a newer Benchpin"
"""With this begins what is wrong with a file that is only too new."""
MAX_BYTES = 32 << 20
_DEEPEST = 64

Json = dict[str, object]

_KNOWN = frozenset(
    """
    id text line tag author created updated timestamp status resolvedBy resolvedAt replyTo aiMeta
    """.split()  # noqa: SIM905 - a table of names reads better so
)


class Comment(msgspec.Struct, frozen=True, gc=False):
    """What somebody wrote about a line."""

    id: str
    text: str
    line: int
    """Where it was when the file of comments was written."""
    tag: str | None
    author: str
    created: str
    updated: str
    status: str
    resolved_by: str
    resolved_at: str
    reply_to: str
    ai_meta: Json | None
    marker_id: str
    extra: Json
    """Fields that other programs wrote."""


class Marker(msgspec.Struct, frozen=True, gc=False):
    """The ghost marker of one or several comments: the line that they are about."""

    id: str
    comment_ids: tuple[str, ...]
    line: int
    anchor: Anchor | None
    """None when nothing but the number of the line was ever written down."""
    origin: str = ""
    """The file that the anchor was made in, where that is another one."""
    symbol: str = ""
    """The function or type that another program wrote down, without the words of the line."""
    is_assumed: bool = False
    """Whether the anchor was made on a line of which only the number was known."""


@dataclass(frozen=True)
class Sidecar:
    """The comments of one file."""

    raw: Json = field(default_factory=dict)
    problem: str = ""
    """What is damaged; such a file is not written to."""
    entries: tuple[Json, ...] = ()
    """The comments that can be read, as they stand there."""
    fingerprint: str = ""
    """Of the bytes of the file."""

    @cached_property
    def markers(self) -> tuple[Marker, ...]:
        """Return the ghost markers that can be read."""
        return tuple(marker_of(it) for it in objects(self.raw.get("ghostMarkers")) if has_id(it))

    @cached_property
    def marker_of(self) -> Mapping[str, Marker]:
        """Return the marker of each comment that has one."""
        return {comment_id: it for it in self.markers for comment_id in it.comment_ids}

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """Return the comments in the order in which they stand there."""
        return tuple(comment_of(it, self.marker_of.get(str(it["id"]))) for it in self.entries)

    @property
    def sketches(self) -> Mapping[str, object]:
        """Return what is kept of the texts that anchors were made in, by their blob id."""
        return ours(self.raw, "sketches")


def parse(content: bytes) -> Sidecar:
    """Read a file of comments; one that is damaged yields what is whole in it."""
    fingerprint = hashlib.blake2b(content, digest_size=16).hexdigest()
    return replace(_parse(content), fingerprint=fingerprint)


def _parse(content: bytes) -> Sidecar:
    try:
        raw = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        found = salvage(content)
        return Sidecar({}, _reason(error), tuple(_salvaged(found)))
    if not isinstance(raw, dict):
        return Sidecar({}, f"it holds {_kind(raw)}, not an object")
    listed = raw.get("comments", [])
    if not isinstance(listed, list):
        return Sidecar(raw, f"its comments are {_kind(listed)}, not a list")
    entries, problem = _good(listed)
    return Sidecar(raw, problem or _fault_of_markers(raw), entries)


def _good(listed: Sequence[object]) -> tuple[tuple[Json, ...], str]:
    """Return the entries that are comments, each id once, and what the first other lacks."""
    found: dict[str, Json] = {}
    problem = ""
    for at, it in enumerate(listed):
        if not is_comment(it):
            problem = problem or f"comment {at + 1} is none: it needs an id and a text"
        elif is_too_deep(it):
            problem = problem or f"comment {at + 1} is nested too deep"
        elif str(it["id"]) in found:
            problem = problem or f"two comments have the id {it['id']}"
        else:
            found[str(it["id"])] = it
    return tuple(found.values()), problem


def _fault_of_markers(raw: Json) -> str:
    markers = raw.get("ghostMarkers", [])
    if not isinstance(markers, list) or len(objects(markers)) < len(markers):
        return "its ghostMarkers are not a list of objects"
    kept = raw.get(OURS, {})
    if not isinstance(kept, dict):
        return f"its {OURS} is {_kind(kept)}, not an object"
    version = kept.get("version", VERSION)
    if not isinstance(version, int) or version > VERSION:
        return f"{NEWER}, version {version} of its schema"
    return ""


def _salvaged(found: Sequence[Json]) -> Iterator[Json]:
    """Give the comments among what was salvaged, or in the lists that it holds."""
    seen: set[str] = set()
    for it in found:
        for candidate in (it, *objects(it.get("comments"))):
            is_whole = is_comment(candidate) and not is_too_deep(candidate)
            if is_whole and str(candidate["id"]) not in seen:
                seen.add(str(candidate["id"]))
                yield candidate


def is_comment(value: object) -> TypeGuard[Json]:
    """Whether something has what a comment needs: an id and a text."""
    return has_id(value) and isinstance(value.get("text"), str)


def is_too_deep(value: object, levels: int = _DEEPEST) -> bool:
    """Whether objects and lists stand in one another more often than anybody means."""
    if not isinstance(value, dict | list):
        return False
    members = value.values() if isinstance(value, dict) else value
    deeper = [it for it in members if isinstance(it, dict | list)]
    return not levels or any(is_too_deep(it, levels - 1) for it in deeper)


def has_id(value: object) -> TypeGuard[Json]:
    """Whether something is an object with an id."""
    return isinstance(value, dict) and isinstance(value.get("id"), str) and bool(value["id"])


def objects(value: object) -> list[Json]:
    """Return the objects in a list; what is no list has none."""
    return [it for it in value if isinstance(it, dict)] if isinstance(value, list) else []


def ours(owner: Json, key: str) -> Json:
    """Return an object of ours, an empty one when there is none."""
    kept = owner.get(OURS)
    value = kept.get(key) if isinstance(kept, dict) else None
    return value if isinstance(value, dict) else {}


def comment_ids(marker: Json) -> tuple[str, ...]:
    """Return whom a marker belongs to: several comments, or one in the earlier shape."""
    several = marker.get("commentIds")
    listed = several if isinstance(several, list) else [marker.get("commentId")]
    return tuple(it for it in listed if isinstance(it, str))


def marker_of(raw: Json) -> Marker:
    """Return a marker as it is understood."""
    line = _whole(raw.get("line"))
    kept = raw.get(OURS)
    kept = kept if isinstance(kept, dict) else {}
    return Marker(
        str(raw["id"]),
        comment_ids(raw),
        line,
        _anchor(raw, line),
        _text(kept.get("filePath")),
        _text(raw.get("anchor")),
        kept.get("isAssumed") is True,
    )


def _anchor(raw: Json, line: int) -> Anchor | None:
    """Return what a marker knows of its line, in our words or in those of the editor."""
    kept = ours(raw, "anchor")
    if kept:
        try:
            return msgspec.convert({_snake(key): it for key, it in kept.items()}, Anchor)
        except msgspec.ValidationError:
            return None
    if not isinstance(raw.get("lineText"), str) or not line:
        return None
    symbol = raw.get("astAnchor")
    symbol = symbol if isinstance(symbol, dict) else {}
    parts = symbol.get("symbolPath")
    return Anchor(
        blob_id="",
        line=line,
        text=_text(raw.get("lineText")),
        before=_neighbour(raw.get("prevLineText")),
        after=_neighbour(raw.get("nextLineText")),
        symbol=".".join(map(str, parts)) if isinstance(parts, list) else "",
        symbol_kind=_text(symbol.get("symbolKind")),
        symbol_offset=_whole(symbol.get("offset")),
    )


def packed_anchor(anchor: Anchor) -> Json:
    """Return an anchor as it is written."""
    return {_camel(key): it for key, it in cast("Json", msgspec.to_builtins(anchor)).items()}


def comment_of(raw: Json, marker: Marker | None) -> Comment:
    """Return a comment as it is understood."""
    created = _text(raw.get("created")) or _text(raw.get("timestamp"))
    ai_meta = raw.get("aiMeta")
    tag = raw.get("tag")
    return Comment(
        id=str(raw["id"]),
        text=_text(raw["text"]),
        line=(marker.line if marker is not None else 0) or _whole(raw.get("line")),
        tag=tag if isinstance(tag, str) else None,
        author=_text(raw.get("author")),
        created=created,
        updated=_text(raw.get("updated")) or created,
        status=_text(raw.get("status")) or "open",
        resolved_by=_text(raw.get("resolvedBy")),
        resolved_at=_text(raw.get("resolvedAt")),
        reply_to=_text(raw.get("replyTo")),
        ai_meta=ai_meta if isinstance(ai_meta, dict) else None,
        marker_id="" if marker is None else marker.id,
        extra={key: it for key, it in raw.items() if key not in _KNOWN},
    )


def read_time(text: str) -> datetime | None:
    """Return the time that a text says, in UTC where it names no zone; None when it is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _whole(value: object) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return max(0, cast("int", value)) if is_number else 0


def _neighbour(value: object) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else ()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(it.capitalize() for it in rest)


@lru_cache(256)
def _snake(name: str) -> str:
    return "".join(f"_{it.lower()}" if it.isupper() else it for it in name)


def _kind(value: object) -> str:
    names = {list: "a list", dict: "an object", str: "a text", type(None): "null"}
    return names.get(type(value), "a number")


def _reason(error: Exception) -> str:
    return f"it is not JSON: {error}"
