"""A snapshot: the normalised content of artefacts, identified by its hash."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

import msgspec

from benchpin.core.calls import Job
from benchpin.core.text import utf8
from benchpin.performance.formats import Plans
from benchpin.performance.values import (
    Profile,
    ProfileOf,
    PublishedValue,
    Query,
    Reading,
    Sample,
    SlowLog,
    Source,
    SourceFault,
    Timings,
    derive,
)
from benchpin.system.processes import gc_off

from ._merging import (
    Counts,
    Endpoint,
    FunctionSpan,
    Totals,
    merge_endpoints,
    merge_queries,
    merge_spans,
    wall_time_us,
)

FORMAT = "benchpin-snapshot-v1"
_Content = Profile | SlowLog | Timings | Plans
# Names of hints whose values are hidden, because snapshots are shared.
_SECRET = re.compile("authorization|cookie|passw|secret|token|api[-_]?key", re.IGNORECASE)


class Snapshot(PublishedValue, frozen=True, dict=True, omit_defaults=True):
    """The content of artefacts, independent of their order and paths."""

    format: str
    sources: tuple[Source, ...]
    profiles: tuple[ProfileOf, ...]
    slow_logs: tuple[SlowLog, ...]
    timings: tuple[Timings, ...]
    queries: tuple[Query, ...]
    spans: tuple[FunctionSpan, ...]
    endpoints: tuple[Endpoint, ...]
    totals: Totals
    counts: Counts
    faults: tuple[SourceFault, ...]
    environment_hints: dict[str, object]
    plans: tuple[Plans, ...] = ()
    """Left out where there are none, as in snapshots of earlier versions, whose ids stay."""

    @cached_property
    def encoded(self) -> bytes:
        """The canonical JSON: sorted keys, whole numbers, UTF-8, no blanks."""
        return msgspec.json.encode(self, order="sorted")

    @cached_property
    def id(self) -> str:
        """The SHA-256 of the canonical JSON."""
        return hashlib.sha256(self.encoded).hexdigest()


@gc_off()  # it took a third of merging 200,000 functions
def build_snapshot(
    readings: Sequence[Reading],
    environment_hints: Mapping[str, object] | None = None,
    job: Job | None = None,
) -> Snapshot:
    """Normalise readings; a file that was read twice counts once.

    Raises:
        TimeLimitExceeded: when the time of the job is up.
    """
    job = job or Job()
    ordered = _by_content(readings)
    profiles = tuple(
        ProfileOf(source, msgspec.structs.replace(content, faults=()))
        for source, content in ordered
        if isinstance(content, Profile)
    )
    timings = tuple(
        msgspec.structs.replace(content, source=source, faults=())
        for source, content in ordered
        if isinstance(content, Timings)
    )
    plans = tuple(
        msgspec.structs.replace(content, source=source, faults=())
        for source, content in ordered
        if isinstance(content, Plans)
    )
    logs = [(source, content) for source, content in ordered if isinstance(content, SlowLog)]
    classes = ((source, each) for source, log in logs for each in log.classes)
    queries, spans = merge_queries(classes, job), merge_spans(profiles, job)
    samples = [sample for each in timings for sample in each.samples]
    endpoints = merge_endpoints(samples, profiles, job)
    return Snapshot(
        format=FORMAT,
        sources=_sources(readings),
        profiles=profiles,
        slow_logs=tuple(
            msgspec.structs.replace(log, source=source, classes=(), faults=())
            for source, log in logs
        ),
        timings=timings,
        queries=queries,
        spans=spans,
        endpoints=endpoints,
        totals=_totals(profiles, [log for _, log in logs], samples),
        counts=Counts(
            endpoints=len(endpoints),
            queries=len(queries),
            query_events=sum(log.events for _, log in logs),
            spans=len(spans),
            profiles=len(profiles),
            samples=len(samples),
            plans=sum(len(each.plans) for each in plans),
        ),
        faults=tuple(
            derive(SourceFault, fault, source=source)
            for source, content in ordered
            for fault in content.faults
        ),
        environment_hints=normalised_hints(environment_hints or {}),
        plans=plans,
    )


def _by_content(readings: Sequence[Reading]) -> list[tuple[str, _Content]]:
    """Order contents by the hash of their file.

    Of two readings of one file the one with more companions wins, such as with SPX's metadata.
    """
    best: dict[str, Reading] = {}
    for reading in sorted(
        readings, key=lambda it: (len(it.sources), [s.sha256 for s in it.sources])
    ):
        if reading.content is not None:
            best[reading.sources[0].sha256] = reading
    return [
        (source, best[source].content)  # type: ignore[misc]  # only readings with content are kept
        for source in sorted(best)
    ]


def _sources(readings: Sequence[Reading]) -> tuple[Source, ...]:
    found = {source for reading in readings for source in reading.sources}
    by_hash = {source.sha256: source for source in sorted(found, key=msgspec.json.encode)}
    return tuple(by_hash[sha256] for sha256 in sorted(by_hash))


def _totals(
    profiles: Sequence[ProfileOf], logs: Sequence[SlowLog], samples: Sequence[Sample]
) -> Totals:
    profiled = sum(wall_time_us(each.profile) or 0 for each in profiles)
    timed = sum(sample.wall_us or 0 for sample in samples if not sample.is_error)
    return Totals(
        query_time_us=sum(log.total_time_us for log in logs),
        wall_time_us=profiled + timed,
        profiled_wall_time_us=profiled,
        timed_wall_time_us=timed,
    )


def normalised_hints(hints: Mapping[str, object]) -> dict[str, object]:
    """Return hints as they are stored: as JSON, without the values of secrets."""
    return {
        utf8(name): "[REDACTED]" if _SECRET.search(name) else _normalised(hint)
        for name, hint in hints.items()
    }


def _normalised(hint: object) -> object:
    """Return a hint as JSON without fractions, whose text differs between programs."""
    match hint:
        case None | bool() | int():
            return hint
        case Mapping():
            return normalised_hints({str(name): value for name, value in hint.items()})
        case list() | tuple():
            return [_normalised(each) for each in hint]
        case _:
            return utf8(str(hint))
