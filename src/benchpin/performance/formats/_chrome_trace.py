"""Traces of Chrome's trace event format, which viztracer, Perfetto, clang and many others write."""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import msgspec

from benchpin.performance.calls import FUNCTION_BITS, CallTree, ProfileBuilder
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import NS_PER_US, Profile
from benchpin.system.processes import require_extra

from ._source import UNDECODABLE, FunctionTable, profile_format, whole

if TYPE_CHECKING:
    import numpy as np

NAME = "chrome-trace"
_START = re.compile(rb'^\s*(?:\[|\{(?s:.){0,20000}?"traceEvents"\s*:\s*\[)')
_EVENT = re.compile(rb'"ph"\s*:\s*"[BEXMIibenCNDOPSTFstfRcvV]"')
_BETWEEN = re.compile(rb"\}\s*,\s*\{")
# Native code decodes a piece without letting go of the interpreter: 0.1 s for the slowest numbers.
_PIECE_BYTES = 1 << 18
# Decoded to find the last event that is complete: an object may end inside of an event.
_TRIED_BYTES = 100 << 20
_MAX_EVENT_BYTES = 32 << 20
# Events that are lists of Python numbers at one time; the rest are arrays.
_PART = 1 << 16
_UNKNOWN = float("nan")
_MAX_EVENTS = 20_000_000
_MAX_THREADS = 10_000


class _Args(msgspec.Struct):
    name: object = ""


class _Event(msgspec.Struct):
    ph: str
    name: str = ""
    ts: float = 0
    dur: float = 0
    pid: int | str = 0
    tid: int | str = 0
    args: _Args | None = None


_ARRAY = msgspec.json.Decoder(list[_Event], strict=False)


class _Thread:
    """The events of a thread: when each function begins and how long it takes, in microseconds."""

    def __init__(self) -> None:
        self.starts = array("d")
        self.durations = array("d")
        """Not a number where the end is an event of its own."""
        self.ends = array("d")
        """Not a number where the duration is known, and where none is."""
        self.functions = array("q")
        self.open: list[int] = []
        """Places of events that have begun and not ended."""
        self.name = ""

    def begin(self, function: int, start: float, duration: float) -> None:
        self.functions.append(function)
        self.starts.append(start)
        self.durations.append(duration)
        self.ends.append(_UNKNOWN)


def fits(head: bytes) -> bool:
    return bool(_START.match(head) and _EVENT.search(head))


def read(source: ArtifactSource) -> Profile:
    """Read what began and ended in each thread; other kinds of event have no duration.

    Raises:
        DependencyMissing: without the extra that sorts millions of events in little memory.
    """
    require_extra("measures", "A Chrome trace")
    functions = FunctionTable(source)
    threads: dict[tuple[object, object], _Thread] = defaultdict(_Thread)
    count = 0
    numbers: dict[str, int] = {}
    for events in _events(source):
        for event in events:
            thread = threads[event.pid, event.tid]
            if event.ph in "XB" and event.name not in numbers:
                if len(numbers) > source.budget.functions:
                    numbers.clear()
                numbers[event.name] = functions.of_frame(event.name)
            count += _take(event, thread, numbers)
        if len(threads) > _MAX_THREADS:
            source.faults.add("events", f"more than {_MAX_THREADS} threads; the rest is not read")
            break
        if count > _MAX_EVENTS:
            source.faults.add("events", f"more than {_MAX_EVENTS}; the rest is not read")
            break
    calls = ProfileBuilder(1, source)
    busy = {key: thread for key, thread in threads.items() if thread.starts}
    for (process, number), thread in busy.items():
        if len(busy) > 1:
            calls.enter(functions.number(thread.name or f"thread {process}/{number}"))
        _add(thread, calls, source)
        calls.leave_all()
    return calls.profile(NAME, ("wt",), functions.names, events=count)


def _take(event: _Event, thread: _Thread, numbers: Mapping[str, int]) -> int:
    """Add an event to its thread; return how many functions it begins."""
    match event.ph:
        case "X":
            thread.begin(numbers[event.name], event.ts, event.dur)
            return 1
        case "B":
            thread.open.append(len(thread.starts))
            thread.begin(numbers[event.name], event.ts, _UNKNOWN)
            return 1
        case "E" if thread.open:
            thread.ends[thread.open.pop()] = event.ts
        case "M" if event.name == "thread_name" and event.args:
            thread.name = str(event.args.name)
    return 0


