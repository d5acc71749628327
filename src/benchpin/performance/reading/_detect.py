"""Recognise an artefact by its content; its name only helps to explain what is wrong.

Versions of SPX text are `spx-text[-gz|-zst]-v1` for what SPX 0.4 writes and `-v2` for 0.5.
"""

import io
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Literal

from benchpin.performance.digests import digest_table, missing_columns
from benchpin.performance.formats import profile_format
from benchpin.performance.pglog import log_format
from benchpin.performance.plans import plan_format
from benchpin.performance.timings import timings_version
from benchpin.performance.values import ArtifactType

from ._partial_json import Broken, decode, outline
from ._unpacking import Packing, Unpacker

PairStatus = Literal["paired", "missing_text", "missing_metadata"]
SPX_METADATA = "spx-json-v2"
SPX_TEXT_ENDINGS = (".txt.gz", ".txt.zst", ".txt")
SLOW_LOG = "mysql-slowlog-v1"
HEAD_BYTES = 64 << 10
# How far to look for the first event: a log may begin inside a long statement.
SLOW_LOG_BYTES = 16 << 20
_WINDOW_BYTES = 1 << 20
# More than a header line is long.
_OVERLAP_BYTES = 512
_SUFFIXES: dict[Packing, str] = {"gzip": "-gz", "zstd": "-zst", "plain": ""}
_SPX_MEMBERS = {
    "cli_command_line",
    "called_function_count",
    "enabled_metrics",
    "exec_ts",
    "http_request_uri",
    "recorded_call_count",
    "wall_time_ms",
}
_SPX_NAME = re.compile(r"(.*)\.(?:json|txt(?:\.gz|\.zst)?)", re.DOTALL)
_SPX_TEXT_NAME = re.compile(r".*spx-full-.*\.txt(\.gz|\.zst)?", re.DOTALL)
_EVENT_V1 = re.compile(rb"\d+ [01](?: -?[\d.]+)+\s*")
_EVENT_V2 = re.compile(rb"(?:[0-9a-f]*\|r?\d+|-r?\d*)(?:\|a?-?[\d.]*)+\s*")
_EVENTS = b"[events]"
_QUERY_TIME = re.compile(rb"(?:^|[\n\r\0])#[^\r\n]{0,200}Query_time: *\d")
_LOOKS_LIKE_LOG = re.compile(
    rb"(?:^|\n)(?:# User@Host: |# Time: \d|# administrator command: "
    rb"|Tcp port: \d|Time +Id Command +Argument|[^\n]{1,400}Version: [^\n]{1,400}started with:)"
)


@dataclass(frozen=True, slots=True)
class Validation:
    """What a file is, or why it cannot be used."""

    path: str
    ok: bool
    detected_type: ArtifactType | None
    """None when it is no artefact."""
    detected_version: str | None
    errors: tuple[str, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    """For SPX, pair_status: paired, missing_text or missing_metadata."""

    @property
    def is_spx_metadata(self) -> bool:
        """Whether it is the JSON half of an SPX report."""
        return self.detected_version == SPX_METADATA

    @property
    def is_spx_text(self) -> bool:
        """Whether it is the text half of an SPX report."""
        return self.detected_type == "spx" and not self.is_spx_metadata


def validate(file: BinaryIO, path: str = "") -> Validation:
    """Recognise a file by its beginning; at most 16 MiB of it are read.

    Raises:
        OSError: when it cannot be read.
    """
    return replace(_recognised(file, path), path=path)


def _recognised(file: BinaryIO, path: str) -> Validation:
    head = file.read(HEAD_BYTES)
    if not head:
        return _empty(path)
    unpacker = Unpacker(io.BytesIO(head), HEAD_BYTES)
    unpacked, packing = b"".join(unpacker.chunks()), unpacker.packing
    if unpacked.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_EVENTS):
        return _spx_text(unpacked, packing)
    if found := _by_any_packing(unpacked):
        return found
    if packing != "plain" and _looks_like_log(unpacked):
        return _usable("mysql_slow_log", f"mysql-slowlog{_SUFFIXES[packing]}-v1")
    if packing != "plain":
        return _unusable_packing(unpacked, packing)
    if found := _spx_metadata(head):
        return found
    if timings := timings_version(head):
        return _usable("ttfb_timings", timings)
    if _is_slow_log(head, file):
        return _usable("mysql_slow_log", SLOW_LOG)
    return _failed("unsupported artifact format")


