import json
import os
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from mcp.client.client import Client
from sarif_pydantic import Sarif

from benchpin.app import Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import FileMissing
from benchpin.project import MeasureResult, Project
from benchpin.project.gate._values import FINDERS, GateValue
from benchpin.server import Kernel
from benchpin.toolsets.analysis._gate_report import GateReport
from benchpin.toolsets.analysis.quality_gate import QualityGateParams, quality_gate

from .conftest import Write

BRANCHY = """
    def branchy(a, b, c):
        if a and b:
            for item in c:
                if item:
                    return item
        elif b or c:
            return b
        else:
            return c
"""
PLAIN = "def plain():\n    return 1\n"
EVERY_FORMAT = ["summary", "detailed", "json", "sarif", "junit"]


def gate(shop: Workbench, **params: object) -> GateReport:
    return shop.run(quality_gate, QualityGateParams.model_validate(params))


def statuses(report: GateReport) -> dict[str, str]:
    return {it.name: it.status for it in report.checks}


def names(report: GateReport) -> list[tuple[str, str | None, int | float]]:
    return [(it.check, it.name, it.value) for it in report.violations]


def parsed(report: GateReport) -> ET.Element:
    return ET.fromstring(report.to_text())  # noqa: S314 - it was made here


@pytest.fixture(autouse=True)
def sources(write: Write) -> None:
    write("app/branchy.py", BRANCHY)
    write("app/plain.py", PLAIN)


def test_the_checks_of_the_document_are_the_default(shop: Workbench) -> None:
    report = gate(shop)
    assert {it.name: it.threshold for it in report.checks} == {
        "max_cyclomatic": 10,
        "min_coverage_percent": 80,
        "max_duplication_percent": 5,
        "max_defect_probability": 0.3,
    }
    assert report.violations == []
    assert statuses(report)["max_cyclomatic"] == "passed"
    assert report.passed
    assert not report.is_failure()


COVERAGE = ["min_coverage_percent", "min_file_coverage_percent"]


def lcov(*hits: tuple[str, int, int]) -> str:
    """Return a report: of so many lines of a file, so many ran."""
    return "".join(
        f"SF:{path}\n"
        + "".join(f"DA:{line},{int(line <= ran)}\n" for line in range(1, lines + 1))
        + "end_of_record\n"
        for path, ran, lines in hits
    )


def test_no_report_of_coverage_is_not_measured_with_a_reason(shop: Workbench) -> None:
    for check in gate(shop, thresholds={COVERAGE[1]: 50}, checks=COVERAGE).checks:
        assert (check.status, check.value, check.violations) == ("not_measured", None, 0)
        assert check.reason == "no coverage report was found"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("coverage.xml", "<coverage><pack"),
        ("lcov.info", "SF:app/plain.py\nDA:9" + "9" * 6_000 + ",1\nend_of_record\n"),
        ("lcov.info", lcov(("elsewhere.py", 1, 1))),
    ],
)
def test_a_gate_with_an_unreadable_report_of_coverage_does_not_pass(
    shop: Workbench, write: Write, name: str, content: str
) -> None:
    write(name, content)
    report = gate(shop, coverage_threshold=1, checks=["max_cyclomatic", COVERAGE[0]])
    assert [it.status for it in report.checks] == ["passed", "not_measured"]
    assert name in report.checks[1].reason
    assert (report.status, report.passed) == ("not_measured", False)
    strict = gate(shop, coverage_threshold=1, checks=["max_cyclomatic", COVERAGE[0]], strict=True)
    assert strict.status == "failed"


def test_coverage_is_that_of_the_report(shop: Workbench, write: Write) -> None:
    write("lcov.info", lcov(("app/branchy.py", 2, 8), ("app/plain.py", 2, 2)))
    report = gate(shop, thresholds={COVERAGE[1]: 50}, checks=COVERAGE)
    project, files = report.checks
    assert (project.status, project.value, project.reason) == ("failed", 40, "by lcov.info")
    assert (files.status, files.value, files.measured) == ("failed", 25, 2)
    assert [(it.check, it.file, it.value) for it in report.violations] == [
        (COVERAGE[1], "app/branchy.py", 25),
        (COVERAGE[0], None, 40),
    ]
    assert [(it.file, it.value) for it in report.violations[1].parts] == [("app/branchy.py", 6)]
    shown = gate(shop, checks=COVERAGE[:1], format="detailed").to_text()
    assert "missing most:\n  6  app/branchy.py:1" in shown
    assert gate(shop, coverage_threshold=40, checks=COVERAGE[:1]).passed
    assert "40 %, worst in app/branchy.py; by lcov.info" in report.to_text()


