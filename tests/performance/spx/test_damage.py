import gzip
import json
from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchpin.performance.formats._spx_events import Block, Decoder04
from benchpin.performance.reading import Budget, FaultLog
from benchpin.performance.values import Profile
from benchpin.system import zstd
from spx_kit import (
    PROFILES,
    Event,
    metadata_of,
    random_events,
    read_spx,
    read_text,
    text_of,
    written_04,
    written_05,
)

WORKER_04 = "spx-full-20261115_060902-vm-5394-1804289383"
WORKER_05 = "spx-full-20261115_060902-vm-5397-1804289383"
HUNG = "spx-full-20261115_064608-vm-3470-1365180540"
KILLED = "spx-full-20261115_065702-vm-16349-1804289383"
STEP = 97


def test_lines_that_spx_glued_together_become_the_events_they_were() -> None:
    text = (PROFILES / "glued.txt").read_bytes()
    faults = FaultLog(50)
    rows = Decoder04(22, faults).decode(Block("events", 1, text))
    assert len(faults) == 6
    assert {fault.place for fault in faults.listed()} == {f"line {it}" for it in range(2, 18, 3)}
    assert len(rows.enters) == 24
    repaired = [
        (rows.lines[it], rows.functions[it], rows.enters[it])
        for it in range(24)
        if (rows.lines[it] - 2) % 3 == 0
    ]
    assert repaired == [
        (2, 429, 0),
        (2, 255, 0),
        (5, 255, 0),
        (5, 255, 1),
        (8, 428, 1),
        (8, 428, 0),
        (11, 255, 1),
        (11, 445, 1),
        (14, 392, 1),
        (14, 392, 0),
        (17, 50, 0),
        (17, 51, 1),
    ]
    bytes_read_and_written = rows.deltas[19]
    assert all(0 <= delta < 100_000 for delta in bytes_read_and_written)


def test_a_process_that_hung_leaves_no_text_which_is_a_fault() -> None:
    profile = read_spx(metadata_of(HUNG), BytesIO(text_of(HUNG)))
    assert profile.events == 0
    assert not profile.is_complete
    problems = " ".join(fault.problem for fault in profile.faults)
    assert "no text" in problems
    assert "1 calls were recorded, 0 were read" in problems


def test_a_process_that_was_killed_leaves_what_it_had_written() -> None:
    profile = read_spx(None, BytesIO(text_of(KILLED)))
    assert profile.events > 1_000
    assert profile.metrics == ("wt", "zm")
    assert {cost.function for cost in profile.functions} == {"#0", "#1", "#2"}
    assert profile.request is None
    assert [(fault.place, fault.problem.split(":")[0]) for fault in profile.faults] == [
        ("metadata", "missing"),
        (f"line {profile.events + 2}", "truncated by the end of the text"),
        ("byte 8000", "the gzip data is truncated here"),
        ("end of text", "no [functions]; functions are named by their number"),
        ("end of text", "2 calls did not return"),
    ]


def test_a_lost_leave_is_made_up_for() -> None:
    profile = read_text("[events]\n0 1 0\n1 1 10\n2 1 20\n0 0 60\n[functions]\na\nb\nc\n")
    assert {(it.function, it.calls, it.self) for it in profile.functions} == {
        ("a", 1, (10,)),
        ("b", 1, (10,)),
        ("c", 1, (40,)),
    }
    assert ("line 5", "2 calls inside function #0 did not return") in _faults(profile)


def test_a_lost_enter_is_skipped() -> None:
    profile = read_text("[events]\n0 1 0\n7 0 10\n0 0 60\n[functions]\na\n")
    assert [(it.function, it.calls, it.self) for it in profile.functions] == [("a", 1, (60,))]
    assert ("line 3", "function #7 returns but was not called") in _faults(profile)


def test_a_line_of_rubbish_costs_only_itself() -> None:
    for text in (
        "[events]\n0 1 0 0\n1 1 5 0\nwhat? no\n1 0 9 0\n0 0 60 0\n[functions]\na\nb\n",
        "[events]\n|0|a0|a0\nf|1|5|\nwhat? no\n-1|4|\n-0|51|\n[functions]\n:0:a\n:0:b\n",
    ):
        profile = read_text(text)
        assert {(it.function, it.self[0]) for it in profile.functions} == {("a", 56), ("b", 4)}
        assert [fault.place for fault in profile.faults] == ["metadata", "line 4"]


