import gzip
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, TimeLimitExceeded
from benchpin.performance.reading import Budget
from benchpin.performance.values import Profile
from benchpin.system import zstd
from spx_kit import (
    add_up,
    expected,
    metadata_of,
    random_events,
    read_named,
    read_spx,
    read_text,
    text_of,
    written_04,
    written_05,
)

MIX_05 = "spx-full-20261115_060902-vm-5395-1804289383"
WORKER = "spx-full-20261115_060902-vm-5394-1804289383"


@pytest.mark.parametrize("name", sorted(expected()))
def test_every_integer_is_the_one_that_spx_computes(name: str) -> None:
    want = expected()[name]
    profile = read_named(name)
    metrics = want["metrics"]
    rows = {
        (
            cost.function,
            cost.calls,
            cost.deepest_recursion,
            *cost.self,
            *cost.inclusive,
        )
        for cost in profile.functions
    }
    assert list(profile.metrics) == metrics
    assert len(profile.functions) == want["function_count"]
    assert sum(cost.calls for cost in profile.functions) == want["sum_called"]
    assert profile.events == 2 * want["sum_called"]
    for function in want["functions"]:
        exclusive = [round(function["exc"][metric]) for metric in metrics]
        inclusive = [round(function["inc"][metric]) for metric in metrics]
        name_and_calls = (function["name"], function["called"], function["max_cycle_depth"])
        assert (*name_and_calls, *exclusive, *inclusive) in rows
    for place, metric in enumerate(metrics):
        total = sum(cost.self[place] for cost in profile.functions)
        assert total == round(want["sum_exclusive"][metric])
    assert profile.request is not None
    assert profile.request.wall_time_ns == want["metadata_wall_time_ms_field"] * 1000
    assert profile.is_complete
    assert profile.faults == ()


@pytest.mark.parametrize("name", sorted(expected()))
def test_tree_and_edges_add_up_to_the_functions(name: str) -> None:
    _assert_sums_agree(read_named(name))


def test_packing_is_recognised_by_content() -> None:
    plain = zstd.decompress(text_of(MIX_05))
    metadata = metadata_of(MIX_05)
    packed = [plain, gzip.compress(plain), zstd.compress(plain)]
    profiles = [read_spx(metadata, BytesIO(text)) for text in packed]
    assert profiles == [read_named(MIX_05)] * 3
    assert profiles[0].version == "spx-text-v0.5"


def test_functions_of_one_name_are_separated_by_file_and_line() -> None:
    closures = [cost for cost in read_named(MIX_05).functions if cost.function.endswith("closure}")]
    places = {(cost.function, cost.file, cost.line, cost.calls) for cost in closures}
    name = "Perf\\Démo\\{closure}"
    file = "/srv/perf/php/mix.php"
    assert places == {(name, file, 12, 3), (name, file, 19, 30), (name, file, 20, 30)}


def test_edges_say_who_calls_whom() -> None:
    profile = read_named(WORKER)
    names = [cost.function for cost in profile.functions]
    edges = {(names[it.caller], names[it.callee]): it for it in profile.edges}
    assert set(edges) == {
        ("/srv/perf/php/daemon.php", "task"),
        ("task", "load"),
        ("task", "rank"),
        ("rank", "{closure}"),
    }
    assert edges["rank", "{closure}"].calls == 259
    assert edges["rank", "{closure}"].inclusive == (64826, 0)


def test_what_a_recursion_costs_is_counted_once() -> None:
    text = "[events]\n0 1 0\n1 1 10\n1 1 20\n1 0 30\n1 0 50\n0 0 60\n[functions]\nmain\nf\n"
    profile = read_text(text)
    rows = {it.function: (it.calls, it.self, it.inclusive) for it in profile.functions}
    assert rows == {"main": (1, (20,), (60,)), "f": (2, (40,), (40,))}
    edges = [(edge.caller, edge.callee, edge.calls, edge.inclusive) for edge in profile.edges]
    assert edges == [(0, 0, 1, (10,)), (1, 0, 1, (40,))]


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    calls=st.integers(1, 400),
    functions=st.integers(1, 150),
    metrics=st.integers(1, 6),
)
def test_both_formats_read_back_to_what_was_written(
    seed: int, calls: int, functions: int, metrics: int
) -> None:
    events = random_events(seed, calls=calls, functions=functions, metrics=metrics)
    sums = add_up(events, metrics)
    for text in (written_04(events, functions), written_05(events, functions)):
        profile = read_text(text)
        numbers = [int(cost.function[1:]) for cost in profile.functions]
        for number, cost in zip(numbers, profile.functions, strict=True):
            assert cost.calls == sums.calls[number]
            assert cost.deepest_recursion == sums.depth[number]
            assert list(cost.self) == sums.own[number]
            assert list(cost.inclusive) == sums.inclusive[number]
        pairs = {(numbers[it.caller], numbers[it.callee]): it.calls for it in profile.edges}
        assert pairs == sums.pairs
        assert profile.events == len(events)
        _assert_sums_agree(profile)


