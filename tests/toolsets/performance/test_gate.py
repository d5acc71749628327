"""Snapshots of timings are compared with a baseline, a stored snapshot or a file."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import EffectNotAllowed, FileMissing, InvalidParams

WALLS = (100, 101, 99, 100, 102, 98, 100, 101, 99, 100)


def stacks(shop: Workbench, factor: float = 1, function: str = "work") -> str:
    """Ingest ten profiles; the first function takes this many times as long."""
    names = []
    for number, wall in enumerate(WALLS):
        name = f"{factor}-{number}.txt"
        text = f"main;{function} (app/views.py:3) {round(wall * factor)}\nmain;rest (x.py:1) 70\n"
        (shop.bench.workspace.root / name).write_text(text + f"main;number_{number} 1\n")
        names.append({"path": name})
    found: Any = shop.call("ingest_artifacts", artifacts=names)
    return str(found.normalized_snapshot_id)


def timings(shop: Workbench, factor: float = 1) -> str:
    rows = [f"http://shop.example/,/,{it * factor},{2 * it * factor},0,0" for it in WALLS]
    name = f"timings-{factor}.csv"
    text = "\n".join(["url,route,ttfb_ms,wall_ms,cpu_ms,mem_mb", *rows]) + "\n"
    (shop.bench.workspace.root / name).write_text(text)
    found: Any = shop.call("ingest_artifacts", artifacts=[{"path": name}])
    return str(found.normalized_snapshot_id)


def gate(shop: Workbench, **arguments: object) -> Any:
    return shop.call("performance_gate", **arguments)


def test_what_is_not_slower_passes(shop: Workbench) -> None:
    before = timings(shop)
    found = gate(shop, baseline=before, snapshot_id=timings(shop, 1.05), fail_on_regression=True)
    assert (found.passed, found.status, found.regressions) == (True, "passed", [])
    assert found.exit_status() == 0


def test_what_became_slower_fails_with_exit_code_1(shop: Workbench) -> None:
    before = timings(shop)
    arguments = {"baseline": before, "snapshot_id": timings(shop, 1.5)}
    found = gate(shop, **arguments, fail_on_regression=True)
    assert [(it.metric, it.effect) for it in found.regressions] == [
        ("wall_us", pytest.approx(0.5)),
        ("ttfb_us", pytest.approx(0.5)),
    ]
    assert found.exit_status() == 1
    assert "slower: /: full response 200 ms to 300 ms, +50%" in found.failure_note()
    assert gate(shop, **arguments).exit_status() == 0
    allowed = gate(shop, **arguments, allowed_percent=60)
    assert (allowed.passed, allowed.allowed) == (True, 2)


def test_a_file_is_a_baseline_too(shop: Workbench, workspace: Path) -> None:
    writer = Workbench.open(workspace, allow=["write"])
    first = stacks(shop)
    written = gate(writer, baseline="perf.json", snapshot_id=first, update_baseline=True)
    assert (written.passed, written.is_written) == (True, True)
    assert '"tree":[[' not in (workspace / "perf.json").read_text()
    found = gate(shop, baseline="perf.json", snapshot_id=stacks(shop, 2))
    assert [(it.title, it.file, it.origin) for it in found.regressions] == [
        ("work", "app/views.py", "work")
    ]


def test_writing_a_baseline_needs_the_right_and_a_file(shop: Workbench, workspace: Path) -> None:
    first = timings(shop)
    with pytest.raises(EffectNotAllowed):
        gate(shop, baseline="perf.json", snapshot_id=first, update_baseline=True)
    writer = Workbench.open(workspace, allow=["write"])
    with pytest.raises(InvalidParams, match="cannot be changed"):
        gate(writer, baseline=first, snapshot_id=first, update_baseline=True)


def test_a_baseline_that_is_missing_or_none_is_refused(shop: Workbench, workspace: Path) -> None:
    first = timings(shop)
    with pytest.raises(FileMissing, match=r"no baseline at 'gone\.json'"):
        gate(shop, baseline="gone.json", snapshot_id=first)
    (workspace / "odd.json").write_text("{}")
    with pytest.raises(InvalidParams, match=r"odd\.json is not a baseline"):
        gate(shop, baseline="odd.json", snapshot_id=first)


def test_a_gate_that_compares_nothing_does_not_pass(shop: Workbench) -> None:
    with pytest.raises(InvalidParams, match="nothing in common"):
        gate(shop, baseline=timings(shop), snapshot_id=stacks(shop))


def test_sarif_has_functions_at_their_place_and_junit_has_each_kind(shop: Workbench) -> None:
    arguments = {"baseline": stacks(shop), "snapshot_id": stacks(shop, 2)}
    log = json.loads(gate(shop, **arguments, format="sarif").to_text())
    (result,) = log["runs"][0]["results"]
    assert result["ruleId"] == "perf/span"
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "app/views.py"
    suite = ET.fromstring(gate(shop, **arguments, format="junit").to_text())  # noqa: S314 - ours
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")


def test_a_series_has_change_points(shop: Workbench) -> None:
    ids = [timings(shop, 1 + night / 1000) for night in range(6)]
    ids += [timings(shop, 2 + night / 1000) for night in range(4)]
    found: Any = shop.call("compare_snapshots", before=ids[0], after=ids[-1], series=True)
    assert {it.snapshot for it in found.change_points} == {ids[6]}
    assert {it.metric for it in found.change_points} == {"ttfb_us", "wall_us"}
    assert "Change points, newest first" in found.to_text()
