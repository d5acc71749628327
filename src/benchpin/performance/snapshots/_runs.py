"""The record of an ingest, and the errors about stored snapshots."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, islice
from typing import Annotated, ClassVar, TypeVar

import msgspec
from pydantic import Field, PlainSerializer

from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.performance.findings import HotSpan, hottest
from benchpin.performance.values import CallNode, Cost, Profile, PublishedValue, Source

from ._merging import Counts, Totals
from ._snapshot import FORMAT, Snapshot

_MIN_PREFIX = 8
_SHOWN_PREFIX = 12
_US_PER_DAY = 86_400_000_000
# The end of the year 9999, the last that a datetime has.
_LAST_MOMENT_US = 253_402_300_799_000_000
_MAX_NAMED = 5
_MAX_NAME_CHARS = 200
# No cost is larger, even of a damaged profile; its fourth power is still a float.
_MAX_VALUE = 1 << 127


class SnapshotNotFound(BenchpinError):
    """No snapshot has that id."""

    kind: ClassVar[str] = "snapshot_not_found"


class SnapshotDamaged(BenchpinError):
    """A stored file is not what was written."""

    kind: ClassVar[str] = "snapshot_damaged"
    is_server_fault = True


def _moment(us: int) -> datetime:
    return datetime.fromtimestamp(us / 1_000_000, UTC)


@dataclass(frozen=True, slots=True)
class Run:
    """A stored snapshot and how much it holds."""

    id: Annotated[str, Field(serialization_alias="run_id")]
    """The same as normalized_snapshot_id."""
    ingested_at_us: Annotated[
        int,
        msgspec.Meta(ge=0, le=_LAST_MOMENT_US),
        PlainSerializer(_moment, return_type=datetime),
        Field(serialization_alias="ingested_at"),
    ]
    size_bytes: int
    counts: Counts
    totals: Totals
    environment_hints: dict[str, object]
    name: str = ""
    """What was measured, as people call it: a command or a URL, where the sources say it."""

    @property
    def run_id(self) -> str:
        return self.id

    @property
    def ingested_at(self) -> datetime:
        return _moment(self.ingested_at_us)

    @property
    def short_id(self) -> str:
        return self.id[:_SHOWN_PREFIX]


class Origin(Source, frozen=True):
    """A source and its path at the time of the ingest."""

    path: str
    hints: dict[str, object]


class RunMetadata(PublishedValue, frozen=True, omit_defaults=True):
    """What is stored beside the content of a snapshot."""

    run: Run
    sources: tuple[Origin, ...]
    functions: tuple[HotSpan, ...] = ()
    """The hottest ones, so that others need not read the whole snapshot."""

    @property
    def names(self) -> dict[str, str]:
        return {origin.sha256: origin.path for origin in self.sources}


class RunIndex(PublishedValue, frozen=True):
    """All runs, newest first."""

    runs: tuple[Run, ...]


def describe(snapshot: Snapshot, origins: Sequence[Origin], now_us: int) -> RunMetadata:
    run = Run(
        id=snapshot.id,
        ingested_at_us=now_us,
        size_bytes=len(snapshot.encoded),
        counts=snapshot.counts,
        totals=snapshot.totals,
        environment_hints=snapshot.environment_hints,
        name=_name(snapshot),
    )
    ordered = sorted(origins, key=lambda origin: (origin.path, origin.sha256))
    return RunMetadata(run=run, sources=tuple(ordered), functions=hottest(snapshot.spans))


def _name(snapshot: Snapshot) -> str:
    """Name a snapshot after its commands and URLs: the first, and how many more."""
    requests = [each.profile.request for each in snapshot.profiles]
    named = [it.uri or it.command for it in requests if it is not None]
    names = sorted({it for it in named if it} | {it.route for it in snapshot.endpoints})
    if not names:
        return ""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0][:_MAX_NAME_CHARS]}{more}"


def newest_first(run: Run) -> tuple[int, str]:
    return -run.ingested_at_us, run.id


def full_id(ids: Sequence[str], wanted: str) -> str:
    """Return the one id that equals or begins with `wanted`.

    Raises:
        InvalidParams: when too few characters are given, or several ids begin with them.
        SnapshotNotFound: when no id does.
    """
    asked = wanted.strip().lower().removeprefix("snapshot_")
    if asked in ids:
        return asked
    if len(asked) < _MIN_PREFIX:
        raise InvalidParams(
            f"{wanted!r} is too short for a snapshot id",
            suggestion=f"Give at least the first {_MIN_PREFIX} characters; list_runs shows them.",
            data={"normalized_snapshot_id": wanted},
        )
    found = [each for each in ids if each.startswith(asked)]
    if len(found) > 1:
        raise InvalidParams(
            f"{len(found)} snapshots begin with {asked!r}",
            suggestion="Give more of the id: " + ", ".join(sorted(found)[:_MAX_NAMED]) + ".",
            data={"normalized_snapshot_id": wanted, "candidates": sorted(found)[:_MAX_NAMED]},
        )
    if not found:
        raise SnapshotNotFound(
            f"No snapshot {wanted!r} is stored",
            suggestion="list_runs shows the stored ones; ingest_artifacts makes new ones.",
            data={"normalized_snapshot_id": wanted},
        )
    return found[0]


def damaged(name: str, problem: str) -> SnapshotDamaged:
    return SnapshotDamaged(
        f"{name} is damaged: {problem}",
        suggestion="Remove its folder and ingest the artefacts again; other snapshots are whole.",
        data={"path": name},
    )


def of_another_version(name: str, written: str) -> SnapshotDamaged:
    return SnapshotDamaged(
        f"{name} was written by another version of Benchpin, in the format {written!r:.50}",
        suggestion="Update Benchpin (pip install -U benchpin); the snapshot was not changed.",
        data={"path": name},
    )


@dataclass(frozen=True, slots=True)
class Retention:
    """How many are kept, and for how long; the newest is always kept."""

    keep_last_n: int = 50
    ttl_days: int | None = None

    def is_over(self, place: int, made_at_us: int, now_us: int) -> bool:
        """Whether to remove something; its place counts from the newest, which is 0."""
        if place == 0:
            return False
        is_too_old = self.ttl_days is not None and now_us - made_at_us > self.ttl_days * _US_PER_DAY
        return is_too_old or place >= max(1, self.keep_last_n)


# Whether a snapshot that was read from a file is one that Benchpin could have written.


Record = TypeVar("Record", RunIndex, RunMetadata)


def decode_snapshot(content: bytes) -> Snapshot:
    """Read a snapshot, and check what its types do not say.

    Positions lead somewhere, every cost has a value for each metric, and numbers can be computed
    with.

    Raises:
        msgspec.ValidationError: when it is none.
    """
    found = msgspec.json.decode(content, type=Snapshot)
    problem = next(_snapshot_problems(found), "")
    if problem:
        raise msgspec.ValidationError(problem)
    return found


def dump_baseline(snapshot: Snapshot) -> bytes:
    """Return a file of the project, which others are compared with: all but the call trees."""
    profiles = tuple(
        msgspec.structs.replace(each, profile=msgspec.structs.replace(each.profile, tree=()))
        for each in snapshot.profiles
    )
    return msgspec.structs.replace(snapshot, profiles=profiles).encoded + b"\n"


def load_baseline(content: bytes, name: str) -> Snapshot:
    """Read the content of a baseline.

    Raises:
        InvalidParams: when it is none.
    """
    try:
        found = decode_snapshot(content)
        if found.format == FORMAT:
            return found
        problem = f"its format is {found.format[:50]!r}, not {FORMAT!r}"
    except (ValueError, RecursionError) as error:
        problem = str(error)
    raise InvalidParams(
        f"{name} is not a baseline: {problem}",
        suggestion="Write it with update_baseline=true, or name a snapshot of list_runs.",
        data={"path": name},
    )


def decode_record(content: bytes, kind: type[Record]) -> Record:
    """Read what is stored beside a snapshot.

    Raises:
        msgspec.ValidationError: when it is none, or has numbers that cannot be computed with.
    """
    found = msgspec.json.decode(content, type=kind)
    if not _are_usable(_numbers(found)):
        raise msgspec.ValidationError("it has a number that is too large")
    return found


def _snapshot_problems(snapshot: Snapshot) -> Iterator[str]:
    """Yield what is wrong, the first of each profile."""
    for at, each in enumerate(snapshot.profiles):
        yield from (f"profiles[{at}] {problem}" for problem in islice(_problems(each.profile), 1))
    yield from _count_problems(snapshot)
    # All numbers but those of profiles, which are most.
    for name in ("queries", "spans", "endpoints", "slow_logs", "timings", "plans"):
        if not _are_usable(_numbers(getattr(snapshot, name))):
            yield f"{name} has a number that is too large"
    if not _are_usable(_numbers((snapshot.totals, snapshot.counts))):
        yield "totals have a number that is too large"


def _problems(profile: Profile) -> Iterator[str]:
    """Yield what is wrong; one loop for each list, since a profile can have 100,000 entries."""
    metrics, functions = len(profile.metrics), len(profile.functions)
    if not metrics:
        yield "has no metric"
    costs: tuple[Cost | CallNode, ...] = (*profile.functions, *profile.tree)
    edges = profile.edges
    if any(len(it.self) != metrics or len(it.inclusive) != metrics for it in costs) or any(
        len(it.inclusive) != metrics for it in edges
    ):
        yield f"has costs with another number of values than its {metrics} metrics"
    if any(not (0 <= it.caller < functions and 0 <= it.callee < functions) for it in edges):
        yield f"has calls of functions that are not among its {functions}"
    if any(
        not (-1 <= node.parent < at and -1 <= node.function < functions)
        for at, node in enumerate(profile.tree)
    ):
        yield "has a call tree whose nodes come before their callers, or have no function"
    numbers = chain.from_iterable((it.calls, *it.inclusive, *it.self) for it in costs)
    calls = chain.from_iterable((it.calls, *it.inclusive) for it in edges)
    if not _are_usable(chain(numbers, calls)):
        yield "has a cost that is too large"
    if any(it.calls < 0 for it in costs) or any(it.calls < 0 for it in edges):
        yield "has a negative number of calls"


def _count_problems(snapshot: Snapshot) -> Iterator[str]:
    counts = chain(
        (("queries", it.count, 1) for it in snapshot.queries),
        (("queries.parts", len(it.parts), 1) for it in snapshot.queries),
        (("queries.parts", part.count, 1) for it in snapshot.queries for part in it.parts),
        (("endpoints", it.samples, 0) for it in snapshot.endpoints),
        (("endpoints", it.errors, 0) for it in snapshot.endpoints),
        (
            ("endpoints", spread.count, 1)
            for it in snapshot.endpoints
            for spread in (it.ttfb, it.wall, it.profiled_wall)
            if spread is not None
        ),
        (("spans", it.profiles, 1) for it in snapshot.spans),
        (("spans", it.calls, 0) for it in snapshot.spans),
        (("slow_logs", it.events, 0) for it in snapshot.slow_logs),
    )
    for name, count, least in counts:
        if count < least:
            yield f"{name} has a count of {count}, less than {least}"


def _numbers(value: object) -> Iterator[int]:
    match value:
        case int():
            yield value
        case tuple() | list():
            for each in value:
                yield from _numbers(each)
        case msgspec.Struct():
            for name in value.__struct_fields__:
                yield from _numbers(getattr(value, name))
        case Run():
            yield from _numbers(
                (value.ingested_at_us, value.size_bytes, value.counts, value.totals)
            )


def _are_usable(numbers: Iterable[int]) -> bool:
    return all(-_MAX_VALUE < it < _MAX_VALUE for it in numbers)
