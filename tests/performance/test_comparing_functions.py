from collections.abc import Mapping, Sequence
from io import BytesIO

import pytest

from artifact_kit import read_format
from benchpin.core.calls import Job
from benchpin.performance.comparing import Group, compare, drift_of, group_of, noise
from benchpin.performance.comparing._measured import group_of_sums
from benchpin.performance.reading import Budget
from benchpin.performance.snapshots import Snapshot, build_snapshot
from benchpin.performance.snapshots._runs import describe
from benchpin.performance.values import CallEdge, Cost, Profile
from profile_values import profile, profile_reading

MS = 1_000_000
CALM = (100, 101, 99, 100, 102, 98, 100, 101, 99, 100)
Function = tuple[str, str | None, int, int]
"""Name, file, calls and self time in ms."""


def graph(functions: Sequence[Function], calls: Mapping[str, str] | None = None) -> Profile:
    """Make a profile like cProfile's: functions, and for some of them their caller."""
    costs = [
        Cost(name, count, (time * MS // 100,), (time * MS // 100,), file=file, line=1)
        for name, file, count, time in functions
    ]
    places = {cost.function: place for place, cost in enumerate(costs)}
    above = calls or {}

    def inclusive(name: str) -> int:
        inner = sum(inclusive(it) for it, caller in above.items() if caller == name)
        return costs[places[name]].self[0] + inner

    edges = [
        CallEdge(places[caller], places[name], costs[places[name]].calls, (inclusive(name),))
        for name, caller in above.items()
    ]
    return Profile(
        version="pstats",
        metrics=("wt",),
        request=None,
        events=0,
        functions=tuple(costs),
        edges=tuple(edges),
        tree=(),
        is_complete=True,
    )


def snapshot(profiles: Sequence[Profile]) -> Snapshot:
    return build_snapshot([profile_reading(at, each) for at, each in enumerate(profiles, 1)])


def test_functions_are_matched_by_name_and_file() -> None:
    before = [graph([("run", "a.py", 1, 9 * it), ("run", "b.py", 1, 5 * it)]) for it in CALM]
    after = [graph([("run", "b.py", 1, 9 * it), ("run", "a.py", 1, 5 * it)]) for it in CALM]
    found = compare(snapshot(before), snapshot(after))
    assert [(it.title, it.file) for it in found.regressions] == [("run (b.py:1)", "b.py")]
    assert [(it.title, it.file) for it in found.improvements] == [("run (a.py:1)", "a.py")]
    assert (found.appeared, found.disappeared) == ([], [])


def test_a_function_that_moved_to_another_file_is_another_one() -> None:
    before = [graph([("run", "old.py", 1, it), ("main", "m.py", 1, 900)]) for it in CALM]
    after = [graph([("run", "new.py", 1, it), ("main", "m.py", 1, 900)]) for it in CALM]
    found = compare(snapshot(before), snapshot(after))
    assert [it.title for it in found.appeared] == ["run"]
    assert (found.verdict, found.regressions) == ("unchanged", [])


def test_a_new_function_is_a_regression_if_the_whole_run_became_slower() -> None:
    before = [graph([("main", "m.py", 1, 3 * it)]) for it in CALM]
    after = [graph([("main", "m.py", 1, 3 * it), ("extra", "x.py", 1, 2 * it)]) for it in CALM]
    found = compare(snapshot(before), snapshot(after))
    assert [(it.title, it.metric, it.before) for it in found.regressions] == [
        ("extra", "self_us", 0.0)
    ]
    (whole,) = found.whole_runs
    assert (whole.verdict, whole.metric, whole.before, whole.after) == (
        "regressed",
        "profiled_us",
        3000.0,
        5000.0,
    )


def test_a_change_has_an_effect_and_an_interval_around_it() -> None:
    before = [graph([("main", "m.py", 1, 3 * it)]) for it in CALM]
    after = [graph([("main", "m.py", 1, 6 * it)]) for it in CALM]
    (change,) = compare(snapshot(before), snapshot(after)).regressions
    assert change.effect == pytest.approx(1, abs=0.01)
    assert change.delta == pytest.approx(3000, abs=1)
    assert 0 < change.low < 3000 < change.high
    assert change.high - change.low == pytest.approx(2 * change.noise, abs=0.01)


def test_one_slow_run_in_ten_neither_hides_nor_makes_a_change() -> None:
    spoilt = (*CALM[:9], 900)
    calm = snapshot([graph([("main", "m.py", 1, 3 * it)]) for it in CALM])
    once = snapshot([graph([("main", "m.py", 1, 3 * it)]) for it in spoilt])
    slow = snapshot([graph([("main", "m.py", 1, 5 * it)]) for it in spoilt])
    assert compare(calm, once).verdict == "unchanged"
    assert compare(calm, slow).verdict == "regressed"


def test_more_calls_are_certain_even_where_times_are_not() -> None:
    wild = (100, 300, 90, 250, 120, 280, 110, 90, 310, 100)
    before = [graph([("fetch", "db.py", 10, 2 * it)]) for it in wild]
    after = [graph([("fetch", "db.py", 14, 3 * it)]) for it in wild]
    found = compare(snapshot(before), snapshot(after))
    assert [(it.metric, it.before, it.after) for it in found.regressions] == [("calls", 10, 14)]


def test_the_origin_is_the_nearest_caller_that_was_not_called_more_often() -> None:
    above = {"execute": "load", "load": "handle", "handle": "main"}

    def run(loads: int, jitter: int) -> Profile:
        rows: list[Function] = [
            ("main", "m.py", 1, 150),
            ("handle", "h.py", 1, 150),
            ("load", "h.py", loads, 150 * loads),
            ("execute", None, loads, 4 * jitter * loads),
        ]
        return graph(rows, above)

    found = compare(snapshot([run(1, it) for it in CALM]), snapshot([run(20, it) for it in CALM]))
    assert {it.title for it in found.regressions} == {"execute", "load"}
    assert {(it.origin, it.file) for it in found.regressions} == {("handle", "h.py")}
    assert found.regressions[0].title == "execute"


def test_the_origin_is_in_the_programs_own_code_if_that_calls_the_library() -> None:
    library = "/venv/lib/python3.11/site-packages/toml/parse.py"
    above = {"scan": "parse", "parse": "render", "render": "main"}

    def run(scans: int, jitter: int) -> Profile:
        rows: list[Function] = [
            ("main", "m.py", 1, 150),
            ("render", "m.py", 4, 150),
            ("parse", library, 4, 200),
            ("scan", library, scans, 2 * jitter * scans),
        ]
        return graph(rows, above)

    found = compare(snapshot([run(2, it) for it in CALM]), snapshot([run(5, it) for it in CALM]))
    assert {(it.title, it.origin) for it in found.regressions} == {("scan", "render")}


def test_a_slower_machine_is_not_a_slower_program() -> None:
    names = "abcdefgh"

    def run(jitter: int, factor: float, worse: str = "") -> Profile:
        rows = [
            (name, f"{name}.py", 1, round(factor * jitter * (2 + at) * (2 if name == worse else 1)))
            for at, name in enumerate(names)
        ]
        return graph(rows)

    before = snapshot([run(it, 1) for it in CALM])
    found = compare(before, snapshot([run(it, 1.4) for it in CALM]))
    assert (found.verdict, found.regressions) == ("unchanged", [])
    worse = compare(before, snapshot([run(it, 1.4, "c") for it in CALM]))
    assert [it.title for it in worse.regressions] == ["c"]


def test_a_change_of_ten_times_is_seen_on_an_uneven_machine() -> None:
    uneven = (1, 1.3, 0.8, 1.5, 0.7, 1.2, 0.9, 1.1)

    def run(jitter: int, *, is_late: bool) -> Profile:
        rows: list[Function] = [
            (f"f{at}", f"{at}.py", 1, round(3 * jitter * (it if is_late else 1)))
            for at, it in enumerate(uneven)
        ]
        return graph([*rows, ("worse", "w.py", 1, (30 if is_late else 3) * jitter)])

    before = snapshot([run(it, is_late=False) for it in CALM])
    found = compare(before, snapshot([run(it, is_late=True) for it in CALM]))
    assert [it.title for it in found.regressions] == ["worse"]


def test_profiles_of_samples_are_compared_by_their_counts() -> None:
    def stacks(samples: int) -> Profile:
        text = f"main;work {samples}\nmain;rest 300\n"
        return read_format("collapsed", BytesIO(text.encode()), Budget(), Job())

    before, after = [stacks(it) for it in CALM], [stacks(2 * it) for it in CALM]
    found = compare(snapshot(before), snapshot(after))
    (change,) = found.regressions
    assert (change.title, change.metric, change.before, change.after) == (
        "work",
        "self_cost",
        100.0,
        200.0,
    )
    assert change.impact_us is None


def test_profiles_of_different_metrics_are_not_compared() -> None:
    sampled = read_format("collapsed", BytesIO(b"main 100\n"), Budget(), Job())
    found = compare(snapshot([sampled]), snapshot([profile(None, [("main", 100 * MS)])]))
    assert found.verdict == "not_comparable"


def test_trimmed_means_follow_yuen() -> None:
    """Ten values, two trimmed at each end; Wilcox, Introduction to Robust Estimation, 3.3."""
    found = group_of([77, 87, 88, 114, 151, 210, 219, 246, 253, 262])
    assert found.centre == pytest.approx((88 + 114 + 151 + 210 + 219 + 246) / 6)
    winsorised = [88] * 3 + [114, 151, 210, 219] + [246] * 3
    mean = sum(winsorised) / 10
    squares = sum((it - mean) ** 2 for it in winsorised)
    assert found.variance == pytest.approx(squares / 30, rel=0.001)
    assert found.freedom == 5


def test_few_and_many_values_are_not_trimmed() -> None:
    few, many = [1, 2, 3, 4, 90], [*range(29), 5000]
    assert group_of(few) == group_of_sums(5, sum(few), sum(it * it for it in few))
    assert group_of(many).centre == sum(many) / 30
    assert noise(group_of(few), group_of(few), 1) > 0


def test_drift_is_the_median_of_at_least_five_ratios() -> None:
    def pairs(*ratios: float) -> list[tuple[Group, Group]]:
        return [(group_of([100] * 5), group_of([round(100 * it)] * 5)) for it in ratios]

    assert drift_of(pairs(2, 2, 2, 2)).factor == 1
    assert drift_of(pairs(2, 2.1, 1.9, 2, 9)).factor == 2


def test_a_command_in_another_folder_is_the_same_command() -> None:
    def run(folder: str, jitter: int) -> Profile:
        text = f"cmd: {folder}/app.php secret\nevents: Time_(ns)\nfl={folder}/app.php\nfn=work\n"
        content = f"{text}3 {jitter * MS}\n".encode()
        return read_format("callgrind", BytesIO(content), Budget(), Job())

    before = snapshot([run("/builds/1", it) for it in CALM])
    found = compare(before, snapshot([run("/builds/2", 2 * it) for it in CALM]))
    (change,) = found.regressions
    assert (change.subject, change.verdict) == ("app.php ? work", "regressed")
    assert describe(before, [], 0).run.name == "/builds/1/app.php ?"
