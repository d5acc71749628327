"""Profiles with callers and callees only are drawn with the average cost of each function."""

import cProfile
from io import BytesIO
from pathlib import Path

from artifact_kit import read_format
from benchpin.core.calls import Job
from benchpin.performance.calls import estimated_tree
from benchpin.performance.exports import to_flame_svg
from benchpin.performance.exports._flames import flames_of, summed
from benchpin.performance.reading import Budget
from benchpin.performance.values import CallEdge, Cost, Profile


def profile(costs: dict[str, tuple[int, int]], edges: dict[tuple[str, str], int]) -> Profile:
    """Make a profile from self and inclusive costs, and the costs of calls."""
    names = list(costs)
    return Profile(
        version="pstats",
        metrics=("wt",),
        request=None,
        events=0,
        functions=tuple(Cost(it, 1, (own,), (both,)) for it, (own, both) in costs.items()),
        edges=tuple(
            CallEdge(names.index(caller), names.index(callee), 1, (cost,))
            for (caller, callee), cost in edges.items()
        ),
        tree=(),
        is_complete=True,
    )


def stacks(found: Profile) -> dict[str, int]:
    """Return the own cost of each path."""
    paths: list[str] = []
    costs: dict[str, int] = {}
    for node in estimated_tree(found, 0):
        above = f"{paths[node.parent]};" if node.parent >= 0 else ""
        name = found.functions[node.function].function if node.function >= 0 else "(other)"
        paths.append(above + name)
        costs[paths[-1]] = node.self[0]
    return costs


def test_each_caller_gets_its_share_of_what_its_callee_calls() -> None:
    found = profile(
        {"main": (0, 900), "a": (0, 300), "b": (0, 600), "both": (300, 900), "leaf": (600, 600)},
        {
            ("main", "a"): 300,
            ("main", "b"): 600,
            ("a", "both"): 300,
            ("b", "both"): 600,
            ("both", "leaf"): 600,
        },
    )
    assert stacks(found) == {
        "main": 0,
        "main;b": 0,
        "main;a": 0,
        "main;b;both": 200,
        "main;a;both": 100,
        "main;b;both;leaf": 400,
        "main;a;both;leaf": 200,
    }


def test_recursion_ends_and_nothing_is_counted_twice() -> None:
    found = profile(
        {"main": (0, 100), "odd": (50, 100), "even": (50, 90)},
        {("main", "odd"): 100, ("odd", "even"): 90, ("even", "odd"): 80, ("odd", "odd"): 10},
    )
    assert sum(stacks(found).values()) == 100
    assert max(path.count(";") for path in stacks(found)) <= 3


def test_a_circle_of_calls_without_a_beginning_is_drawn_too() -> None:
    found = profile({"a": (5, 10), "b": (5, 10)}, {("a", "b"): 10, ("b", "a"): 10})
    assert sum(stacks(found).values()) == 10
    assert stacks(profile({}, {})) == {}
    assert stacks(profile({"a": (0, 0)}, {})) == {}


def test_the_flame_graph_of_cprofile_has_its_whole_time_and_says_that_it_is_estimated(
    tmp_path: Path,
) -> None:
    profiler = cProfile.Profile()
    profiler.runcall(lambda: [sorted(map(str, range(2000))) for _ in range(20)])
    profiler.dump_stats(tmp_path / "run.pstats")
    content = BytesIO((tmp_path / "run.pstats").read_bytes())
    found = read_format("pstats", content, Budget(), Job())
    flames = flames_of(found)
    whole = sum(cost.self[0] for cost in found.functions)
    assert abs(flames.whole - whole) <= 0.01 * whole
    assert all(cost >= 0 for cost in summed(flames.parents, flames.self))
    assert flames.heading.endswith("stacks estimated")
    assert "average cost of its function" in flames.summary
    assert "stacks estimated" in to_flame_svg(flames)
