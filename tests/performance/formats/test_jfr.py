"""Recordings of Java Flight Recorder: what their events add up to, and what is said of the rest."""

import struct

import pytest

from benchpin.core.errors import InvalidParams
from benchpin.performance.values import Profile
from jfr_recordings import (
    ALLOCATION,
    CLASS,
    METHOD,
    MONITOR,
    STACK,
    SYMBOL,
    chunk,
    constants,
    event,
    number,
    period,
    pools,
    recording,
    sample,
    stack,
    text,
)
from profile_samples import own_costs, read_sample

KNOWN = constants(["main", "work"], [stack(1), stack(2, 1)])


def costs(profile: Profile, metric: str) -> dict[str, int]:
    return own_costs(profile, profile.metrics.index(metric))


def test_allocations_and_waiting_are_metrics_beside_the_samples() -> None:
    events = (
        event(ALLOCATION, number(2) + number(4096)),
        event(MONITOR, number(7_000) + number(1)),  # the clock of the chunk ticks each nanosecond
    )
    profile = read_sample(chunk(sample(2), *events, pools(KNOWN)))
    assert profile.metrics == ("samples", "alloc_bytes", "blocked_ns")
    assert costs(profile, "samples") == {"work": 1}
    assert costs(profile, "alloc_bytes") == {"work": 4096}
    assert costs(profile, "blocked_ns") == {"main": 7_000}


@pytest.mark.parametrize(
    ("written", "expected_ns"), [("20 ms", 20_000_000), ("500 us", 500_000), ("1 s", 10**9)]
)
def test_a_sample_takes_its_period_of_processor_time(written: str, expected_ns: int) -> None:
    profile = read_sample(chunk(period(written), sample(1), pools(KNOWN)))
    assert costs(profile, "ct") == {"main": expected_ns}


@pytest.mark.parametrize("written", ["everyChunk", "", "ms", "9999999999 s"])
def test_without_a_period_samples_are_only_counted(written: str) -> None:
    profile = read_sample(chunk(period(written), sample(1), pools(KNOWN)))
    assert profile.metrics == ("samples",)


def test_callers_that_were_not_recorded_are_said_to_be_missing() -> None:
    known = constants(["main", "work"], [stack(2, 2, is_cut=True)])
    [root, *_] = read_sample(chunk(sample(1), pools(known))).tree
    profile = read_sample(chunk(sample(1), pools(known)))
    assert profile.functions[root.function].function == "(callers not recorded)"


@pytest.mark.parametrize(
    ("owner", "expected"),
    [
        ("a/b/C", "a.b.C.work"),
        ("a/b/C$D", "a.b.C$D.work"),
        ("a/C$$Lambda$14/0x00000007c0060840", "a.C$$Lambda.work"),
        ("a/C$$Lambda+0x00007f0cd8000a00", "a.C$$Lambda.work"),
    ],
)
def test_classes_have_the_same_name_in_each_run(owner: str, expected: str) -> None:
    known = {
        STACK: {1: stack(1)},
        METHOD: {1: number(1) + number(2)},
        CLASS: {1: number(1)},
        SYMBOL: {1: text(owner), 2: text("work")},
    }
    assert list(own_costs(read_sample(chunk(sample(1), pools(known))))) == [expected]


def test_a_chunk_that_the_virtual_machine_did_not_finish_is_read() -> None:
    content = bytearray(recording())
    first = struct.unpack_from(">Q", content, 8)[0]
    struct.pack_into(">Q", content, first + 8, 0)
    profile = read_sample(bytes(content))
    assert own_costs(profile) == {"work": 30_000_000, "main": 10_000_000}
    assert [it.problem for it in profile.faults] == ["the recording ends within a chunk"]


def test_stacks_that_are_missing_are_counted() -> None:
    profile = read_sample(chunk(sample(1), sample(9), pools(KNOWN)))
    assert own_costs(profile) == {"main": 1}
    assert [it.problem for it in profile.faults] == ["1 of a chunk are missing or damaged"]


def test_a_recording_without_samples_says_so() -> None:
    profile = read_sample(chunk(pools(KNOWN)))
    assert not profile.functions
    assert [it.problem for it in profile.faults] == ["the recording has no samples with a stack"]


def test_what_java_8_records_is_refused() -> None:
    content = bytearray(recording())
    struct.pack_into(">H", content, 4, 1)
    with pytest.raises(InvalidParams, match=r"version 1 of the format"):
        read_sample(bytes(content))


def test_numbers_of_fixed_size_are_refused() -> None:
    content = bytearray(recording())
    struct.pack_into(">I", content, 64, 0)
    with pytest.raises(InvalidParams, match="without compressed numbers"):
        read_sample(bytes(content))