def test_a_report_that_cannot_be_read_is_not_measured(shop: Workbench, write: Write) -> None:
    write("coverage.xml", "<coverage")
    [check] = gate(shop, checks=COVERAGE[:1]).checks
    assert check.status == "not_measured"
    assert check.reason.startswith("coverage.xml: ")


def test_a_report_that_is_older_than_the_code_says_so(
    shop: Workbench, write: Write, workspace: Path
) -> None:
    write("lcov.info", lcov(("app/branchy.py", 8, 8)))
    os.utime(workspace / "lcov.info", (1_000_000_000, 1_000_000_000))
    [check] = gate(shop, checks=COVERAGE[:1]).checks
    assert check.reason == "by lcov.info; 1 of its files changed since"


def test_a_function_over_the_threshold_fails_with_its_place(shop: Workbench) -> None:
    report = gate(shop, complexity_threshold=6)
    assert (report.status, report.passed, report.total) == ("failed", False, 1)
    [violation] = report.violations
    assert violation.model_dump(exclude={"parts", "recorded"}) == {
        "check": "max_cyclomatic",
        "message": "cyclomatic of branchy is 7, over 6",
        "file": "app/branchy.py",
        "line": 2,
        "end_line": 10,
        "name": "branchy",
        "value": 7,
        "threshold": 6,
    }
    assert gate(shop, complexity_threshold=7).violations == []


def test_only_who_asks_for_it_fails_the_command(shop: Workbench) -> None:
    assert not gate(shop, complexity_threshold=6).is_failure()
    assert gate(shop, complexity_threshold=6, fail_on_violation=True).is_failure()
    assert not gate(shop, fail_on_violation=True).is_failure()


def test_strict_fails_what_is_not_measured(shop: Workbench) -> None:
    assert gate(shop).status == "passed"
    report = gate(shop, strict=True, fail_on_violation=True)
    assert report.status == "failed"
    assert report.is_failure()
    assert statuses(report)["min_coverage_percent"] == "not_measured"
    assert report.to_text().splitlines()[0].endswith("strict, so what is not measured fails")


@pytest.mark.parametrize("params", [{"include_patterns": ["*.rb"]}, {"toolchain": "rust"}], ids=str)
def test_nothing_to_look_at_never_passes(shop: Workbench, params: dict[str, object]) -> None:
    report = gate(shop, fail_on_violation=True, **params)
    assert set(statuses(report).values()) == {"not_measured"}
    assert (report.status, report.passed) == ("not_measured", False)
    assert report.is_failure()
    assert report.to_text().startswith("NOT MEASURED: 4 checks: 4 not measured\n")


def test_a_binary_alone_is_nothing_to_look_at(shop: Workbench, workspace: Path) -> None:
    (workspace / "bin").mkdir()
    (workspace / "bin/tool").write_bytes(b"\x7fELF\0\0\0")
    assert gate(shop, project_path="bin").status == "not_measured"


def test_no_check_at_all_never_passes(shop: Workbench) -> None:
    off = {"max_cyclomatic": False}
    report = gate(shop, thresholds=off, checks=["max_cyclomatic"])
    assert report.checks == []
    assert not report.passed


def test_violations_come_worst_first_and_in_pages(shop: Workbench) -> None:
    tight = {"max_cyclomatic": 1, "max_cognitive": 1, "max_file_lines": 1, "max_parameters": 2}
    whole = gate(shop, thresholds=tight)
    assert names(whole) == [
        ("max_cognitive", "branchy", 10),
        ("max_file_lines", "", 10),
        ("max_cyclomatic", "branchy", 7),
        ("max_file_lines", "", 2),
        ("max_parameters", "branchy", 3),
    ]
    seen, cursor = [], None
    while True:
        report = gate(shop, thresholds=tight, limit=2, cursor=cursor)
        seen += names(report)
        cursor = report.next_cursor
        if cursor is None:
            break
    assert seen == names(whole)


def test_every_format_tells_the_same(shop: Workbench) -> None:
    params = {"complexity_threshold": 6, "thresholds": {"max_file_lines": 8, "max_cycles": 0}}
    expected = sorted(it.message for it in gate(shop, **params).violations)
    shown = {it: gate(shop, **params, format=it).to_text() for it in EVERY_FORMAT}
    document = json.loads(shown["json"])
    assert sorted(it["message"] for it in document["violations"]) == expected
    assert document["passed"] is False
    log = json.loads(shown["sarif"])
    assert sorted(it["message"]["text"] for it in log["runs"][0]["results"]) == expected
    failures = parsed(gate(shop, **params, format="junit")).iter("failure")
    assert sorted(str(it.get("message")) for it in failures) == expected
    for text in (shown["summary"], shown["detailed"]):
        assert text.startswith("FAILED: 6 checks: 2 failed, 3 passed, 1 not measured\n")
        assert "app/branchy.py:2" in text
        assert "not measured  min_coverage_percent" in text


