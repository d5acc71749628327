import csv
import io
import json
import sys
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import FileMissing, InvalidCursor, InvalidParams
from benchpin.toolsets.analysis.analyze_duplicates import (
    DuplicatesParams,
    DuplicatesReport,
    analyze_duplicates,
)

TOTAL = """\
def total(orders, rate):
    result = 0
    for order in orders:
        if order.paid and order.amount > 10:
            result += order.amount * rate
        else:
            result -= order.fee
    log.info("%d orders at %s", len(orders), rate)
    return round(result, 2)
"""
RENAMED = TOTAL.replace("order", "item").replace("total", "gather").replace("rate", "factor")
SUMMED = """\
def summed(orders, rate):
    result = 0
    for order in orders:
        if order.paid and order.amount > 10:
            result += order.amount * rate
        else:
            result -= order.fee
            continue
    log.info("%d orders at %s", len(orders), rate)
    return round(result, 2)
"""


@pytest.fixture
def clones(shop: Workbench, workspace: Path) -> Workbench:
    """Give a workbench on three copies, one with other names and one with another line."""
    files = {
        "a/one.py": TOTAL,
        "a/two.py": "import os\n\n\n" + TOTAL,
        "b/renamed.py": RENAMED,
        "b/gapped.py": "FEE = 3\n\n\n" + SUMMED,
    }
    for path, text in files.items():
        place = workspace / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return shop


def report(clones: Workbench, **arguments: object) -> DuplicatesReport:
    return clones.run(analyze_duplicates, DuplicatesParams.parse(arguments))


def test_every_type_is_found_with_its_places(clones: Workbench) -> None:
    result = report(clones)
    assert [
        (group.type, [(it.file, it.line, it.end_line) for it in group.fragments])
        for group in result.groups
    ] == [
        (
            "gapped",
            [
                ("a/one.py", 1, 9),
                ("a/two.py", 4, 12),
                ("b/gapped.py", 4, 13),
                ("b/renamed.py", 1, 9),
            ],
        ),
        ("renamed", [("a/one.py", 1, 9), ("a/two.py", 4, 12), ("b/renamed.py", 1, 9)]),
        ("exact", [("a/one.py", 1, 9), ("a/two.py", 4, 12)]),
    ]
    (gapped,) = [it for it in result.groups if it.type == "gapped"]
    assert [(gap.line, gap.end_line) for gap in gapped.fragments[2].gaps] == [(11, 11)]
    assert result.summary.groups == {"exact": 1, "renamed": 1, "gapped": 1, "semantic": 0}
    assert (result.summary.duplicated_lines, result.summary.similar_lines) == (18, 36)
    assert result.summary.total_lines == 9 + 12 + 9 + 13
    assert result.device == "cpu"
    assert result.device_reason is None


@pytest.mark.parametrize("kind", ["exact", "renamed", "gapped", "semantic"])
def test_one_type_can_be_asked_for(clones: Workbench, kind: str) -> None:
    result = report(clones, detection_type=kind)
    assert list(result.summary.groups) == [kind]
    assert {it.type for it in result.groups} <= {kind}


def test_a_part_of_the_workspace_is_compared_with_itself(clones: Workbench) -> None:
    assert report(clones, project_path="b", detection_type="exact").groups == []
    assert len(report(clones, project_path="a", detection_type="exact").groups) == 1
    assert report(clones, toolchain="go").summary.total_files == 0


def test_the_minimum_can_be_set(clones: Workbench) -> None:
    assert report(clones, detection_type="exact", min_lines=10).groups == []
    assert report(clones, detection_type="exact", min_tokens=500).groups == []


