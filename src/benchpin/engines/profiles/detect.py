"""Tell what an artefact is by its content; its name only helps to say what is wrong.

Versions of SPX text are `spx-text[-gz|-zst]-v1` for what SPX 0.4 writes and `-v2` for 0.5.
"""

import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import BinaryIO, Literal

import msgspec

from .json_document import Broken, decode, outline
from .model import ArtifactType, Value
from .timings import timings_version

PairStatus = Literal["paired", "missing_text", "missing_metadata"]
Packing = Literal["", "-gz", "-zst"]
SPX_METADATA = "spx-json-v2"
SPX_TEXT_ENDINGS = (".txt.gz", ".txt.zst", ".txt")
SLOW_LOG = "mysql-slowlog-v1"
HEAD_BYTES = 64 << 10
SLOW_LOG_BYTES = 16 << 20
"""How far the first event of a slow log is looked for: it may begin inside a long statement."""
_WINDOW_BYTES = 1 << 20
_BITE_BYTES = 256
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
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


class Validation(Value, frozen=True):
    """What an artefact is, or why it cannot be used."""

    ok: bool
    detected_type: ArtifactType | None
    detected_version: str | None
    errors: tuple[str, ...] = ()
    metadata: dict[str, str] = msgspec.field(default_factory=dict)


def validate(file: BinaryIO, name: str = "") -> Validation:
    """Tell what a file holds by how it begins; at most 16 MiB of it are read.

    Raises:
        OSError: when it cannot be read.
    """
    head = file.read(HEAD_BYTES)
    if not head:
        return _empty(name)
    packing: Packing = "-gz" if head.startswith(_GZIP) else "-zst" if head.startswith(_ZSTD) else ""
    unpacked = _unpacked(head, packing)
    if unpacked.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(_EVENTS):
        return _spx_text(unpacked, packing)
    if packing and _looks_like_log(unpacked):
        return Validation(True, "mysql_slow_log", f"mysql-slowlog{packing}-v1")
    if packing:
        return _unusable_packing(unpacked, packing)
    if found := _spx_metadata(head):
        return found
    if timings := timings_version(head):
        return Validation(True, "ttfb_timings", timings)
    if _is_slow_log(head, file):
        return Validation(True, "mysql_slow_log", SLOW_LOG)
    return _failed("unsupported artifact format")


def with_pairs(
    found: Mapping[str, Validation], exists: Callable[[str], bool] = lambda _path: False
) -> dict[str, Validation]:
    """Say of each part of an SPX report whether its other half is among the paths.

    `exists` may look further, for a half that lies beside and was not named.
    """
    named = [(path, it) for path, it in found.items() if it.detected_type == "spx"]
    metadata = {spx_stem(path) for path, it in named if it.detected_version == SPX_METADATA}
    texts = {spx_stem(path) for path, it in named if it.detected_version != SPX_METADATA}

    def status(path: str, validation: Validation) -> PairStatus:
        stem = spx_stem(path)
        if validation.detected_version == SPX_METADATA:
            beside = (stem + it for it in SPX_TEXT_ENDINGS)
            return "paired" if stem in texts or any(map(exists, beside)) else "missing_text"
        return "paired" if stem in metadata or exists(f"{stem}.json") else "missing_metadata"

    return {
        path: it
        if it.detected_type != "spx"
        else msgspec.structs.replace(it, metadata={**it.metadata, "pair_status": status(path, it)})
        for path, it in found.items()
    }


def spx_stem(path: str) -> str:
    """Return what the names of both halves of an SPX report begin with."""
    name = _SPX_NAME.fullmatch(path)
    return name[1] if name else path


def _failed(error: str, kind: ArtifactType | None = None, version: str | None = None) -> Validation:
    return Validation(False, kind, version, (error,))


def _empty(name: str) -> Validation:
    if _SPX_TEXT_NAME.fullmatch(name):
        return _failed("the SPX text is empty: the process hung or was killed", "spx")
    return _failed("the file is empty")


def _unpacked(head: bytes, packing: Packing) -> bytes:
    """Return the first bytes of what is packed, as far as they can be had."""
    if packing == "-gz":
        return _unpacked_gzip(head)
    if packing == "-zst":
        return _unpacked_zstd(head)
    return head


def _unpacked_gzip(head: bytes) -> bytes:
    """Unpack in small bites, because one that is damaged gives nothing at all."""
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    unpacked = b""
    with suppress(zlib.error):
        for at in range(0, len(head), _BITE_BYTES):
            bite = unpacking.unconsumed_tail + head[at : at + _BITE_BYTES]
            unpacked += unpacking.decompress(bite, HEAD_BYTES)
            if len(unpacked) >= HEAD_BYTES:
                break
    return unpacked


def _unpacked_zstd(head: bytes) -> bytes:
    import zstandard

    reader = zstandard.ZstdDecompressor(max_window_size=128 << 20).stream_reader(head)
    unpacked = b""
    with suppress(zstandard.ZstdError):
        while len(unpacked) < HEAD_BYTES and (piece := reader.read(4096)):
            unpacked += piece
    return unpacked


def _spx_text(text: bytes, packing: Packing) -> Validation:
    _, _, after = text.partition(_EVENTS)
    lines = after.lstrip(b"\r\n").split(b"\n", 100)[:100]
    for number, event in ((1, _EVENT_V1), (2, _EVENT_V2)):
        if any(map(event.fullmatch, lines)):
            return Validation(True, "spx", f"spx-text{packing}-v{number}")
    return _failed("no event of SPX follows [events]", "spx", f"spx-text{packing}")


def _unusable_packing(unpacked: bytes, packing: Packing) -> Validation:
    words = "gzip" if packing == "-gz" else "zstd"
    if not unpacked:
        return _failed(f"the {words} data is damaged from its start")
    if timings_version(unpacked):
        return _failed(f"{words} data that is no SPX text: unpack it first")
    return _failed(f"unsupported artifact format inside {words} data")


def _spx_metadata(head: bytes) -> Validation | None:
    """Recognise the metadata of SPX, whole or not."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    if not text.startswith("{"):
        return None
    places = outline(text)
    if len(_SPX_MEMBERS & places.keys()) < 2:  # noqa: PLR2004, one may be chance
        return None
    if len(head) == HEAD_BYTES:  # there is more of it, which its reader will judge
        return Validation(True, "spx", SPX_METADATA)
    if "enabled_metrics" not in places:
        return _failed("the SPX metadata lacks enabled_metrics", "spx", SPX_METADATA)
    try:
        decode(text)
    except Broken as error:
        return _failed(f"the SPX metadata is damaged: {error.problem}", "spx", SPX_METADATA)
    return Validation(True, "spx", SPX_METADATA)


def _is_slow_log(head: bytes, file: BinaryIO) -> bool:
    """Look for an event, through all windows; else for the marks by which a log begins."""
    return any(map(_QUERY_TIME.search, _windows(head, file))) or _looks_like_log(head)


def _looks_like_log(head: bytes) -> bool:
    return bool(_QUERY_TIME.search(head) or _LOOKS_LIKE_LOG.search(head))


def _windows(head: bytes, file: BinaryIO) -> Iterable[bytes]:
    """Yield pieces that overlap by more than a header line is long."""
    yield head
    read = len(head)
    rest = head[-512:]
    while read < SLOW_LOG_BYTES and (piece := file.read(_WINDOW_BYTES)):
        read += len(piece)
        yield rest + piece
        rest = piece[-512:]
