"""Read a profile: text and metadata, each as far as possible."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, Literal

import msgspec

from benchpin.core.calls import Job
from benchpin.performance.calls import Budget, ProfileBuilder
from benchpin.performance.reading import FaultLog, Unpacker
from benchpin.performance.values import Profile, ProfiledRequest

from ._events import EventDecoder
from ._events04 import Decoder04
from ._events05 import Decoder05
from ._metadata import SpxMetadata, read_metadata
from ._names import FunctionNames
from ._sections import Block, blocks

# More than one, because the first lines may be damaged.
_LINES_LOOKED_AT = 100
# SPX has 22.
_MAX_METRICS = 64
# SPX enables them in every full report, and writes them in this order.
_ALWAYS_ON = ("wt", "zm")

Version = Literal["spx-text-v0.4", "spx-text-v0.5"]


@dataclass(frozen=True, slots=True)
class _Format:
    """How the events of a text are written."""

    version: Version
    metrics: int

    def decoder(self, faults: FaultLog) -> EventDecoder:
        is_old = self.version == "spx-text-v0.4"
        return (Decoder04 if is_old else Decoder05)(self.metrics, faults)


def read_profile(
    metadata: bytes | None, text: BinaryIO, budget: Budget | None = None, job: Job | None = None
) -> Profile:
    """Read a profile; its faults say what is damaged, missing or too much."""
    budget = budget or Budget()
    faults = FaultLog(budget.faults)
    described = read_metadata(metadata, faults)
    unpacker = Unpacker(text, budget.text_bytes)
    rest = blocks(unpacker.chunks(), faults)
    first = next(rest, None)
    if first is None:
        faults.add("byte 0", "no text: the process ended before it wrote any")
    reading = _Reading(_format_of(first, described), budget, job or Job(), faults)
    reading.read(chain([first] if first else [], rest), unpacker)
    return reading.profile(described)


class _Reading:
    """One profile while it is read."""

    def __init__(self, text_format: _Format, budget: Budget, job: Job, faults: FaultLog) -> None:
        self._format = text_format
        self._budget = budget
        self._job = job
        self._faults = faults
        self._decoder = text_format.decoder(faults)
        self._calls = ProfileBuilder(text_format.metrics, budget, faults)
        self._names = FunctionNames(have_place=text_format.version == "spx-text-v0.5")
        self._events = 0
        self._is_full = False

    def read(self, text: Iterable[Block], unpacker: Unpacker) -> None:
        """Read events and names; past the limit of events only names."""
        for block in text:
            if block.section == "functions":
                self._names.read(block, self._calls.tree.seen)
            elif not self._is_full:
                self._take(block)
            self._job.check()
            self._job.report(unpacker.read_bytes, None, "bytes of profile")
            if self._job.is_expired:
                self._faults.add(f"line {block.line}", "the time ran out; the rest is not read")
                self._job.leave_out("the rest of a profile")
                break
        self._faults.extend(unpacker.faults)
        self._names.note_missing(self._calls.tree.seen, self._faults)

    def profile(self, metadata: SpxMetadata | None) -> Profile:
        """Return what was read."""
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