@pytest.mark.slow
def test_events_past_one_buffer_and_one_block_are_read() -> None:
    events = random_events(7, calls=20_000, functions=300, metrics=3)
    sums = add_up(events, 3)
    old, new = read_text(written_04(events, 300)), read_text(written_05(events, 300))
    for profile in (old, new):
        assert profile.events == 40_000
        for cost in profile.functions:
            assert list(cost.self) == sums.own[int(cost.function[1:])]
    assert [cost.self for cost in old.functions] == [cost.self for cost in new.functions]


def test_a_small_tree_budget_folds_paths_but_leaves_sums_of_functions_exact() -> None:
    text = written_04(random_events(3, calls=30_000, functions=40, metrics=2), 40)
    whole = read_text(text)
    folded = read_text(text, Budget(tree_nodes=3_000, kept_nodes=500))
    assert len(whole.tree) > 10_000
    assert len(folded.tree) <= 500
    assert folded.functions == whole.functions
    assert folded.edges == whole.edges
    _assert_sums_agree(folded)


def test_the_dearest_paths_survive_the_cut() -> None:
    text = written_04(random_events(5, calls=5_000, functions=20, metrics=1), 20)
    whole, cut = read_text(text), read_text(text, Budget(kept_nodes=100))
    assert any(node.function == -1 for node in cut.tree)
    dearest = max(node.inclusive for node in whole.tree)
    assert dearest == max(node.inclusive for node in cut.tree if node.function >= 0)


def test_a_deep_recursion_is_kept_to_a_depth_and_adds_up() -> None:
    enters = [f"0 1 {number}\n" for number in range(3_000)]
    leaves = [f"0 0 {number}\n" for number in range(3_000, 6_000)]
    profile = read_text("".join(["[events]\n", *enters, *leaves, "[functions]\nf\n"]))
    assert len(profile.tree) == 501
    assert profile.tree[-1].function == -1
    [cost] = profile.functions
    assert (cost.calls, cost.deepest_recursion, cost.inclusive) == (3_000, 2_999, (5_999,))
    _assert_sums_agree(profile)


def test_reading_twice_gives_the_same_value() -> None:
    text = written_05(random_events(11, calls=3_000, functions=50, metrics=3), 50)
    assert read_text(text, Budget(kept_nodes=50)) == read_text(text, Budget(kept_nodes=50))


def test_parents_come_before_their_children() -> None:
    tree = read_named(MIX_05).tree
    assert all(node.parent < place for place, node in enumerate(tree))


def test_past_the_limit_of_events_names_are_still_read() -> None:
    text = written_04(random_events(2, calls=20_000, functions=5, metrics=1), 5)
    profile = read_text(text, Budget(events=9_000))
    assert profile.events == 9_000
    assert {cost.function for cost in profile.functions} == {"f0", "f1", "f2", "f3", "f4"}
    assert any("more than 9000 events" in fault.problem for fault in profile.faults)
    assert not profile.is_complete


def test_past_the_limit_of_text_nothing_is_read() -> None:
    text = written_04(random_events(2, calls=20_000, functions=5, metrics=1), 5)
    profile = read_text(text, Budget(text_bytes=100_000))
    assert 0 < profile.events < 40_000
    places = [fault.place for fault in profile.faults if "limit" in fault.problem]
    assert places == ["byte 100000"]


def test_calls_nested_deeper_than_the_tree_may_grow_end_the_reading() -> None:
    text = "[events]\n" + "".join(f"0 1 {number}\n" for number in range(50_000))
    profile = read_text(text, Budget(tree_nodes=10_000))
    assert 10_000 <= profile.events < 50_000
    assert any("nested" in fault.problem for fault in profile.faults)


def test_when_the_time_is_up_reading_ends() -> None:
    ticks = iter(range(1_000_000))
    job = Job(time_limit_s=2, monotonic=lambda: float(next(ticks)))
    text = written_04(random_events(2, calls=40_000, functions=5, metrics=1), 5)
    with pytest.raises(TimeLimitExceeded):
        read_spx(None, BytesIO(text.encode()), job=job)


def test_a_cancelled_job_stops() -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        read_spx(None, BytesIO(text_of(WORKER)), job=job)


def _assert_sums_agree(profile: Profile) -> None:
    assert sum(node.calls for node in profile.tree) == sum(it.calls for it in profile.functions)
    for place in range(len(profile.metrics)):
        own = sum(node.self[place] for node in profile.tree)
        assert own == sum(cost.self[place] for cost in profile.functions)
        roots = sum(node.inclusive[place] for node in profile.tree if node.parent < 0)
        assert roots == own
    below = [list(node.self) for node in profile.tree]
    for number in range(len(profile.tree) - 1, -1, -1):
        node = profile.tree[number]
        assert tuple(below[number]) == node.inclusive
        if node.parent >= 0:
            for place, spent in enumerate(node.inclusive):
                below[node.parent][place] += spent
