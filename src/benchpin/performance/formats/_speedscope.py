"""Speedscope's own file format, which py-spy, rbspy, SPX and others write."""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Annotated

import msgspec

from benchpin.core.errors import InvalidParams
from benchpin.performance.calls import ProfileBuilder
from benchpin.performance.reading import ArtifactSource
from benchpin.performance.values import Profile

from ._source import NS_PER_UNIT, FunctionTable, decoded, profile_format, whole

NAME = "speedscope"
# As the value of a key: other files may have the address in a URL.
_MARK = re.compile(
    rb'"\$schema"\s*:\s*"https?:\\?/\\?/[\w.]*speedscope\.app\\?/file-format-schema\.json"'
)
# The keys are units; every unit of time becomes wall time in nanoseconds.
_METRICS = {"bytes": "bytes", "none": "samples"}


class _Frame(msgspec.Struct):
    name: str
    file: str | None = None
    line: float | None = None


class _Shared(msgspec.Struct):
    frames: list[_Frame]


# Of a frame; Python would take a negative one from the end.
_Place = Annotated[int, msgspec.Meta(ge=0)]


class _Event(msgspec.Struct):
    type: str
    frame: _Place
    at: float


class _View(msgspec.Struct):
    type: str
    unit: str
    name: str = ""
    samples: list[list[_Place]] = msgspec.field(default_factory=list)
    weights: list[float] = msgspec.field(default_factory=list)
    events: list[_Event] = msgspec.field(default_factory=list)


class _Document(msgspec.Struct):
    shared: _Shared
    profiles: list[_View]
    exporter: str = ""


def fits(head: bytes) -> bool:
    return head.lstrip().startswith(b"{") and _MARK.search(head) is not None


def read(source: ArtifactSource) -> Profile:
    """Read all views: those of one unit are threads, which are added up."""
    document = decoded(source.document(), _Document)
    is_ours = document.exporter == "benchpin"
    views = source.job.timed(document.profiles)
    metrics = list(dict.fromkeys(_metric(view, is_ours=is_ours) for view in views))
    if not metrics:
        raise InvalidParams(
            "the speedscope file has no profile", suggestion="Record the profile again."
        )
    calls = ProfileBuilder(len(metrics), source)
    functions = FunctionTable(source)
    frames = [
        functions.number(frame.name, frame.file, int(frame.line or 0))
        for frame in document.shared.frames
    ]
    places = {metric: place for place, metric in enumerate(metrics)}
    threads = {view.name for view in document.profiles} if not is_ours else set()
    events = 0
    for view in source.job.timed(document.profiles):
        place = places[_metric(view, is_ours=is_ours)]
        root = functions.number(view.name) if len(threads) > 1 and view.name else None
        add = _add_events if view.type == "evented" else _add_samples
        try:
            events += add(view, root, frames, _Sink(source, calls, place, len(metrics)))
        except IndexError as error:
            raise InvalidParams(
                "the speedscope file has a frame without a name",
                suggestion="Record the profile again; the file is damaged.",
            ) from error
    return calls.profile(NAME, metrics, functions.names, events=events)


def _metric(view: _View, *, is_ours: bool) -> str:
    """Return what a view measures; our own exports have one view for each metric, by its name."""
    if is_ours and view.name:
        return view.name
    return "wt" if view.unit in NS_PER_UNIT else _METRICS.get(view.unit, "samples")


class _Sink:
    """Where the stacks of a view go: its metric, and the calls of all views."""

    def __init__(
        self, source: ArtifactSource, calls: ProfileBuilder, place: int, metrics: int
    ) -> None:
        self.source = source
        self.calls = calls
        self._place = place
        self._costs = [0] * metrics

    def costs(self, cost: int) -> list[int]:
        """Return the costs of all metrics; the same list at every call."""
        self._costs[self._place] = cost
        return self._costs


def _add_samples(view: _View, root: int | None, frames: Sequence[int], sink: _Sink) -> int:
    """Add the stacks of a view; return how many."""
    factor = NS_PER_UNIT.get(view.unit, 1)
    above = [] if root is None else [root]
    weights = view.weights or [1.0] * len(view.samples)
    added = 0
    for sample, weight in zip(view.samples, weights, strict=False):
        sink.source.spend(len(sample) + 1)
        stack = chain(above, map(frames.__getitem__, sample))
        sink.calls.add_stack(stack, sink.costs(whole(weight, factor)))
        added += 1
        if sink.calls.is_over_limit:
            sink.calls.make_room()
    return added


def _add_events(view: _View, root: int | None, frames: Sequence[int], sink: _Sink) -> int:
    """Add the time between the events of a view; return how often there was some."""
    factor, calls = NS_PER_UNIT.get(view.unit, 1), sink.calls
    now = whole(view.events[0].at, factor) if view.events else 0
    depth = added = 0
    if root is not None:
        calls.enter(root)
    for event in sink.source.job.timed(view.events):
        at = whole(event.at, factor)
        if depth and at > now:
            calls.spend(sink.costs(at - now))
            added += 1
        now = max(at, now)
        if event.type == "O":
            calls.enter(frames[event.frame])
            depth += 1
        elif depth:
            calls.leave()
            depth -= 1
        if calls.is_over_limit and not calls.make_room():
            sink.source.faults.add(
                f"profile {view.name[:100]}", f"{depth} open frames; the rest is not read"
            )
            break
    calls.leave_all()
    if depth:
        sink.source.faults.add(f"profile {view.name[:100]}", f"{depth} frames were not closed")
    return added


FORMAT = profile_format(NAME, fits, read)
