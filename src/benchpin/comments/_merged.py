"""The lines of a sidecar, such that git merges what two people wrote without losing any of it.

Each comment, marker, sketch and deletion is one line, a line that is added changes no other, and no
two structural lines are equal. So a merge that keeps the lines of both sides (`*.comments
merge=union` in .gitattributes) leaves a file in which only commas may be missing, and records may
be there in two versions. Reading such a file joins the versions. The same holds for a file in which
git left conflict markers.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from ._comment import Json

DELETED = "deleted"
_OWN_KEY = "benchpin"
_COMMENTS, _MARKERS = "comments", "ghostMarkers"
# Objects of which each member is a line.
_TABLES = ("sketches", DELETED)
# Git starts the lines around the sides of a conflict with seven of these.
_SIDES, _BASE = frozenset({b"<<<<<<<", b"=======", b">>>>>>>"}), b"|||||||"
# Structural lines have letters: git joins conflicts that only braces separate, and repeats those.
_HEAD = '{"filePath": '
_OWN_LINE = f'], "{_OWN_KEY}": {{'
_STRUCTURE = frozenset(
    {f'"{_COMMENTS}": [', f'], "{_MARKERS}": [', _OWN_LINE}
    | {f'{close}"{name}": {{' for name in _TABLES for close in ("", "}, ")}
)
_LAST_LINE = re.compile(r'(?:\}, )?"version": ([^{}]*)\}\}')
_BLOB_ID = re.compile(r"[0-9a-f]{40}")
COMMENT_ID = re.compile(r"c_[0-9]+")


def encode_lines(raw: Json) -> bytes:
    """Return a sidecar as it is written: JSON with one record on a line."""
    rest = {key: it for key, it in raw.items() if key not in {_COMMENTS, _MARKERS, _OWN_KEY}}
    own = {**_object_of(raw.get(_OWN_KEY))}
    tables = [(name, _object_of(own.pop(name, None))) for name in _TABLES]
    version = f'"version": {_text(own.pop("version", 1))}}}}}'
    lines = [f"{_HEAD}{_text(rest.pop('filePath', ''))},", *(f"{it}," for it in _members(rest))]
    lines += [f'"{_COMMENTS}": [', *_separated(map(_text, _list(raw.get(_COMMENTS))))]
    lines += [f'], "{_MARKERS}": [', *_separated(map(_text, _list(raw.get(_MARKERS))))]
    lines += [_OWN_LINE, *(f"{it}," for it in _members(own))]
    close = ""
    for name, table in tables:
        if table:
            lines += [f'{close}"{name}": {{', *_separated(_members(table))]
            close = "}, "
    return "\n".join([*lines, f"{close}{version}", ""]).encode("utf-8", "surrogatepass")


def _members(owner: Json) -> list[str]:
    return [f"{_text(key)}: {_text(it)}" for key, it in owner.items()]


def _separated(lines: Iterable[str]) -> list[str]:
    """Put a comma before every line but the first: a line that is added changes no other."""
    return [f",{it}" if number else it for number, it in enumerate(lines)]


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode("utf-8", "surrogatepass")


def repeats_structure(content: bytes) -> bool:
    """Whether a merge repeated structural lines, so that JSON alone would lose what is between."""
    return any(content.count(f"\n{line}\n".encode()) > 1 for line in _STRUCTURE)


def read_merged(content: bytes) -> Json | None:
    """Read a file whose lines git merged: commas may be missing, and conflict markers there.

    Returns None when a line is not one of ours: such a file is damaged.
    """
    merged = _MergedLines()
    try:
        for line in _of_both_sides(content):
            merged.take(line.decode("utf-8", "surrogatepass").strip().strip(","))
    except (ValueError, RecursionError):
        return None
    if not merged.is_whole:
        return None
    tables = {name: table for name, table in merged.tables.items() if table}
    own = {**merged.own, **tables}
    return {**merged.head, _COMMENTS: merged.comments, _MARKERS: merged.markers, _OWN_KEY: own}


@dataclass(slots=True)
class _MergedLines:
    """What the lines of a file have; a line says itself where it belongs, whatever the order."""

    head: Json = field(default_factory=dict)
    own: Json = field(default_factory=dict)
    tables: dict[str, Json] = field(default_factory=lambda: {name: {} for name in _TABLES})
    comments: list[object] = field(default_factory=list)
    markers: list[object] = field(default_factory=list)
    is_own: bool = False
    is_whole: bool = False

    def take(self, line: str) -> None:
        """Read a line.

        Raises:
            ValueError: when it is none of ours.
        """
        if line in _STRUCTURE:
            self.is_own |= line == _OWN_LINE
        elif line.startswith(_HEAD):
            self.head |= _object(f"{line}}}")
        elif line.startswith("{"):
            record = _object(line)
            (self.comments if "text" in record else self.markers).append(record)
        elif end := _LAST_LINE.fullmatch(line):
            self.own["version"] = msgspec.json.decode(end[1])
            self.is_whole = True
        else:
            member = _object(f"{{{line}}}")
            self._owner(next(iter(member), "")).update(member)

    def _owner(self, key: str) -> Json:
        if not self.is_own:
            return self.head
        sketches, deleted = self.tables.values()
        return (
            sketches
            if _BLOB_ID.fullmatch(key)
            else deleted
            if COMMENT_ID.fullmatch(key)
            else self.own
        )


def _object(text: str) -> Json:
    return msgspec.json.decode(text.encode("utf-8", "surrogatepass"), type=dict)


def _object_of(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _own(entry: Json, key: str) -> object:
    return _object_of(entry.get(_OWN_KEY)).get(key)


def _of_both_sides(content: bytes) -> Iterator[bytes]:
    """Yield the lines of both sides of conflicts, without those of the common ancestor."""
    is_base = False
    for line in content.split(b"\n"):
        mark = line[:7]
        if mark in _SIDES or mark == _BASE:
            is_base = mark == _BASE
        elif not is_base and line.strip():
            yield line


def is_merged(raw: Json) -> bool:
    """Whether a comment or marker is there in two versions, or deleted and there."""
    comments, markers = _ids_of(raw.get(_COMMENTS)), _ids_of(raw.get(_MARKERS))
    has_doubles = len({*comments}) < len(comments) or len({*markers}) < len(markers)
    return has_doubles or not _object_of(_own(raw, DELETED)).keys().isdisjoint(comments)


def _ids_of(records: object) -> list[str]:
    ids = [it.get("id") for it in _list(records) if isinstance(it, dict)]
    return [it for it in ids if isinstance(it, str)]


def joined(raw: Json) -> Json:
    """Return a sidecar with each comment and marker once, joined from its versions."""
    found = dict(raw)
    for name, join in ((_COMMENTS, _join_comments), (_MARKERS, _join_markers)):
        by_id: dict[str, Json] = {}
        others: list[object] = []
        for record in _list(raw.get(name)):
            own_id = record.get("id") if isinstance(record, dict) else None
            if isinstance(record, dict) and isinstance(own_id, str):
                by_id[own_id] = join(by_id[own_id], record) if own_id in by_id else record
            else:
                others.append(record)
        found[name] = [*by_id.values(), *others]
    deleted = _object_of(_own(raw, DELETED))
    found[_COMMENTS] = [it for it in _list(found[_COMMENTS]) if not _is_deleted(it, deleted)]
    return found


def _is_deleted(record: object, deleted: Json) -> bool:
    """Whether a comment was deleted, and has no text that the one who deleted it had not seen."""
    own_id = record.get("id") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(own_id, str) or own_id not in deleted:
        return False
    return text_key(str(record.get("text"))) in _list(deleted[own_id])


def texts_seen(entry: Json) -> list[object]:
    """Return the keys of the texts that a comment had, by which a deletion says what it deleted."""
    return [*_list(_own(entry, "replaces")), text_key(str(entry.get("text")))]


def text_key(text: str) -> str:
    """Return a short key of a text, by which a later version says what it replaced."""
    return f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}"


def _join_comments(one: Json, other: Json) -> Json:
    """Return a comment that two people changed: the later text, and the later status.

    A text that the other one had not seen is kept beside the later one.
    """
    first, second = sorted((one, other), key=_text_time)
    by_status = max((one, other), key=_status_time)
    merged = {**first, **second}
    for name in ("status", "resolvedBy", "resolvedAt"):
        merged.pop(name, None)
        if name in by_status:
            merged[name] = by_status[name]
    merged["updated"] = max(str(one.get("updated", "")), str(other.get("updated", "")))
    own = {**_object_of(first.get(_OWN_KEY)), **_object_of(second.get(_OWN_KEY))}
    if (status_set := _own(by_status, "statusSet")) is not None:
        own["statusSet"] = status_set
    also = [it for side in (first, second) for it in _list(_own(side, "alsoSays"))]
    lost, seen = first.get("text"), _list(_own(second, "replaces"))
    if isinstance(lost, str) and lost != second.get("text") and text_key(lost) not in seen:
        also.append(lost)
    if also:
        own["alsoSays"] = list(dict.fromkeys(it for it in also if isinstance(it, str)))
    return {**merged, _OWN_KEY: own} if own else merged


# The text and the status decide between equal times: both sides of a merge get the same result.
def _text_time(entry: Json) -> tuple[str, str]:
    return str(_own(entry, "edited") or entry.get("created", "")), str(entry.get("text"))


def _status_time(entry: Json) -> tuple[str, str]:
    set_at = _own(entry, "statusSet") or entry.get("resolvedAt") or ""
    return str(set_at), str(entry.get("status"))


def _join_markers(one: Json, other: Json) -> Json:
    """Return a marker with the comments of both versions, and one of the two stored lines."""
    ids = [it for side in (one, other) for it in _list(side.get("commentIds"))]
    later = max((one, other), key=lambda it: str(it.get("line", "")))
    return {**one, **later, "commentIds": list(dict.fromkeys(map(str, ids)))}
