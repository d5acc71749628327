"""Whether a snapshot that was read from a file is one that Benchpin could have written."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TypeVar

import msgspec

from benchpin.performance.values import CallNode, Cost, Profile

from ._runs import Run, RunIndex, RunMetadata
from ._snapshot import Snapshot

Record = TypeVar("Record", RunIndex, RunMetadata)
# No cost is larger, even of a damaged profile; its fourth power is still a float.
_MAX_VALUE = 1 << 127


def decode_snapshot(content: bytes) -> Snapshot:
    """Read a snapshot, and check what its types do not say.

    Positions lead somewhere, every cost has a value for each metric, and numbers can be computed
    with.

    Raises:
        msgspec.ValidationError: when it is none.
    """
    found = msgspec.json.decode(content, type=Snapshot)
    problem = _problem_of(found)
    if problem:
        raise msgspec.ValidationError(problem)
    return found


def decode_record(content: bytes, kind: type[Record]) -> Record:
    """Read what is stored beside a snapshot.

    Raises:
        msgspec.ValidationError: when it is none, or has numbers that cannot be computed with.
    """
    found = msgspec.json.decode(content, type=kind)
    if not _are_usable(_numbers(found)):
        raise msgspec.ValidationError("it has a number that is too large")
    return found


def _problem_of(snapshot: Snapshot) -> str:
    """Return the first thing that is wrong; empty if nothing is."""
    problems = chain(
        _profile_problems(snapshot),
        _count_problems(snapshot),
        _number_problems(snapshot),
    )
    return next(problems, "")


def _profile_problems(snapshot: Snapshot) -> Iterator[str]:
    for at, each in enumerate(snapshot.profiles):
        problem = next(_problems(each.profile), "")
        if problem:
            yield f"profiles[{at}] {problem}"


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


def _number_problems(snapshot: Snapshot) -> Iterator[str]:
    """Look at all numbers but those of profiles, which are most."""
    for name in ("queries", "spans", "endpoints", "slow_logs", "timings", "plans"):
        if not _are_usable(_numbers(getattr(snapshot, name))):
            yield f"{name} has a number that is too large"
    if not _are_usable(_numbers((snapshot.totals, snapshot.counts))):
        yield "totals have a number that is too large"


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
