"""Read sidecars: our files of comments, and three formats that other programs write.

We write the fields of the comment protocol, and our own under the key `benchpin`. Unknown fields
are left unchanged. docs/comments.md has the schema.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from typing import TypeGuard, cast

import msgspec

from benchpin.comments.anchoring import Anchor, Scope

from ._comment import Json, StoredComment
from ._merged import is_merged, joined, read_merged, repeats_structure

# Comments are two levels deep; deeper objects belong to one of them.
_MAX_RECOVERED_DEPTH = 6
_MAX_OPEN_OBJECTS = 64
_MAX_OBJECTS = 100_000
_TOKENS = re.compile(rb'"(?:[^"\\\n]|\\[^\n])*+"?|[{}]')
VERSION = 1
OURS = "benchpin"
# How `Sidecar.problem` starts for an intact file of a newer version.
NEWER = "it was written by a newer Benchpin"
MAX_BYTES = 32 << 20
# The limit of one file; to place as many takes two seconds.
MAX_COMMENTS = 10_000
# Parsed, they take 200 MB; 10,000 comments with their anchors have 600,000.
_MAX_VALUES = 2_000_000
_MAX_DEPTH = 64
_KNOWN = frozenset(
    """
    id text line tag author created updated timestamp status resolvedBy resolvedAt replyTo aiMeta
    benchpin
    """.split()  # noqa: SIM905 - a table of names reads better so
)


@dataclass(slots=True)
class _Span:
    """The bytes of a closed object, and the objects inside it."""

    start: int
    end: int = -1
    inner: "list[_Span]" = field(default_factory=list)


def recover_objects(content: bytes) -> list[dict[str, object]]:
    """Return the outermost objects that can be parsed, in their order."""
    return [found for span in _closed(content) for found in _parsed(content, span, 0)]


def _closed(content: bytes) -> list[_Span]:
    """Return the outermost closed objects, including those inside an unclosed one.

    Objects in over `_MAX_OPEN_OBJECTS` others are left out; after `_MAX_OBJECTS` the search ends.
    """
    stack = [_Span(0)]
    deeper = count = 0
    for token in _TOKENS.finditer(content):
        sign = token[0]
        if sign == b"{":
            if len(stack) > _MAX_OPEN_OBJECTS:
                deeper += 1
            else:
                stack.append(_Span(token.start()))
        elif sign == b"}" and deeper:
            deeper -= 1
        elif sign == b"}" and len(stack) > 1:
            span = stack.pop()
            span.end = token.end()
            stack[-1].inner.append(span)
            count += 1
            if count == _MAX_OBJECTS:
                break
    return [inner for span in stack for inner in span.inner]


def _parsed(content: bytes, span: _Span, depth: int) -> Iterator[dict[str, object]]:
    try:
        value = msgspec.json.decode(content[span.start : span.end])
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        yield value
    elif depth < _MAX_RECOVERED_DEPTH:
        for inner in span.inner:
            yield from _parsed(content, inner, depth + 1)


class Marker(msgspec.Struct, frozen=True, gc=False):
    """A ghost marker: the line of one or several comments."""

    id: str
    comment_ids: tuple[str, ...]
    line: int
    anchor: Anchor | None
    """None when only the line number was stored."""
    origin: str = ""
    """The file in which the anchor was made, if it is another one; otherwise empty."""
    symbol: str = ""
    """The function or type that another program stored in place of the text of the line."""
    is_assumed: bool = False
    """Whether the anchor was made later, on a line of which only the number was known."""
    scope: Scope = "line"
    entries: tuple[str, ...] = ()
    """The names in a folder when a note on it was written."""


@dataclass(frozen=True)
class Sidecar:
    """The comments of one file."""

    path: str = ""
    """The file that the comments are about."""
    raw: Json = field(default_factory=dict)
    problem: str = ""
    """What is damaged; such a file is not written."""
    entries: tuple[Json, ...] = ()
    """The valid comments, as they are in the file."""
    fingerprint: str = ""
    """A hash of the bytes of the file."""

    @cached_property
    def markers(self) -> tuple[Marker, ...]:
        """The valid ghost markers."""
        found = (it for it in objects(self.raw.get("ghostMarkers")) if has_id(it))
        return tuple(parse_marker(it) for it in islice(found, MAX_COMMENTS))

    @cached_property
    def marker_of(self) -> Mapping[str, Marker]:
        """The markers by the ids of their comments."""
        return {comment_id: it for it in self.markers for comment_id in it.comment_ids}

    @cached_property
    def comments(self) -> tuple[StoredComment, ...]:
        """The valid comments, in the order of the file."""
        markers = self.marker_of
        return tuple(
            parse_comment(self.path, it, markers.get(str(it["id"]))) for it in self.entries
        )

    @property
    def sketches(self) -> Mapping[str, object]:
        """The sketches of the texts in which anchors were made, by blob id."""
        return ours(self.raw, "sketches")


def parse(content: bytes, path: str = "") -> Sidecar:
    """Parse the sidecar of a file; a damaged one yields the comments that are intact."""
    fingerprint = hashlib.blake2b(content, digest_size=16).hexdigest()
    return replace(_parse(content), path=path, fingerprint=fingerprint)


def _parse(content: bytes) -> Sidecar:
    # Those in texts count too: this only has to be quick, and never much too low.
    values = sum(map(content.count, (b",", b"{", b"["))) + content.count(b'"') // 4
    if values > _MAX_VALUES:
        return Sidecar(problem=f"it has about {values:,} values, more than {_MAX_VALUES:,}")
    if repeats_structure(content) and (merged := read_merged(content)) is not None:
        return _read(merged)
    try:
        raw = msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError) as error:
        merged = read_merged(content)
        if merged is not None:
            return _read(merged)
        intact = tuple(islice(_intact(recover_objects(content)), MAX_COMMENTS))
        return Sidecar(problem=f"it is not JSON: {error}", entries=intact)
    return _read(raw)


def _read(raw: object) -> Sidecar:
    if not isinstance(raw, dict):
        return Sidecar(problem=f"it holds {_kind(raw)}, not an object")
    listed = raw.get("comments", [])
    if not isinstance(listed, list):
        return Sidecar(raw=raw, problem=f"its comments are {_kind(listed)}, not a list")
    if is_merged(raw):
        raw = joined(raw)
        listed = cast("list[object]", raw["comments"])
    entries, problem = _valid(listed[:MAX_COMMENTS])
    if len(listed) > MAX_COMMENTS:
        problem = f"it has {len(listed):,} comments; only the first {MAX_COMMENTS:,} are read"
    return Sidecar(raw=raw, problem=problem or _problem_of_markers(raw), entries=entries)


def _valid(listed: Sequence[object]) -> tuple[tuple[Json, ...], str]:
    """Return the entries that are comments, each id once, and the first problem of the others."""
    found: dict[str, Json] = {}
    problem = ""
    for number, entry in enumerate(listed, start=1):
        if not is_comment(entry):
            problem = problem or f"comment {number} has no id or no text"
        elif is_too_deep(entry):
            problem = problem or f"comment {number} is nested too deep"
        elif str(entry["id"]) in found:
            problem = problem or f"two comments have the id {entry['id']}"
        else:
            found[str(entry["id"])] = entry
    return tuple(found.values()), problem


def _problem_of_markers(raw: Json) -> str:
    markers = raw.get("ghostMarkers", [])
    if not isinstance(markers, list) or len(objects(markers)) < len(markers):
        return "its ghostMarkers are not a list of objects"
    own = raw.get(OURS, {})
    if not isinstance(own, dict):
        return f"its {OURS} is {_kind(own)}, not an object"
    version = own.get("version", VERSION)
    if not isinstance(version, int) or version > VERSION:
        return f"{NEWER}, version {version} of its schema"
    return ""


def _intact(recovered: Iterable[Json]) -> Iterator[Json]:
    """Yield the comments among recovered objects, or in the lists that they hold."""
    seen: set[str] = set()
    for record in recovered:
        for candidate in (record, *objects(record.get("comments"))):
            is_valid = is_comment(candidate) and not is_too_deep(candidate)
            if is_valid and str(candidate["id"]) not in seen:
                seen.add(str(candidate["id"]))
                yield candidate


def is_comment(value: object) -> TypeGuard[Json]:
    """Whether a value has what a comment needs: an id and a text."""
    return has_id(value) and isinstance(value.get("text"), str)


def is_too_deep(value: object, levels: int = _MAX_DEPTH) -> bool:
    """Whether objects and lists are nested deeper than any real comment."""
    if not isinstance(value, dict | list):
        return False
    members = value.values() if isinstance(value, dict) else value
    deeper = [it for it in members if isinstance(it, dict | list)]
    return not levels or any(is_too_deep(it, levels - 1) for it in deeper)


def has_id(value: object) -> TypeGuard[Json]:
    return isinstance(value, dict) and isinstance(value.get("id"), str) and bool(value["id"])


def objects(value: object) -> list[Json]:
    """Return the objects in a list; none when the value is not a list."""
    return [it for it in value if isinstance(it, dict)] if isinstance(value, list) else []


def ours(owner: Json, key: str) -> Json:
    """Return an object among our own fields; an empty one when there is none."""
    own = owner.get(OURS)
    value = own.get(key) if isinstance(own, dict) else None
    return value if isinstance(value, dict) else {}


def comment_ids(marker: Json) -> tuple[str, ...]:
    """Return the ids of the comments of a marker; an earlier format has only one."""
    several = marker.get("commentIds")
    listed = several if isinstance(several, list) else [marker.get("commentId")]
    return tuple(it for it in listed if isinstance(it, str))


def parse_marker(raw: Json) -> Marker:
    """Read a ghost marker in any of the formats."""
    line = _whole(raw.get("line"))
    own = raw.get(OURS)
    own = own if isinstance(own, dict) else {}
    return Marker(
        str(raw["id"]),
        comment_ids(raw),
        line,
        _anchor(raw, line),
        _text(own.get("filePath")),
        _text(raw.get("anchor")),
        own.get("isAssumed") is True,
        _scope(own.get("scope")),
        _texts(own.get("entries")),
    )


def _scope(value: object) -> Scope:
    return value if value in {"symbol", "file", "folder"} else "line"


def _texts(value: object) -> tuple[str, ...]:
    return tuple(it for it in value if isinstance(it, str)) if isinstance(value, list) else ()


def _anchor(raw: Json, line: int) -> Anchor | None:
    """Return the anchor of a marker, in our fields or in those of the editor extension."""
    own = ours(raw, "anchor")
    if own:
        try:
            return msgspec.convert(own, Anchor)
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


def encode_anchor(anchor: Anchor) -> Json:
    """Return an anchor as it is written."""
    return cast("Json", msgspec.to_builtins(anchor))


def parse_comment(path: str, raw: Json, marker: Marker | None) -> StoredComment:
    """Read a comment in any of the formats."""
    created = _text(raw.get("created")) or _text(raw.get("timestamp"))
    ai_meta = raw.get("aiMeta")
    tag = raw.get("tag")
    return StoredComment(
        path=path,
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
        quotes=_quotes(raw),
        linked=_linked(raw),
        also_says=_texts(ours_list(raw, "alsoSays")),
        extra={key: it for key, it in raw.items() if key not in _KNOWN},
    )


def _quotes(raw: Json) -> tuple[str, ...] | None:
    quotes = ours_list(raw, "quotes")
    return _texts(quotes) if isinstance(quotes, list) else None


def _linked(raw: Json) -> tuple[tuple[str, str], ...]:
    links = objects(ours_list(raw, "linked"))
    return tuple((_text(it.get("filePath")), _text(it.get("id"))) for it in links)


def ours_list(owner: Json, key: str) -> object:
    """Return a value among our own fields; None when there is none."""
    own = owner.get(OURS)
    return own.get(key) if isinstance(own, dict) else None


def read_time(text: str) -> datetime | None:
    """Parse an ISO 8601 time, in UTC where it names no zone; None when it is not one."""
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


def _kind(value: object) -> str:
    names = {list: "a list", dict: "an object", str: "a text", type(None): "null"}
    return names.get(type(value), "a number")