def _by_any_packing(head: bytes) -> Validation | None:
    """Recognise what is read the same way, packed or not."""
    if table := digest_table(head):
        missing = ", ".join(missing_columns(table, head))
        lacks = f"an export of {table.type} without {missing}: export all columns"
        return _failed(lacks) if missing else _usable(table.type, table.version)
    if profile := profile_format(head):
        return _usable("profile", profile)
    if log := log_format(head):
        return _usable("postgresql_log", log)
    plan = plan_format(head)
    return _usable("query_plan", plan) if plan else None


def with_pairs(
    found: Mapping[str, Validation], exists: Callable[[str], bool] = lambda _path: False
) -> dict[str, Validation]:
    """Add to each half of an SPX report whether its other half is among the paths.

    `exists` may also accept a half that was not named.
    """
    metadata = {spx_stem(path) for path, it in found.items() if it.is_spx_metadata}
    texts = {spx_stem(path) for path, it in found.items() if it.is_spx_text}

    def status(path: str, validation: Validation) -> PairStatus:
        stem = spx_stem(path)
        if validation.is_spx_metadata:
            beside = (stem + it for it in SPX_TEXT_ENDINGS)
            return "paired" if stem in texts or any(map(exists, beside)) else "missing_text"
        return "paired" if stem in metadata or exists(f"{stem}.json") else "missing_metadata"

    return {
        path: it
        if it.detected_type != "spx"
        else replace(it, metadata={**it.metadata, "pair_status": status(path, it)})
        for path, it in found.items()
    }


def spx_stem(path: str) -> str:
    """Return the common beginning of the names of both halves of an SPX report."""
    name = _SPX_NAME.fullmatch(path)
    return name[1] if name else path


def _usable(kind: ArtifactType, version: str) -> Validation:
    return Validation("", ok=True, detected_type=kind, detected_version=version)


def _failed(error: str, kind: ArtifactType | None = None, version: str | None = None) -> Validation:
    return Validation("", ok=False, detected_type=kind, detected_version=version, errors=(error,))


def _empty(path: str) -> Validation:
    if _SPX_TEXT_NAME.fullmatch(path):
        return _failed("the SPX text is empty: the process hung or was killed", "spx")
    return _failed("the file is empty")


def _spx_text(text: bytes, packing: Packing) -> Validation:
    _, _, after = text.partition(_EVENTS)
    lines = after.lstrip(b"\r\n").split(b"\n", 100)[:100]
    for number, event in ((1, _EVENT_V1), (2, _EVENT_V2)):
        if any(map(event.fullmatch, lines)):
            return _usable("spx", f"spx-text{_SUFFIXES[packing]}-v{number}")
    return _failed("no SPX event follows [events]", "spx", f"spx-text{_SUFFIXES[packing]}")


def _unusable_packing(unpacked: bytes, packing: Packing) -> Validation:
    if not unpacked:
        return _failed(f"the {packing} data is damaged from its start")
    if timings_version(unpacked):
        return _failed(f"timings inside {packing} data: unpack them first")
    return _failed(f"unsupported artifact format inside {packing} data")


def _spx_metadata(head: bytes) -> Validation | None:
    """Recognise the metadata of SPX, complete or damaged."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    if not text.startswith("{"):
        return None
    places = outline(text)
    if len(_SPX_MEMBERS & places.keys()) < 2:  # noqa: PLR2004, one may be chance
        return None
    if len(head) == HEAD_BYTES:  # there is more of it, which the reader will check
        return _usable("spx", SPX_METADATA)
    if "enabled_metrics" not in places:
        return _failed("the SPX metadata lacks enabled_metrics", "spx", SPX_METADATA)
    try:
        decode(text)
    except Broken as error:
        return _failed(f"the SPX metadata is damaged: {error.problem}", "spx", SPX_METADATA)
    return _usable("spx", SPX_METADATA)


def _is_slow_log(head: bytes, file: BinaryIO) -> bool:
    """Look for an event in all windows, and else for the first lines of a log."""
    return any(map(_QUERY_TIME.search, _windows(head, file))) or _looks_like_log(head)


def _looks_like_log(head: bytes) -> bool:
    return bool(_QUERY_TIME.search(head) or _LOOKS_LIKE_LOG.search(head))


def _windows(head: bytes, file: BinaryIO) -> Iterable[bytes]:
    """Yield overlapping pieces, so that no header line is cut in two."""
    yield head
    read = len(head)
    rest = head[-_OVERLAP_BYTES:]
    while read < SLOW_LOG_BYTES and (piece := file.read(_WINDOW_BYTES)):
        read += len(piece)
        yield rest + piece
        rest = piece[-_OVERLAP_BYTES:]
