"""Profiles of PHP made by SPX: full reports of 0.4 and 0.5, complete or damaged."""

import codecs
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import msgspec

from benchpin.performance.calls import Name, ProfileBuilder
from benchpin.performance.reading import (
    ArtifactSource,
    Broken,
    FaultLog,
    decode,
    redact_command,
    redact_url,
)
from benchpin.performance.values import Profile, ProfiledRequest

from ._format import HEAD_BYTES, ArtifactFormat, FileHead, Problem
from ._spx_events import Block, Decoder04, Decoder05, EventDecoder, blocks

SPX_METADATA = "spx-json-v2"
_EVENTS = b"[events]"
_EVENT_V1 = re.compile(rb"\d+ [01](?: -?[\d.]+)+\s*")
_EVENT_V2 = re.compile(rb"(?:[0-9a-f]*\|r?\d+|-r?\d*)(?:\|a?-?[\d.]*)+\s*")
_METADATA_MEMBERS = {
    "cli_command_line",
    "called_function_count",
    "enabled_metrics",
    "exec_ts",
    "http_request_uri",
    "recorded_call_count",
    "wall_time_ms",
}
# More than one, because the first lines may be damaged.
_LINES_LOOKED_AT = 100
# SPX has 22.
_MAX_METRICS = 64
# SPX enables them in every full report, and writes them in this order.
_ALWAYS_ON = ("wt", "zm")
Version = Literal["spx-text-v0.4", "spx-text-v0.5"]
_MAX_NAME_CHARS = 1_000
_CLOSURE = "{closure}"
_LINE_NUMBER = re.compile(r"[0-9]{1,9}")
_ABSENT = "n/a"
_US_PER_S = 1_000_000
_NS_PER_US = 1_000
_MAX_TEXT_CHARS = 2_000
_METRIC = re.compile(r"[A-Za-z0-9_]{1,32}")


# Read the JSON that SPX writes beside a profile, without what may be secret.


@dataclass(frozen=True, slots=True)
class SpxMetadata:
    """The request and the metrics of a profile."""

    request: ProfiledRequest
    metrics: tuple[str, ...]


class _Written(msgspec.Struct):
    """SPX's JSON; every field may be missing or null."""

    key: str | None = None
    exec_ts: int | None = None
    process_pid: int | None = None
    cli_command_line: str | None = None
    http_request_uri: str | None = None
    http_method: str | None = None
    http_request_method: str | None = None
    http_host: str | None = None
    wall_time_ms: int | None = None
    peak_memory_usage: int | None = None
    recorded_call_count: int | None = None
    enabled_metrics: list[str] = []


def read_metadata(text: bytes | None, faults: FaultLog) -> SpxMetadata | None:
    """Decode the JSON beside a profile; None, and a fault, where that is not possible."""
    if text is None:
        faults.add("metadata", "missing: metrics are named by their order")
        return None
    try:
        written = msgspec.json.decode(text.decode("utf-8", "replace"), type=_Written)
    except (ValueError, RecursionError) as error:
        faults.add("metadata", f"not SPX's JSON: {error}")
        return None
    metrics = [
        name if _METRIC.fullmatch(name) else f"metric_{place}"
        for place, name in enumerate(written.enabled_metrics, start=1)
    ]
    return SpxMetadata(_written_request(written), tuple(metrics))


def _written_request(written: _Written) -> ProfiledRequest:
    uri = _text(written.http_request_uri)
    command = _text(written.cli_command_line)
    host = _text(written.http_host)
    return ProfiledRequest(
        key=_text(written.key) or "",
        started_at_us=_scaled(written.exec_ts, _US_PER_S),
        method=_text(written.http_method) or _text(written.http_request_method),
        uri=None if uri is None else redact_url(uri),
        host=None if host is None else redact_url(host),
        command=None if command is None else redact_command(command),
        process_id=written.process_pid,
        # The field's name says milliseconds; SPX divides nanoseconds by a thousand.
        wall_time_ns=_scaled(written.wall_time_ms, _NS_PER_US),
        peak_memory_bytes=written.peak_memory_usage,
        recorded_calls=written.recorded_call_count,
    )


