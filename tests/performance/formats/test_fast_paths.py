"""What readers do faster for usual files gives the same as the plain way, also for unusual ones."""

import json
import marshal
import random
from collections import Counter
from io import BytesIO

import pytest

from artifact_kit import read_format, version_of
from benchpin.core.calls import Job
from benchpin.performance.reading import Budget
from benchpin.performance.values import Profile


def read(content: bytes) -> Profile:
    name = version_of(content)
    assert name is not None
    return read_format(name, BytesIO(content), Budget(), Job())


def own_costs(profile: Profile) -> dict[str, int]:
    return {it.function: it.self[0] for it in profile.functions if it.self[0]}


def test_collapsed_stacks_that_begin_alike_are_kept_apart() -> None:
    chance = random.Random(2)  # noqa: S311 - the same stacks in every run
    expected: Counter[tuple[str, ...]] = Counter()
    lines = []
    for _ in range(2_000):
        stack = ["ab" * chance.randint(1, 3) for _ in range(chance.randint(1, 6))]
        lines.append(f"{';'.join(stack)} 2")
        expected[tuple(stack)] += 2
    profile = read("\n".join(["a;b 1", *lines]).encode())
    paths: list[tuple[str, ...]] = []
    found: Counter[tuple[str, ...]] = Counter()
    for node in profile.tree:
        above = paths[node.parent] if node.parent >= 0 else ()
        paths.append((*above, profile.functions[node.function].function))
        found[paths[-1]] += node.self[0]
    assert {path: cost for path, cost in found.items() if cost} == {**expected, ("a", "b"): 1}


def varint(value: int) -> bytes:
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def pprof(samples: list[bytes], locations: int) -> bytes:
    strings = ["", "cpu", "nanoseconds", *(f"f{it}" for it in range(locations))]
    parts = [field(1, b"\x08\x01\x10\x02"), *(field(2, it) for it in samples)]
    for it in range(locations):
        line = field(4, b"\x08" + varint(it + 1))
        parts.append(field(4, b"\x08" + varint(it + 1) + line))
        parts.append(field(5, b"\x08" + varint(it + 1) + b"\x10" + varint(it + 3)))
    return b"".join([*parts, *(field(6, it.encode()) for it in strings)])


def packed(numbers: list[int]) -> bytes:
    return b"".join(map(varint, numbers))


@pytest.mark.parametrize("locations", [5, 200, 20_000])
def test_samples_of_pprof_are_the_same_in_every_form(locations: int) -> None:
    stacks = [[locations, 1], [2], [locations // 2, 3, 2] * 30]
    short = [field(1, packed(it)) + field(2, varint(1_000)) for it in stacks]
    labelled = [it + field(3, b"\x08\x01\x10\x02") for it in short]
    single = [
        b"".join(b"\x08" + varint(one) for one in it) + b"\x10" + varint(1_000) for it in stacks
    ]
    profiles = [read(pprof(it, locations)) for it in (short, labelled, single)]
    expected = Counter(f"f{stack[0] - 1}" for stack in stacks for _ in range(1_000))
    assert all(own_costs(it) == expected for it in profiles)
    assert {it.events for it in profiles} == {3}


@pytest.mark.parametrize("locations", [b"\x80" * 11 + b"\x01", b"\x81", b"\x80" * 30])
def test_a_damaged_number_of_pprof_costs_its_sample_only(locations: bytes) -> None:
    good = field(1, packed([1])) + field(2, varint(7))
    profile = read(pprof([good, field(1, locations) + field(2, varint(5)), good], 2))
    assert own_costs(profile) == {"f0": 14}
    assert [it.problem for it in profile.faults] == ["1 are damaged"]


def test_fractions_and_separate_ends_of_a_trace_are_nanoseconds() -> None:
    events = [
        {"ph": "X", "name": "a", "ts": 1.0005, "dur": 10.25, "pid": 1, "tid": 1},
        {"ph": "B", "name": "b", "ts": 2.5, "pid": 1, "tid": 1},
        {"ph": "E", "ts": 4.25, "pid": 1, "tid": 1},
        {"ph": "X", "name": "c", "ts": 20, "dur": -5, "pid": 1, "tid": 1},
    ]
    assert own_costs(read(json.dumps(events).encode())) == {"a": 8_500, "b": 1_750}


def test_an_event_of_a_trace_without_an_end_lasts_to_the_last_one() -> None:
    events = [
        {"ph": "B", "name": "b", "ts": 1, "pid": 1, "tid": 1},
        {"ph": "X", "name": "a", "ts": 2, "dur": 3, "pid": 1, "tid": 1},
    ]
    profile = read(json.dumps(events).encode())
    assert own_costs(profile) == {"a": 3_000, "b": 1_000}
    assert not profile.is_complete


def test_names_with_quotation_marks_are_read_by_their_length() -> None:
    def text(value: str) -> str:
        return f's:{len(value)}:"{value}";'

    costs = 'a:2:{s:2:"ct";i:1;s:2:"wt";i:5;}'
    entries = [text("main()"), text('main()==>a";a:1:{'), text("main()==>b")]
    content = f"a:3:{{{''.join(f'{it}{costs}' for it in entries)}}}".encode()
    assert own_costs(read(content)) == {'a";a:1:{': 5_000, "b": 5_000, "main()": -5_000}


def test_a_number_of_callgrind_means_its_newest_name() -> None:
    content = (
        b"# callgrind format\nevents: Ir\n\nfn=(1) one\n1 5\n\nfn=(2)\n1 6\n\n"
        b"fn=(1)\n2 7\n\nfn=(1) other\n1 8\n\nfn=(1)\n1 9\n"
    )
    assert own_costs(read(content)) == {"one": 12, "(2)": 6, "other": 17}


@pytest.mark.parametrize("version", [2, 3, 4])
def test_cprofile_is_read_alike_with_and_without_references(version: int) -> None:
    """Marshal refers to equal values since version 3; callers may have other kinds of numbers."""
    chance = random.Random(4)  # noqa: S311 - the same profile in every run
    keys = [(f"/a/{it % 3}.py", it + 1, f"f{it}") for it in range(40)]
    stats = {}
    for key in keys:
        called = chance.choice((1, 300, 1 << 40))
        times = (called, called, chance.random(), chance.choice((0, 0.5, chance.random())))
        callers = {keys[chance.randrange(40)]: (2, called, 0.25, 0.5) for _ in range(3)}
        stats[key] = (*times, callers)
    profile = read(marshal.dumps(stats, version))
    found = {it.function: it for it in profile.functions}
    assert len(found) == len(keys)
    for (file, line, name), (_, calls, own, inclusive, callers) in stats.items():
        cost = found[name]
        assert (cost.file, cost.line, cost.calls) == (file, line, calls)
        assert cost.self == (round(own * 1e9),)
        assert cost.inclusive == (round(inclusive * 1e9),)
        edges = [it for it in profile.edges if profile.functions[it.callee] == cost]
        assert sorted(it.calls for it in edges) == sorted(it[1] for it in callers.values())