def _add(thread: _Thread, calls: ProfileBuilder, source: ArtifactSource) -> None:
    """Nest the events of a thread by their times; those that begin together by their length."""
    import numpy as np

    starts, ends = _nanoseconds(thread)
    latest = int(max(starts.max(), ends.max()))
    if thread.open:
        source.faults.add("end of trace", f"{len(thread.open)} events did not end")
        ends[thread.open] = latest
    order = np.lexsort((-ends, starts))
    opened = [latest + 1]
    """When the calls of `tree.open` end that are of this thread."""
    for part in range(0, len(order), _PART):
        places = order[part : part + _PART]
        rows = zip(places.tolist(), starts[places].tolist(), ends[places].tolist(), strict=True)
        _nest(thread, rows, opened, calls.tree)
        source.spend(_PART)
        if calls.is_over_limit and not calls.make_room():
            depth = len(opened) - 1
            source.faults.add("events", f"nested {depth} deep; the rest of a thread is not read")
            return


def _nest(
    thread: _Thread, rows: Iterable[tuple[int, int, int]], opened: list[int], tree: CallTree
) -> None:
    """Add calls to a tree: for each its place, when it begins and when it ends."""
    [own], find, counts = tree.costs, tree.find, tree.calls
    functions, nodes = thread.functions, tree.open
    for place, start, end in rows:
        while len(opened) > 1 and opened[-1] <= start:
            opened.pop()
            nodes.pop()
        above, function = nodes[-1], functions[place]
        until = min(end, opened[-1])
        if len(opened) > 1:
            own[above] -= until - start
        found = find(above << FUNCTION_BITS | function)
        node = tree.grow(above, function) if found is None else found
        counts[node] += 1
        own[node] += until - start
        nodes.append(node)
        opened.append(until)


def _nanoseconds(thread: _Thread) -> "tuple[np.ndarray, np.ndarray]":
    """Return when events begin and end, all at once: one by one takes most of the time."""
    import numpy as np

    times = [np.array(it) for it in (thread.starts, thread.durations, thread.ends)]
    largest = max(float(np.nanmax(np.abs(it), initial=0)) for it in times)
    whole(largest, NS_PER_US)  # refuses what nothing can have measured
    starts, durations, ends = (
        np.nan_to_num(np.rint(it * NS_PER_US)).astype(np.int64) for it in times
    )
    has_end = ~np.isnan(times[2])
    return starts, np.where(has_end, ends, starts + np.maximum(durations, 0))


def _events(source: ArtifactSource) -> Iterator[list[_Event]]:
    """Yield the events of the array in lists while the file is read.

    A piece up to the last place between two objects is decoded at once; where that place was
    inside of an event, the one before it is tried.
    """
    text = bytearray()
    wanted, is_inside = _PIECE_BYTES, False
    for chunk in source.chunks():
        text += chunk
        if not is_inside and (start := _START.match(text)):
            del text[: start.end()]
            is_inside = True
        if is_inside and len(text) >= wanted:
            events, end = _decoded(text, source)
            del text[:end]
            wanted = _PIECE_BYTES if events else 4 * len(text)
            if len(text) > _MAX_EVENT_BYTES:
                source.faults.add("events", "one is larger than 32 MiB; the rest is not read")
                return
            yield events
    yield _last(bytes(text), source)


def _decoded(text: bytearray, source: ArtifactSource) -> tuple[list[_Event], int]:
    """Return the events that are complete, and where the next one begins."""
    end = len(text)
    for _ in source.job.timed(range(_tries(text))):
        end = text.rfind(b"}", 0, end)
        between = _BETWEEN.match(text, end)
        if between is None:
            continue
        try:
            source.spend(end)
            return _ARRAY.decode(b"[" + text[: end + 1] + b"]"), between.end() - 1
        except UNDECODABLE:
            continue
    return [], 0


def _tries(text: bytes | bytearray) -> int:
    """Return how many ends of objects to try: many in a short text, few in a long one."""
    return max(4, _TRIED_BYTES // (len(text) + 1))


def _last(text: bytes, source: ArtifactSource) -> list[_Event]:
    """Return the events at the end: the array may lack its end, and members may follow it."""
    end = len(text)
    for _ in range(_tries(text)):
        end = text.rfind(b"}", 0, end)
        if end < 0:
            break
        try:
            source.spend(end)
            events = _ARRAY.decode(b"[" + text[: end + 1] + b"]")
        except UNDECODABLE:
            continue
        if text[end + 1 :].lstrip().startswith(b","):
            source.faults.add("end of trace", "the last event is cut short")
        return events
    if text.strip(b" \t\r\n],}"):
        source.faults.add("end of trace", "the last events cannot be read")
    return []


FORMAT = profile_format(NAME, fits, read, is_streamed=True)
