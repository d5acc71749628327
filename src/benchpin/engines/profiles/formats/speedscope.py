"""Speedscope's own file format, which py-spy, rbspy, SPX and others write."""

from collections.abc import Iterator, Sequence

import msgspec

from benchpin.core import InvalidParams
from benchpin.engines.profiles.calls import ProfileBuilder
from benchpin.engines.profiles.values import Profile

from .source import NS_PER_UNIT, Functions, ProfileSource, decoded, whole

NAME = "speedscope"
_MARK = b"speedscope.app/file-format-schema.json"
# The keys are units; every unit of time becomes wall time in nanoseconds.
_METRICS = {"bytes": "bytes", "none": "samples"}


class _Frame(msgspec.Struct):
    name: str
    file: str | None = None
    line: float | None = None


class _Shared(msgspec.Struct):
    frames: list[_Frame]


class _Event(msgspec.Struct):
    type: str
    frame: int
    at: float


class _View(msgspec.Struct):
    type: str
    unit: str
    name: str = ""
    samples: list[list[int]] = msgspec.field(default_factory=list)
    weights: list[float] = msgspec.field(default_factory=list)
    events: list[_Event] = msgspec.field(default_factory=list)


class _Document(msgspec.Struct):
    shared: _Shared
    profiles: list[_View]
    exporter: str = ""


_Stacks = Iterator[tuple[Sequence[int], int]]


def fits(head: bytes) -> bool:
    """Whether it names speedscope's schema."""
    return head.lstrip().startswith(b"{") and _MARK in head


def read(source: ProfileSource) -> Profile:
    """Read all views: those of one unit are threads, which are added up."""
    document = decoded(source.document(), _Document)
    is_ours = document.exporter == "benchpin"
    metrics = list(dict.fromkeys(_metric(view, is_ours=is_ours) for view in document.profiles))
    if not metrics:
        raise InvalidParams(
            "the speedscope file has no profile", suggestion="Record the profile again."
        )
    calls = ProfileBuilder(len(metrics), source.budget, source.faults)
    functions = Functions(source)
    frames = [
        functions.number(frame.name, frame.file, int(frame.line or 0))
        for frame in document.shared.frames
    ]
    threads = {view.name for view in document.profiles} if not is_ours else set()
    events = 0
    for view in document.profiles:
        place = metrics.index(_metric(view, is_ours=is_ours))
        root = [functions.number(view.name)] if len(threads) > 1 and view.name else []
        costs = [0] * len(metrics)
        for stack, cost in _stacks(view, frames):
            costs[place] = cost
            calls.add_stack([*root, *stack] if root else stack, costs)
            events += 1
            if calls.is_over_limit:
                calls.make_room()
    return calls.profile(NAME, metrics, functions.names, events=events)


def _metric(view: _View, *, is_ours: bool) -> str:
    """Return what a view measures; our own exports have one view for each metric, by its name."""
    if is_ours and view.name:
        return view.name
    return "wt" if view.unit in NS_PER_UNIT else _METRICS.get(view.unit, "samples")


def _stacks(view: _View, frames: Sequence[int]) -> _Stacks:
    factor = NS_PER_UNIT.get(view.unit, 1)
    try:
        yield from (_evented if view.type == "evented" else _sampled)(view, frames, factor)
    except IndexError as error:
        raise InvalidParams(
            "the speedscope file has a frame without a name",
            suggestion="Record the profile again; the file is damaged.",
        ) from error


def _sampled(view: _View, frames: Sequence[int], factor: int) -> _Stacks:
    weights = view.weights or [1.0] * len(view.samples)
    for sample, weight in zip(view.samples, weights, strict=False):
        yield [frames[frame] for frame in sample], whole(weight, factor)


def _evented(view: _View, frames: Sequence[int], factor: int) -> _Stacks:
    stack: list[int] = []
    now = whole(view.events[0].at, factor) if view.events else 0
    for event in view.events:
        at = whole(event.at, factor)
        if stack and at > now:
            yield stack, at - now
        now = max(at, now)
        if event.type == "O":
            stack.append(frames[event.frame])
        elif stack:
            stack.pop()
