from collections.abc import Sequence
from io import BytesIO

import pytest

from artifact_kit import read_format
from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.performance.calls import TreeDifference, tree_difference
from benchpin.performance.reading import Budget
from benchpin.performance.values import CallNode, Cost, Profile


def collapsed(text: str) -> Profile:
    return read_format("collapsed", BytesIO(text.encode()), Budget(), Job())


def runs(template: str, values: Sequence[int]) -> list[Profile]:
    return [collapsed(template.format(value)) for value in values]


def frames(found: TreeDifference) -> dict[str, tuple[int, int, str, str]]:
    """Return before, after and both verdicts by path."""
    paths: list[str] = []
    shown: dict[str, tuple[int, int, str, str]] = {}
    for node in found.nodes:
        name = found.functions[node.function].function if node.function >= 0 else "(other)"
        paths.append(f"{paths[node.parent]};{name}" if node.parent >= 0 else name)
        shown[paths[-1]] = (node.before, node.after, node.own_verdict, node.verdict)
    return shown


TREE = "main;load 1000\nmain;render;escape {}\nmain;render 300\n"


def test_a_frame_beyond_noise_is_named_with_its_callers() -> None:
    before = runs(TREE, [500, 510, 490, 505, 495])
    found = tree_difference(before, runs(TREE, [900, 910, 890, 905, 895]))
    assert frames(found) == {
        "main": (1800, 2200, "unchanged", "regressed"),
        "main;render": (800, 1200, "unchanged", "regressed"),
        "main;render;escape": (500, 900, "regressed", "regressed"),
        "main;load": (1000, 1000, "unchanged", "unchanged"),
    }
    assert (found.metric, found.before_profiles, found.after_profiles) == ("samples", 5, 5)


def test_the_same_runs_differ_nowhere() -> None:
    before = runs(TREE, [500, 700, 490, 505, 495])
    found = frames(tree_difference(before, runs(TREE, [480, 510, 690, 470, 510])))
    assert {verdict for each in found.values() for verdict in each[2:]} == {"unchanged"}


def test_paths_of_one_side_cost_nothing_on_the_other() -> None:
    before = runs("main;old {}\n", [100] * 5)
    found = frames(tree_difference(before, runs("main;new;slow {}\n", [300] * 5)))
    assert found["main;old"] == (100, 0, "improved", "improved")
    assert found["main;new"] == (0, 300, "unchanged", "regressed")


def test_one_run_a_side_is_unclear_at_most() -> None:
    found = frames(tree_difference(runs(TREE, [500]), runs(TREE, [5000])))
    assert found["main;render;escape"] == (500, 5000, "unclear", "unclear")


def test_sets_of_different_size_are_compared_by_their_means() -> None:
    found = frames(tree_difference(runs(TREE, [500] * 5), runs(TREE, [500] * 9)))
    assert found["main"] == (1800, 1800, "unchanged", "unchanged")


def test_functions_of_one_name_in_two_files_are_not_the_same() -> None:
    before = runs("main;run (a.py:1) {}\n", [100] * 5)
    found = tree_difference(before, runs("main;run (b/other.py:1) {}\n", [100] * 5))
    sides = [(node.before, node.after) for node in found.nodes[1:]]
    assert sorted(sides) == [(0, 100), (100, 0)]


def test_a_project_in_another_folder_has_the_same_functions() -> None:
    before = runs("main;run (/builds/1/app/views.py:3);run (/builds/1/api/views.py:3) {}\n", [9])
    after = runs("main;run (/builds/2/app/views.py:8);run (/builds/2/api/views.py:8) {}\n", [9])
    assert [(it.before, it.after) for it in tree_difference(before, after).nodes] == [(9, 9)] * 3


def test_a_side_without_stacks_or_with_another_metric_is_refused() -> None:
    some = runs(TREE, [1])
    with pytest.raises(InvalidParams, match="no stacks"):
        tree_difference(some, [])


def two_inits(first: int, second: int, *more: int) -> Profile:
    """Make a profile of functions of one name in one file, at these lines; costs are 1, 2, …."""
    lines = (first, second, *more)
    costs = tuple((place + 1,) for place in range(len(lines)))
    return Profile(
        version="test",
        metrics=("wt",),
        request=None,
        events=0,
        functions=tuple(
            Cost("__init__", 1, cost, cost, file="a.py", line=line)
            for line, cost in zip(lines, costs, strict=True)
        ),
        edges=(),
        tree=tuple(CallNode(-1, place, 1, cost, cost) for place, cost in enumerate(costs)),
        is_complete=True,
    )


def test_functions_of_one_name_in_one_file_keep_their_order_when_lines_move() -> None:
    moved = tree_difference([two_inits(10, 50)], [two_inits(14, 60)])
    assert [(it.before, it.after) for it in moved.nodes] == [(2, 2), (1, 1)]
    added = tree_difference([two_inits(10, 50)], [two_inits(10, 54, 90)])
    assert [(it.before, it.after) for it in added.nodes] == [(0, 3), (2, 0), (0, 2), (1, 1)]
