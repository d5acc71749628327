import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.project.scores import _analyses
from benchpin.toolsets.analysis.analyze_comprehensive import ComprehensiveReport
from made_projects import LOADER, TANGLED

Write = Callable[[str, str], Path]

PARTS = ("complexity", "duplicates", "dead_code", "defects", "tdg")


@pytest.fixture
def project(write: Write) -> None:
    write("a.py", LOADER)
    write("b.py", LOADER + "\n\ndef _orphan():\n    return 1\n")
    write("main.py", "import a, b\n\n\n" + TANGLED + "\n\nprint(a.load_table, tangled(1))\n")


def analyze(shop: Workbench, **arguments: object) -> ComprehensiveReport:
    return cast("ComprehensiveReport", shop.call("analyze_comprehensive", **arguments))


pytestmark = pytest.mark.usefixtures("project")


def test_every_part_is_what_its_own_tool_says(shop: Workbench) -> None:
    report = analyze(shop)
    complexity = shop.call("analyze_complexity").model_dump()
    copies = shop.call("analyze_duplicates", detection_type="exact").model_dump()
    dead = shop.call("analyze_dead_code", min_confidence=0.5).model_dump()
    assert report.complexity is not None
    assert report.complexity.summary.model_dump() == complexity["summary"]
    assert [it.function for it in report.complexity.violations] == ["tangled"]
    assert report.duplicates is not None
    assert report.duplicates.summary.model_dump() == copies["summary"]
    assert report.duplicates.model_dump()["groups"] == copies["groups"]
    assert report.dead_code is not None
    assert report.dead_code.summary.model_dump() == dead["summary"]
    assert [it.model_dump() for it in report.dead_code.items] == dead["items"]


def test_a_person_is_told_what_is_known_before_the_rest(
    shop: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_analyses, "_MANY_BYTES", 1)
    told: list[str] = []
    listing = shop.catalogue.find("analyze_comprehensive")
    shop.prepare(listing, {}, job=Job(on_news=told.append)).run()
    assert told[0] == "reading 3 files: 3 python"
    assert told[1].startswith("complexity: 4 functions, the highest cyclomatic complexity is ")
    assert {it.partition(":")[0] for it in told[2:]} >= {"duplicates", "dead code"}


def test_the_overview_counts_everything(shop: Workbench) -> None:
    overview = analyze(shop).overview
    assert (overview.files, overview.functions) == (3, 4)
    assert [(it.language, it.code_lines) for it in overview.languages] == [
        ("python", overview.code_lines)
    ]


@pytest.mark.parametrize("part", PARTS)
def test_a_part_can_be_left_out(shop: Workbench, part: str) -> None:
    report = analyze(shop, **{f"include_{part}": False})
    assert part not in report.model_dump()
    assert all(getattr(report, other) is not None for other in PARTS if other != part)


def test_an_executive_summary_has_numbers_and_no_lists(shop: Workbench) -> None:
    report = analyze(shop, executive_summary=True)
    assert report.complexity is not None
    assert (report.complexity.total, report.complexity.violations) == (1, [])
    assert report.dead_code is None
    assert report.recommendations == []
    asked = analyze(shop, executive_summary=True, include_dead_code=True)
    assert asked.dead_code is not None


def test_small_files_are_counted_and_not_listed(shop: Workbench, write: Write) -> None:
    write("tiny.py", "x = 1\n")
    some = analyze(shop).tdg
    everything = analyze(shop, min_lines=0).tdg
    assert some is not None
    assert everything is not None
    assert (len(some.files), len(everything.files)) == (3, 4)
    assert (some.total, some.by_severity, some.average) == (
        everything.total,
        everything.by_severity,
        everything.average,
    )


def test_deep_context_counts_defects_and_debt_the_same(shop: Workbench, write: Write) -> None:
    write("tiny.py", "x = 1\n")
    brief = analyze(shop)
    deep = shop.call("analyze_deep_context").model_dump()["analyses"]
    debt, defects = deep["debt_gradient"], deep["defect_probability"]
    assert brief.tdg is not None
    assert brief.defects is not None
    assert (brief.tdg.total, brief.tdg.by_severity) == (debt["total"], debt["by_severity"])
    assert brief.tdg.average == debt["average"]
    assert brief.defects.bands == defects["bands"]
    assert brief.defects.below_confidence == defects["below_confidence"]


