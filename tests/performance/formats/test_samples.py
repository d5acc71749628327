import random
from contextlib import suppress

import pytest

from benchpin.core.errors import BenchpinError
from benchpin.performance.reading import Budget
from profile_samples import MS, SAMPLES, format_of, own_costs, read_sample

NAMES = sorted(SAMPLES)


@pytest.mark.parametrize("name", NAMES)
def test_the_format_is_recognised_by_its_content(name: str) -> None:
    expected, content = SAMPLES[name]
    assert format_of(content) == expected


@pytest.mark.parametrize("name", NAMES)
def test_times_and_callers_are_those_of_the_run(name: str) -> None:
    profile = read_sample(SAMPLES[name][1])
    assert own_costs(profile) == {"work": 30 * MS, "main": 10 * MS}
    inclusive = {cost.function: cost.inclusive[0] for cost in profile.functions}
    assert (inclusive["main"], inclusive["work"]) == (40 * MS, 30 * MS)
    pairs = {
        (profile.functions[it.caller].function, profile.functions[it.callee].function)
        for it in profile.edges
    }
    assert ("main", "work") in pairs
    assert profile.is_complete, profile.faults


@pytest.mark.parametrize(
    "name",
    ["pstats", "callgrind", "cachegrind of Xdebug", "XHProf as JSON", "XHProf serialised", "pprof"],
)
def test_formats_that_count_calls_keep_the_count(name: str) -> None:
    profile = read_sample(SAMPLES[name][1])
    assert {it.function: it.calls for it in profile.functions}["work"] == 2


@pytest.mark.parametrize("name", NAMES)
def test_a_file_cut_anywhere_is_read_as_far_as_possible_or_refused(name: str) -> None:
    content = SAMPLES[name][1]
    for end in range(1, len(content), max(1, len(content) // 120)):
        _read_or_refused(content[:end])


@pytest.mark.parametrize("name", NAMES)
def test_damaged_bytes_never_break_the_reader(name: str) -> None:
    chance = random.Random(name)  # noqa: S311 - the same damage in every run
    for _ in range(150):
        content = bytearray(SAMPLES[name][1])
        for _ in range(chance.randint(1, 8)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        _read_or_refused(bytes(content))


def _read_or_refused(content: bytes) -> None:
    if format_of(content) is None:
        return
    with suppress(BenchpinError):  # which says what is wrong with it
        profile = read_sample(content)
        assert all(len(cost.self) == len(profile.metrics) for cost in profile.functions)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"hello world 12\nthis is a log 13\n",
        b"id;name;count\n1;a;2\n",
        b"# Time: 2026-01-01T00:00:00Z\n# Query_time: 1.0  Lock_time: 0\nSELECT 1;\n",
        b'{"log": {"creator": {}, "entries": []}}',
        b"url,route,ttfb_ms,wall_ms\n/a,/a,1,2\n",
        b"\x00" * 100,
        b"PK\x03\x04" + b"\x00" * 60,
    ],
)
def test_other_files_are_no_profiles(content: bytes) -> None:
    assert format_of(content) is None


def test_too_many_functions_become_one() -> None:
    lines = "".join(f"main;f{number} 1\n" for number in range(50))
    profile = read_sample(lines.encode(), Budget(functions=10))
    assert sum(own_costs(profile).values()) == 50
    assert len(profile.functions) <= 11
    assert any("more than 10" in fault.problem for fault in profile.faults)


def test_a_tree_over_the_limit_keeps_every_sum() -> None:
    lines = "".join(f"main;f{number % 7};g{number} {number}\n" for number in range(2000))
    profile = read_sample(lines.encode(), Budget(tree_nodes=300, kept_nodes=100))
    assert len(profile.tree) <= 200
    assert sum(cost.self[0] for cost in profile.functions) == sum(range(2000))


@pytest.mark.parametrize("cost", ["1e300", "99999999999999999999999"])
def test_a_cost_that_nothing_can_have_measured_is_refused(cost: str) -> None:
    content = SAMPLES["pyinstrument"][1].replace(b'"time": 0.03', f'"time": {cost}'.encode())
    with pytest.raises(BenchpinError, match="nothing can have measured"):
        read_sample(content)


def test_parents_that_form_a_circle_end() -> None:
    content = SAMPLES["cpuprofile"][1].replace(b'"children": []', b'"children": [2]')
    assert sum(own_costs(read_sample(content)).values()) == 40 * MS


def test_events_of_two_threads_have_a_root_each() -> None:
    content = SAMPLES["chrome trace"][1].replace(
        b'"dur": 15000, "pid": 1, "tid": 1', b'"dur": 15000, "pid": 1, "tid": 2', 1
    )
    roots = {node.function for node in read_sample(content).tree if node.parent < 0}
    assert len(roots) == 2


def test_recursion_counts_the_outermost_call_only() -> None:
    profile = read_sample(b"main;f;f;f 5\nmain;f 1\n")
    [function] = [cost for cost in profile.functions if cost.function == "f"]
    assert (function.self, function.inclusive) == ((6,), (6,))


def _shared_tuples(levels: int, width: int) -> bytes:
    """Return a marshalled dict whose key is tuples of references to tuples, nested."""
    content = b"{" + b"\xa9\x01i\x00\x00\x00\x00"
    for number in range(levels):
        content += b"\xa9" + bytes([width])
        content += b"".join(b"r" + number.to_bytes(4, "little") for _ in range(width))
    return content


@pytest.mark.parametrize(
    "content",
    [
        _shared_tuples(30, 5),
        b"{" + b")\x01" * 300_000 + b"N0",
        b"{" + b"\xa9\x03" + b"r\x00\x00\x00\x00" * 3 + b"0",
    ],
)
def test_a_crafted_pstats_file_is_refused_at_once(content: bytes) -> None:
    with pytest.raises(BenchpinError, match="damaged"):
        read_sample(content)


def test_a_document_of_empty_lists_is_refused_before_it_is_decoded() -> None:
    content = SAMPLES["speedscope"][1].replace(b'"events": [', b'"samples": [' + b"[]," * 1_100_000)
    with pytest.raises(BenchpinError, match="more than"):
        read_sample(content)


def test_a_line_without_end_is_refused() -> None:
    with pytest.raises(BenchpinError, match="larger than 16 MiB"):
        read_sample(b"main;work 5\n" + b"x" * (17 << 20))
