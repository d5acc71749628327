"""Recordings of Java Flight Recorder: what the JDK writes, and async-profiler with `jfr`."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec

from benchpin.core.errors import InvalidParams
from benchpin.performance.calls import ProfileBuilder
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import Cost, Profile

from ._jfr_chunk import (
    CLASSES,
    HEADER_BYTES,
    MAGIC,
    METHODS,
    STACKS,
    SYMBOLS,
    ChunkHeader,
    Damaged,
    JfrChunk,
    JfrEvent,
    Value,
)
from ._source import NS_PER_UNIT, FunctionTable, profile_format, whole

NAME = "jfr"
# The JDK begins a new chunk after 12 MB, async-profiler after 100 MB.
_MAX_CHUNK_BYTES = 128 << 20
_MAX_FILE_BYTES = 256 << 20
_VERSION = 2
METRICS = ("ct", "samples", "alloc_bytes", "blocked_ns", "io_ns", "native_samples", "wall_samples")
_CT, _SAMPLES, _ALLOCATED, _BLOCKED, _IO, _NATIVE, _WALL = range(len(METRICS))


class _Kind(NamedTuple):
    """What an event counts."""

    metric: int
    amount: str = ""
    """The field to add up; empty for the events themselves."""
    is_ticks: bool = False


_EXECUTION, _CPU_TIME = "jdk.ExecutionSample", "jdk.CPUTimeSample"
_ALLOCATION = "jdk.ObjectAllocationSample"
_IN_BUFFER, _OUTSIDE = "jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"
_SETTING = "jdk.ActiveSetting"
_KINDS = {
    _EXECUTION: _Kind(_SAMPLES),
    _CPU_TIME: _Kind(_SAMPLES),
    "jdk.NativeMethodSample": _Kind(_NATIVE),
    "profiler.WallClockSample": _Kind(_WALL, "samples"),
    _ALLOCATION: _Kind(_ALLOCATED, "weight"),
    _IN_BUFFER: _Kind(_ALLOCATED, "tlabSize"),
    _OUTSIDE: _Kind(_ALLOCATED, "allocationSize"),
    "jdk.JavaMonitorEnter": _Kind(_BLOCKED, "duration", is_ticks=True),
    **dict.fromkeys(
        ("jdk.SocketRead", "jdk.SocketWrite", "jdk.FileRead", "jdk.FileWrite", "jdk.FileForce"),
        _Kind(_IO, "duration", is_ticks=True),
    ),
}
# Of two that measure the same, the first is taken.
_INSTEAD = ((_CPU_TIME, (_EXECUTION,)), (_ALLOCATION, (_IN_BUFFER, _OUTSIDE)))
_PERIOD = re.compile(r"([0-9]{1,9})(?: ?(ns|us|ms|s))?")
_UNITS = {"ns": "nanoseconds", "us": "microseconds", "ms": "milliseconds", "s": "seconds"}
# What async-profiler takes for an interval of 0, of the events whose interval is a time.
_DEFAULT_NS = 10_000_000
_TIMED = frozenset({"cpu", "itimer", "ctimer"})
# The number of a class that the virtual machine made differs from run to run.
_NUMBERED = re.compile(r"(?<=\$\$Lambda)\$[0-9]+|[+/]0x[0-9a-f]+")
# As for the loops of the chunk: each step stands for several calls.
_STEPS = 40
_CUT = "(callers not recorded)"


def read(source: ArtifactSource) -> Profile:
    """Read samples of processor time, allocations, and what was waited for.

    Processor time is samples times their period, as in other profiles of samples.
    """
    calls = ProfileBuilder(len(METRICS), source)
    functions = FunctionTable(source)
    events = 0
    for content, header in _chunks(source):
        try:
            stacks = _Stacks(JfrChunk(content, header, source), functions, source)
        except Damaged as error:
            source.faults.add(f"byte {error.at} of a chunk", "its types cannot be read")
            continue
        events += stacks.add(calls)
    if not events:
        source.faults.add("events", "the recording has no samples with a stack")
    return _without_nothing(calls.profile(NAME, METRICS, functions.names, events=events))


def _chunks(source: ArtifactSource) -> Iterator[tuple[bytes, ChunkHeader]]:
    """Yield the chunks of a file, the last one as far as it is there."""
    rest = bytearray()
    for piece in source.chunks():
        rest += piece
        while len(rest) >= HEADER_BYTES:
            header = _header(rest, source)
            if header is None:
                return
            if not 0 < header.size_bytes <= len(rest):
                break
            yield bytes(rest[: header.size_bytes]), header
            del rest[: header.size_bytes]
        if len(rest) > _MAX_CHUNK_BYTES:
            raise InvalidParams(
                f"a chunk of the recording is larger than {_MAX_CHUNK_BYTES >> 20} MiB",
                suggestion="Record a shorter time, or set maxchunksize in FlightRecorderOptions.",
            )
    if rest:
        source.faults.add("end of file", "the recording ends within a chunk")
        if len(rest) >= HEADER_BYTES and (header := _header(rest, source)):
            yield bytes(rest), header


def _header(content: bytearray, source: ArtifactSource) -> ChunkHeader | None:
    header = ChunkHeader.of(content)
    if header is None or 0 < header.size_bytes < HEADER_BYTES:
        source.faults.add("chunk", "no chunk begins where one should; the rest is not read")
        return None
    if header.major != _VERSION or not header.is_compressed:
        raise InvalidParams(
            f"the recording has version {header.major} of the format"
            + ("" if header.is_compressed else ", without compressed numbers"),
            suggestion="Record it with Java 9 or later, or with async-profiler.",
        )
    return header


class _Stacks:
    """What the events of a chunk add up to, by the number of their stack."""

    def __init__(self, chunk: JfrChunk, functions: FunctionTable, source: ArtifactSource) -> None:
        self._chunk = chunk
        self._functions = functions
        self._source = source
        self._methods: dict[int, int] = {}
        self._ns_per_tick = 1_000_000_000 / chunk.header.ticks_per_s

    def add(self, calls: ProfileBuilder) -> int:
        """Add the costs of the chunk, and return how many events there were."""
        events = self._chunk.events({*_KINDS, _SETTING})
        seen = {it.kind for it in events}
        skipped = {it for kind, others in _INSTEAD if kind in seen for it in others} | {_SETTING}
        costs: defaultdict[int, list[int]] = defaultdict(lambda: [0] * len(METRICS))
        period, used = self._period(events), 0
        for event in events:
            self._source.spend(_STEPS)
            stack_number = event.values.get("stackTrace")
            # 0 is none: the event belongs to no Java thread, or stacks are turned off.
            if event.kind not in skipped and isinstance(stack_number, int) and stack_number:
                used += 1
                self._spend(costs[stack_number], event, period)
        missing = 0
        for number, found in costs.items():
            self._source.spend(_STEPS)
            stack = self._stack(number)
            if stack is None:
                missing += 1
                continue
            calls.add_stack(stack, found)
            if calls.is_over_limit:
                calls.make_room()
        if missing:
            self._source.faults.add("stacks", f"{missing} of a chunk are missing or damaged")
        return used

    def _spend(self, costs: list[int], event: JfrEvent, period: int) -> None:
        kind = _KINDS[event.kind]
        amount = event.values.get(kind.amount) if kind.amount else 1
        if not isinstance(amount, int) or amount <= 0:
            return
        costs[kind.metric] += whole(amount * self._ns_per_tick if kind.is_ticks else amount)
        if kind.metric == _SAMPLES:
            ticks = event.values.get("samplingPeriod")
            own = round(ticks * self._ns_per_tick) if isinstance(ticks, int) else period
            costs[_CT] += whole(own)

    def _period(self, events: Sequence[JfrEvent]) -> int:
        """Return the nanoseconds between samples, or 0 if it is not known."""
        number, settings = self._chunk.number_of(_EXECUTION), dict[tuple[int | None, str], str]()
        for event in events:
            self._source.spend(_STEPS)
            setting = event.values.get("id")
            if event.kind == _SETTING and isinstance(setting, int):
                name = self._chunk.text(event.values.get("name"))
                settings[setting, name] = self._chunk.text(event.values.get("value"))
        event_name = next((it for (_, name), it in settings.items() if name == "event"), "")
        written = settings.get((number, "period")) or settings.get((number, "interval")) or ""
        found = _PERIOD.fullmatch(written)
        if found is None or (event_name and event_name not in _TIMED):
            return 0
        return int(found[1]) * NS_PER_UNIT[_UNITS[found[2] or "ns"]] or _DEFAULT_NS

    def _stack(self, number: int) -> Iterator[int] | None:
        """Return the functions of a stack from the outermost; None if it cannot be read."""
        try:
            values = self._chunk.constant(STACKS, number)
            method = self._chunk.inner_place("jdk.types.StackFrame", "method")
            frames = values.get("frames")
            if not isinstance(frames, list) or method is None:
                return None
            methods = [it[method] for it in reversed(frames) if isinstance(it, list)]
            named = [self._function(it) for it in methods if isinstance(it, int)]
        except Damaged:
            return None
        # What is above a cut is not known, so it is no caller of itself at the root.
        above = [self._functions.number(_CUT)] if values.get("truncated") else []
        return chain(above, named)

    def _function(self, method: int) -> int:
        """Return the number of a method; its class is part of its name."""
        self._source.spend(_STEPS)
        known = self._methods.get(method)
        if known is not None:
            return known
        chunk = self._chunk
        values = chunk.constant(METHODS, method)
        name = self._symbol(values.get("name"))
        owner = self._symbol(chunk.constant(CLASSES, values.get("type")).get("name"))
        owner = _NUMBERED.sub("", owner).replace("/", ".")
        full = f"{owner}.{name}" if owner and name else owner or name or "(unknown)"
        found = self._methods[method] = self._functions.number(full)
        return found

    def _symbol(self, number: Value) -> str:
        chunk = self._chunk
        return chunk.text(chunk.constant(SYMBOLS, number).get("string"))


def _without_nothing(profile: Profile) -> Profile:
    """Return a profile without the metrics of events that were not recorded."""
    sums = [sum(it.self[at] for it in profile.functions) for at in range(len(METRICS))]
    kept = [at for at, total in enumerate(sums) if total] or [_SAMPLES]

    def chosen(costs: Sequence[int]) -> tuple[int, ...]:
        return tuple(costs[at] for at in kept)

    return msgspec.structs.replace(
        profile,
        metrics=tuple(METRICS[at] for at in kept),
        functions=tuple(
            _cost(it, chosen(it.self), chosen(it.inclusive)) for it in profile.functions
        ),
        edges=tuple(
            msgspec.structs.replace(it, inclusive=chosen(it.inclusive)) for it in profile.edges
        ),
        tree=tuple(
            msgspec.structs.replace(it, self=chosen(it.self), inclusive=chosen(it.inclusive))
            for it in profile.tree
        ),
    )


def _cost(cost: Cost, own: tuple[int, ...], inclusive: tuple[int, ...]) -> Cost:
    return msgspec.structs.replace(cost, self=own, inclusive=inclusive)


FORMAT = profile_format(NAME, lambda head: head.startswith(MAGIC), read, max_bytes=_MAX_FILE_BYTES)