def test_a_limit_bounds_every_list(shop: Workbench, write: Write) -> None:
    write("c.py", TANGLED.replace("tangled", "knotted"))
    report = analyze(shop, limit=1)
    assert report.complexity is not None
    assert (report.complexity.total, len(report.complexity.violations)) == (2, 1)
    assert report.tdg is not None
    assert len(report.tdg.files) == 1


def test_no_headline_has_hours_and_health_says_what_its_parts_mean(shop: Workbench) -> None:
    text = analyze(shop).to_text()
    (health,) = [line for line in text.splitlines() if line.startswith("health ")]
    assert "60 means better than 60 % of" in health
    assert "hours" not in text
    assert "hour" not in shop.call("analyze_complexity").to_text()


def test_each_part_has_its_value_and_the_usual_range(shop: Workbench) -> None:
    parts = {it.name: it for it in analyze(shop).quality_scorecard.parts}
    duplication = parts["duplication"]
    assert (duplication.value or 0) > 0
    assert duplication.usual.endswith("% of the lines")
    full = analyze(shop, format="full").to_text()
    assert "usual" not in full or duplication.usual in full


@pytest.mark.parametrize("form", ["summary", "detailed", "markdown"])
def test_every_text_says_the_same(shop: Workbench, form: str) -> None:
    report = analyze(shop, format=form)
    assert report.duplicates is not None
    shown = report.to_text()
    assert f"{report.duplicates.summary.duplicated_percent:g} % of the lines" in shown
    assert f"health {report.quality_scorecard.overall_health:.0f} of 100" in shown
    assert "tangled" in shown
    assert "No git repository" in shown


def test_json_is_the_structured_result(shop: Workbench) -> None:
    report = analyze(shop, format="json")
    assert json.loads(report.to_text()) == report.model_dump(mode="json")


def test_sarif_has_every_finding(shop: Workbench) -> None:
    log = json.loads(analyze(shop, format="sarif").to_text())
    rules = [it["ruleId"] for it in log["runs"][0]["results"]]
    assert sorted(set(rules)) == [
        "cognitive-complexity",
        "cyclomatic-complexity",
        "exact-clone",
        "unused-function",
    ]
    assert rules.count("exact-clone") == 2


def test_the_time_of_each_part_is_told_when_asked(shop: Workbench) -> None:
    assert analyze(shop).performance is None
    performance = analyze(shop, perf=True).performance
    assert performance is not None
    assert {"reading and parsing", "complexity", "duplicates", "dead code"} <= {
        it.name for it in performance
    }


def test_the_times_of_the_parts_add_up(shop: Workbench) -> None:
    report = analyze(shop, perf=True)
    assert report.performance is not None
    assert report.total_seconds == pytest.approx(sum(it.seconds for it in report.performance))
    assert "s: reading and parsing" in report.to_text()


def test_what_ran_out_of_time_is_named(shop: Workbench) -> None:
    shop.call("analyze_complexity")
    listing = shop.catalogue.find("analyze_comprehensive")
    job = Job(time_limit_s=0)
    report = cast("ComprehensiveReport", shop.prepare(listing, {}, job=job).run())
    assert report.partial
    assert report.duplicates is None
    assert report.not_measured["duplicates"] == "out of time"


def test_nonsense_is_refused(shop: Workbench) -> None:
    with pytest.raises(InvalidParams, match="confidence_threshold"):
        analyze(shop, confidence_threshold=2)


def test_the_fewest_lines_hold_for_every_part(shop: Workbench) -> None:
    report = analyze(shop, min_lines=1_000)
    assert report.complexity is not None
    assert report.duplicates is not None
    assert report.dead_code is not None
    assert report.defects is not None
    assert report.tdg is not None
    assert not report.complexity.violations
    assert not report.duplicates.groups
    assert not report.dead_code.items
    assert (report.defects.files, report.tdg.files) == ([], [])
    # Totals count what there is: the scorecard and the advice do so too.
    parts = (report.complexity, report.duplicates, report.dead_code, report.defects, report.tdg)
    assert min(it.total for it in parts) > 0
    few = analyze(shop, min_lines=1)
    assert few.duplicates is not None
    assert few.dead_code is not None
    assert few.duplicates.total > 0
    assert few.dead_code.total > 0