def test_a_reference_to_a_lost_event_is_not_guessed() -> None:
    text = "[events]\n|0|a0\nf|100|5\nrubbish\n-r1|4\n-0|51\n[functions]\n:0:a\n"
    profile = read_text(text)
    assert [fault.place for fault in profile.faults][:3] == ["metadata", "line 4", "line 5"]


def test_a_value_before_a_lost_line_is_caught_up_with_at_the_next_absolute_one() -> None:
    text = "[events]\n|0|a0\n-0|10\nrubbish\n|0|a50\n-0|5\n[functions]\n:0:a\n"
    [cost] = read_text(text).functions
    assert (cost.calls, cost.self) == (2, (15,))


def test_faults_past_the_limit_are_counted() -> None:
    text = "[events]\n0 1 0 0\n" + "rubbish\n" * 500 + "0 0 5 5\n[functions]\na\n"
    lines = written_04(random_events(1, calls=200, functions=3, metrics=2), 3)
    profile = read_text(lines.replace("[functions]", "rubbish\n" * 500 + "[functions]"))
    assert len(profile.faults) == Budget().faults + 1
    assert profile.faults[-1].problem == "451 more faults"
    assert read_text(text).faults


def test_metadata_that_disagrees_with_the_text_is_a_fault() -> None:
    other = json.dumps({"key": "k", "enabled_metrics": ["wt"], "recorded_call_count": 99})
    profile = read_spx(other.encode(), BytesIO(text_of(WORKER_04)))
    assert profile.metrics == ("wt", "metric_2")
    assert {fault.problem for fault in profile.faults} == {
        "1 metrics, but 2 in the text",
        "99 calls were recorded, 263 were read",
    }


@pytest.mark.parametrize("name", [WORKER_04, WORKER_05])
def test_cut_anywhere_a_profile_is_read_as_far_as_it_goes(name: str) -> None:
    packed = text_of(name)
    whole = read_spx(metadata_of(name), BytesIO(packed))
    events = []
    for end in range(0, len(packed), STEP):
        profile = read_spx(metadata_of(name), BytesIO(packed[:end]))
        assert profile.faults
        assert not profile.is_complete
        events.append(profile.events)
    assert events == sorted(events)
    assert events[-1] <= whole.events


@pytest.mark.parametrize("write", [written_04, written_05])
def test_text_cut_anywhere_is_read_up_to_there(write: Callable[[list[Event], int], str]) -> None:
    text = write(random_events(4, calls=120, functions=120, metrics=2), 120).encode()
    whole = read_text(text)
    for end in range(0, len(text), STEP):
        profile = read_text(text[:end])
        assert profile.events == min(max(0, text[:end].count(b"\n") - 1), whole.events)
        assert len(profile.faults) > 1


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=3_000))
@example(b"[events]\n" + b"7|" * 900)
@example(b"[events]\n0 1 99999999999999999999999999999999\n0 0 1\n[functions]\n")
@example(b"[events]\n-|||\n|a|a|a\n-r0|1|1\n")
@example(b"[functions]\n[events]\n[functions]\n")
def test_no_bytes_whatever_crash_the_reader(raw: bytes) -> None:
    for text in (raw, b"[events]\n" + raw, gzip.compress(raw), zstd.compress(raw)):
        profile = read_spx(raw, BytesIO(text))
        assert profile.faults


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 1000),
    place=st.floats(0, 1),
    junk=st.binary(min_size=1, max_size=40),
    is_new=st.booleans(),
)
def test_junk_in_the_middle_never_crashes(
    seed: int, place: float, junk: bytes, *, is_new: bool
) -> None:
    events = random_events(seed, calls=60, functions=130, metrics=2)
    text = (written_05 if is_new else written_04)(events, 130).encode()
    middle = int(place * len(text))
    profile = read_text(text[:middle] + junk + text[middle:])
    assert sum(node.calls for node in profile.tree) == sum(it.calls for it in profile.functions)


def _faults(profile: Profile) -> list[tuple[str, str]]:
    return [(fault.place, fault.problem) for fault in profile.faults]