def test_asking_for_a_gpu_says_why_there_is_none(
    clones: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    result = report(clones, gpu=True)
    assert result.device == "cpu"
    assert "CuPy is not installed" in (result.device_reason or "")
    assert "searched on cpu: Ran on the CPU: CuPy is not installed." in result.to_text()


def test_performance_is_reported_on_request_only(clones: Workbench) -> None:
    assert report(clones).performance is None
    assert "performance" not in json.loads(report(clones, format="json").to_text())
    result = report(clones, perf=True)
    assert result.performance is not None
    warm = result.performance
    assert "words" not in {it.name for it in warm.phases}
    assert warm.tokens_per_second is None
    cold = report(clones, perf=True, cache_strategy="force-refresh").performance
    assert cold is not None
    assert [it.name for it in cold.phases] == [
        "reading and parsing",
        "words",
        "exact",
        "words of code",
        "renamed",
        "gapped",
        "semantic",
        "groups",
        "everything else",
    ]
    for times in (warm, cold):
        assert times.total_seconds == pytest.approx(sum(it.seconds for it in times.phases))
    assert warm.tokens > 200
    assert "tokens on the CPU" in result.to_text()


def test_pages_go_on_where_the_last_one_ended(clones: Workbench) -> None:
    first = report(clones, limit=2)
    assert (first.total, len(first.groups)) == (3, 2)
    assert "2 of 3; next_cursor=" in first.to_text()
    rest = report(clones, limit=2, cursor=first.next_cursor)
    assert [it.type for it in rest.groups] == ["exact"]
    assert rest.next_cursor is None
    numbered = report(clones, limit=2, cursor=first.next_cursor, format="csv").to_text()
    assert {row.split(",")[0] for row in numbered.splitlines()[1:]} == {"3"}
    with pytest.raises(InvalidCursor):
        report(clones, min_lines=6, cursor=first.next_cursor)


def test_every_format_has_the_same_findings(clones: Workbench) -> None:
    listed = json.loads(report(clones, format="json").to_text())
    expected = [
        (group["type"], it["file"], it["line"])
        for group in listed["groups"]
        for it in group["fragments"]
    ]
    rows = list(csv.DictReader(io.StringIO(report(clones, format="csv").to_text())))
    assert [(it["type"], it["file"], int(it["line"])) for it in rows] == expected
    log = json.loads(report(clones, format="sarif").to_text())
    places = [
        (it["ruleId"], it["locations"][0]["physicalLocation"]) for it in log["runs"][0]["results"]
    ]
    assert [
        (rule, place["artifactLocation"]["uri"], place["region"]["startLine"])
        for rule, place in places
    ] == [(f"{kind}-clone", file, line) for kind, file, line in expected]
    for name in ("summary", "full", "detailed", "markdown"):
        shown = report(clones, format=name).to_text()
        assert "18 of 43 lines in" in shown, name
        assert "36 lines are duplicated or similar, 83.72 %" in shown, name
        assert "b/gapped.py" in shown, name


def test_the_full_text_shows_every_place_and_gap(clones: Workbench) -> None:
    shown = report(clones, format="full").to_text()
    assert "exact, 9 lines, 61 tokens, 2 places" in shown
    gapped = next(line for line in shown.splitlines() if "b/gapped.py:4-13" in line)
    assert gapped.split()[1:] == ["b/gapped.py:4-13", "summed", "11"]


def test_an_empty_folder_has_no_share(clones: Workbench, workspace: Path) -> None:
    (workspace / "empty").mkdir()
    result = report(clones, project_path="empty")
    assert result.summary.duplicated_percent is None
    assert result.to_text() == "No file here is in a supported language."


@pytest.mark.parametrize(
    "wrong",
    [{"threshold": 2}, {"limit": 0}, {"format": "xml"}, {"detection_type": "4"}, {"min_lines": 0}],
)
def test_wrong_arguments_are_refused(clones: Workbench, wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidParams):
        report(clones, **wrong)


def test_a_missing_folder_is_named(clones: Workbench) -> None:
    with pytest.raises(FileMissing):
        report(clones, project_path="nowhere")


def test_bars_of_clones_are_drawn_longest_first(shop: Workbench, workspace: Path) -> None:
    # The first lines of `one` are a clone of more places, and shorter than all of it. Both begin at
    # the same line; another clone is longer than the first and shorter than the second.
    head = [f"    total = total + rows[{at}] * {at}" for at in range(8)]
    tail = [f"    found.append((total, rows[{at}], {at}))" for at in range(30)]
    other = [f"    send(queue[{at}].name, {at}, key=limit)" for at in range(29)]
    bodies = {"a": head + tail, "b": head + tail, "c": head, "d": head, "e": other, "f": other}
    for name, body in bodies.items():
        arguments = "queue, limit" if body is other else "rows, total, found"
        text = "\n".join([f"def one({arguments}):", *body, f"    return {name}", ""])
        (workspace / f"{name}.py").write_text(text, encoding="utf-8")
    report = shop.run(analyze_duplicates, DuplicatesParams(format="html"))
    [bars] = [it for it in report.drawn() if it.name == "groups"]
    lengths = [int(str(it["removable"])) for it in bars.rows]
    assert len(lengths) > 1
    assert lengths == sorted(lengths, reverse=True)