def _text(text: str | None) -> str | None:
    return None if text is None or text == _ABSENT else text[:_MAX_TEXT_CHARS]


def _scaled(number: int | None, factor: int) -> int | None:
    return None if number is None else number * factor


@dataclass(frozen=True, slots=True)
class _Format:
    """How the events of a text are written."""

    version: Version
    metrics: int

    def decoder(self, faults: FaultLog) -> EventDecoder:
        is_old = self.version == "spx-text-v0.4"
        return (Decoder04 if is_old else Decoder05)(self.metrics, faults)


def read_profile(source: ArtifactSource) -> Profile:
    """Read a profile; its faults say what is damaged, missing or too much."""
    described = read_metadata(source.request.metadata, source.faults)
    rest = blocks(source.unpacked(source.budget.text_bytes), source.faults)
    first = next(rest, None)
    if first is None:
        source.faults.add("byte 0", "no text: the process ended before it wrote any")
    reading = _Reading(_format_of(first, described), source)
    reading.read(chain([first] if first else [], rest))
    source.note_damage()
    reading.note_missing()
    return reading.profile(described)


class _Reading:
    """One profile while it is read."""

    def __init__(self, text_format: _Format, source: ArtifactSource) -> None:
        self._format = text_format
        self._budget = source.budget
        self._faults = source.faults
        self._decoder = text_format.decoder(source.faults)
        self._calls = ProfileBuilder(text_format.metrics, source)
        self._names = FunctionNames(have_place=text_format.version == "spx-text-v0.5")
        self._events = 0
        self._is_full = False

    def read(self, text: Iterable[Block]) -> None:
        for block in text:
            if block.section == "functions":
                self._names.read(block, self._calls.tree.seen)
            elif not self._is_full:
                self._take(block)

    def note_missing(self) -> None:
        """Note the names that the text lacks."""
        self._names.note_missing(self._calls.tree.seen, self._faults)

    def profile(self, metadata: SpxMetadata | None) -> Profile:
        width = self._format.metrics
        if self._events == 0:
            self._faults.add("text", "no event could be read")
        if metadata and metadata.metrics and len(metadata.metrics) != width:
            problem = f"{len(metadata.metrics)} metrics, but {width} in the text"
            self._faults.add("metadata", problem)
        return self._calls.profile(
            self._format.version,
            _metric_names(metadata, width),
            self._names.known,
            events=self._events,
            request=_request(metadata.request, self._format.version) if metadata else None,
            recorded_calls=metadata.request.recorded_calls if metadata else None,
        )

    def _take(self, block: Block) -> None:
        events = self._decoder.decode(block)
        left = self._budget.events - self._events
        if len(events.enters) > left:
            events = events.first(left)
            self._stop_at(block, f"more than {self._budget.events} events")
        self._events += len(events.enters)
        self._calls.tree.feed(
            events, lambda line, problem: self._faults.add(f"line {line}", problem)
        )
        if len(self._calls.tree.seen) > self._budget.functions:
            self._stop_at(block, f"more than {self._budget.functions} functions")
        if self._calls.is_over_limit and not self._calls.make_room():
            depth = len(self._calls.tree.open)
            self._stop_at(block, f"calls nested more than {depth} deep")

    def _stop_at(self, block: Block, reason: str) -> None:
        self._is_full = True
        self._faults.add(f"line {block.line}", f"{reason}; the events after that are not read")


def _format_of(block: Block | None, metadata: SpxMetadata | None) -> _Format:
    """Recognise the format by the majority of the first lines."""
    has_events = block is not None and block.section == "events"
    lines = block.text.split(b"\n", _LINES_LOOKED_AT)[:-1] if block and has_events else []
    is_new = 2 * sum(b"|" in line for line in lines) > len(lines)
    if is_new:
        widths = Counter(line.count(b"|") - (not line.startswith(b"-")) for line in lines)
    else:
        widths = Counter(line.count(b" ") - 1 for line in lines)
    [(metrics, _)] = widths.most_common(1) or [(0, 0)]
    if not 1 <= metrics <= _MAX_METRICS:
        metrics = len(metadata.metrics) if metadata and metadata.metrics else 1
    return _Format("spx-text-v0.5" if is_new else "spx-text-v0.4", min(metrics, _MAX_METRICS))