def test_sarif_has_the_shape_of_the_standard_and_says_what_is_missing(shop: Workbench) -> None:
    text = gate(shop, complexity_threshold=6, format="sarif").to_text()
    Sarif.model_validate_json(text)
    [run] = json.loads(text)["runs"]
    [result] = run["results"]
    assert result["ruleId"] == "gate/max-cyclomatic"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    [invocation] = run["invocations"]
    told = [it["message"]["text"] for it in invocation["toolExecutionNotifications"]]
    assert any(it.startswith("min_coverage_percent was not measured: ") for it in told)


def test_a_project_value_in_sarif_stands_where_most_of_it_is(shop: Workbench, write: Write) -> None:
    body = "".join(f"    total += values[{number}] * weights[{number}]\n" for number in range(20))
    write("app/copy.py", f"def one(total, values, weights):\n{body}\n\n" * 2)
    report = gate(shop, checks=["max_duplication_percent"])
    [violation] = report.violations
    assert violation.file is None
    assert violation.parts[0].file == "app/copy.py"
    text = gate(shop, checks=["max_duplication_percent"], format="sarif").to_text()
    [result] = json.loads(text)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"] == "app/copy.py"


def test_time_that_ran_out_never_passes(shop: Workbench) -> None:
    listing = shop.catalogue.find("quality_gate")
    late = Job(time_limit_s=0)
    call = shop.prepare(listing, {"fail_on_violation": True}, job=late)
    report = call.run()
    assert isinstance(report, GateReport)
    assert report.partial
    assert (report.status, report.passed) == ("not_measured", False)
    assert not report.is_failure()  # the command ends with 3, as everything that is partial
    assert {it.reason for it in report.checks} == {"out of time"}


def run_out_of_time(project: Project) -> MeasureResult[Sequence[GateValue]]:
    project.job.leave_out("the rest")
    return MeasureResult([])


def test_time_that_runs_out_midway_is_no_excuse_for_what_failed_before(
    shop: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(FINDERS, "debt_comments", run_out_of_time)
    late = {"thresholds": {"max_debt_comments": 5}, "fail_on_violation": True}
    report = gate(shop, complexity_threshold=6, **late)
    assert [(it.name, it.status, it.reason) for it in report.checks] == [
        ("max_cyclomatic", "failed", ""),
        ("max_debt_comments", "not_measured", "out of time"),
        ("min_coverage_percent", "not_measured", "out of time"),
        ("max_duplication_percent", "not_measured", "out of time"),
        ("max_defect_probability", "not_measured", "out of time"),
    ]
    assert (report.status, report.partial, report.is_failure()) == ("failed", True, True)
    report = gate(shop, **late)
    assert (report.status, report.partial, report.is_failure()) == ("not_measured", True, False)


def test_hostile_names_stay_on_their_line(shop: Workbench, workspace: Path) -> None:
    (workspace / "a\nFAILED: b\x1b[31m.py").write_text(PLAIN, encoding="utf-8")
    for form in ("summary", "detailed"):
        text = gate(shop, thresholds={"max_file_lines": 1}, format=form).to_text()
        assert "\x1b" not in text
        assert "a\\nFAILED: b\\x1b[31m.py:1" in text


def test_a_file_that_could_not_be_measured_is_told_and_fails_where_that_is_strict(
    shop: Workbench, workspace: Path
) -> None:
    (workspace / os.fsdecode(b"caf\xe9.py")).write_text(PLAIN, encoding="utf-8")
    only = {"checks": ["max_cyclomatic"]}
    assert gate(shop, **only).passed
    assert gate(shop, strict=True, **only).status == "failed"
    assert "its name is not UTF-8" in gate(shop, **only).to_text()
    assert "its name is not UTF-8" in gate(shop, **only, format="sarif").to_text()
    [skipped] = parsed(gate(shop, **only, format="junit")).iter("skipped")
    assert "its name is not UTF-8" in str(skipped.get("message"))


@pytest.mark.parametrize("fails", [False, True])
async def test_a_gate_that_fails_is_an_error_if_the_caller_asked_for_that(
    shop: Workbench, *, fails: bool
) -> None:
    arguments = {"complexity_threshold": 6, "fail_on_violation": fails}
    async with Client(Kernel(shop)) as client:
        answer = await client.call_tool("quality_gate", arguments)
    assert answer.is_error is fails
    assert answer.structured_content is not None
    assert answer.structured_content["passed"] is False
    assert answer.structured_content["violations"][0]["name"] == "branchy"


def test_the_baseline_must_be_there(shop: Workbench) -> None:
    with pytest.raises(FileMissing, match=r"no baseline at 'nowhere\.json'"):
        gate(shop, baseline="nowhere.json")