def _metric_names(metadata: SpxMetadata | None, count: int) -> tuple[str, ...]:
    names = metadata.metrics if metadata else ()
    if not names:
        names = _ALWAYS_ON if count <= len(_ALWAYS_ON) else _ALWAYS_ON[:1]
    return tuple(
        names[place] if place < len(names) else f"metric_{place + 1}" for place in range(count)
    )


def _request(request: ProfiledRequest, version: Version) -> ProfiledRequest:
    """Drop the peak memory of 0.4, which is really the memory in use at the end."""
    is_right = version != "spx-text-v0.4"
    return request if is_right else msgspec.structs.replace(request, peak_memory_bytes=None)


# Read the names of functions, which follow all events.


class FunctionNames:
    """The names of the functions that were called, by number."""

    def __init__(self, *, have_place: bool) -> None:
        """Expect `file:line:name`, which SPX writes since 0.5, or plain names."""
        self._have_place = have_place
        self._count = 0
        self.known: dict[int, Name] = {}

    def read(self, block: Block, called: Collection[int]) -> None:
        lines = block.text.removesuffix(b"\n").split(b"\n")
        for number, line in enumerate(lines, self._count):
            if number in called:
                text = line[:_MAX_NAME_CHARS].decode("utf-8", "replace")
                self.known[number] = _placed(text) if self._have_place else Name(text)
        self._count += len(lines)

    def note_missing(self, called: Collection[int], faults: FaultLog) -> None:
        unknown = len(called) - len(self.known)
        if called and self._count == 0:
            faults.add("end of text", "no [functions]; functions are named by their number")
        elif unknown:
            faults.add("[functions]", f"{unknown} called functions have no name")


def _placed(text: str) -> Name:
    """Split `file:line:name` like SPX's own pages, so that names are the same as there."""
    file, _, rest = text.partition(":")
    line, has_name, function = rest.partition(":")
    if not has_name:
        return Name(text)
    if function == _CLOSURE:
        function = f"{{closure:{file}:{line}}}"
    number = int(line) if _LINE_NUMBER.fullmatch(line) else 0
    return Name(function, file.strip() or None, number or None)


def _text_format(name: str, event: re.Pattern[bytes] | None) -> ArtifactFormat:

    def fits(head: FileHead) -> bool | Problem:
        start, mark, after = head.content.partition(_EVENTS)
        if not mark or start.removeprefix(codecs.BOM_UTF8).strip():
            return False
        if event is None:
            return Problem("no SPX event follows [events]", is_readable=True)
        return any(map(event.fullmatch, after.lstrip(b"\r\n").split(b"\n", 100)[:100]))

    return ArtifactFormat(name, "spx", fits, read_profile, Profile, None)


def _is_metadata(head: FileHead) -> bool | Problem:
    """Recognise the JSON beside a text, complete or damaged."""
    if len(_METADATA_MEMBERS & head.members.keys()) < 2:  # noqa: PLR2004, one may be chance
        return False
    if len(head.content) == HEAD_BYTES:  # there is more of it, which the reader will check
        return True
    if "enabled_metrics" not in head.members:
        return Problem("the SPX metadata lacks enabled_metrics", is_readable=True)
    try:
        decode(head.text)
    except Broken as error:
        return Problem(f"the SPX metadata is damaged: {error.problem}", is_readable=True)
    return True


# What SPX 0.4 writes is v1, and what 0.5 writes is v2.
TEXT_FORMATS = (
    _text_format("spx-text{packing}-v1", _EVENT_V1),
    _text_format("spx-text{packing}-v2", _EVENT_V2),
    _text_format("spx-text{packing}", None),
)
METADATA_FORMAT = ArtifactFormat(
    SPX_METADATA, "spx", _is_metadata, lambda *_: None, Profile, None, is_packable=False
)
