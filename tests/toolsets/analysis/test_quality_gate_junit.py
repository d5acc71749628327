from xml.etree import ElementTree as ET

import pytest

from benchpin.project.gate import MEASURES, GateCheck, GateViolation
from benchpin.project.gate._checks import CheckStatus, GatePart
from benchpin.toolsets.analysis._gate_report import GateReport
from benchpin.toolsets.analysis._selection import FilesSeen

SEEN = FilesSeen(
    measured=1,
    scope="all",
    skipped={},
    unmeasured=[],
    unmeasured_total=0,
    not_parsed=0,
    first_not_parsed=None,
)


def check(
    name: str, threshold: float, status: CheckStatus, violations: int = 0, **more: object
) -> GateCheck:
    measure = MEASURES[name]
    return GateCheck.model_validate(
        {
            "name": name,
            "threshold": threshold,
            "status": status,
            "scope": measure.scope,
            "unit": measure.unit,
            "violations": violations,
            **more,
        }
    )


def violation(name: str = "f", file: str = "a.py", value: int = 12) -> GateViolation:
    return GateViolation(
        check="max_cyclomatic",
        message=f"cyclomatic of {name} is {value}, over 10",
        file=file,
        line=3,
        end_line=9,
        name=name,
        value=value,
        threshold=10,
        recorded=None,
        parts=[],
    )


CYCLE = GateViolation(
    check="max_cycles",
    message="cycles is 1, over 0",
    file=None,
    line=None,
    end_line=None,
    name=None,
    value=1,
    threshold=0,
    recorded=None,
    parts=[GatePart(file="a.py", line=1, name="a.py -> b.py -> a.py", value=1)],
)


def junit(checks: list[GateCheck], violations: list[GateViolation], *, is_strict: bool) -> str:
    return GateReport(
        passed=False,
        status="failed",
        is_strict=is_strict,
        checks=checks,
        violations=violations,
        total=len(violations),
        next_cursor=None,
        looked_at=SEEN,
        format="junit",
    ).to_text()


def gate(*, is_strict: bool = False) -> str:
    checks = [
        check("max_cyclomatic", 10, "failed", 2),
        check("min_coverage_percent", 80, "not_measured", reason="there is no report"),
        check("max_cycles", 0, "failed", 1),
        check("max_technical_debt_hours", 10, "passed", value=2.5),
    ]
    return junit(checks, [violation("g", value=30), violation(), CYCLE], is_strict=is_strict)


def failing(*violations: GateViolation) -> str:
    checks = [check("max_cyclomatic", 10, "failed", len(violations))]
    return junit(checks, list(violations), is_strict=False)


def parsed(text: str) -> ET.Element:
    suites = ET.fromstring(text)  # noqa: S314 - it was made here
    assert suites.tag == "testsuites"
    [suite] = suites
    assert suite.attrib == suites.attrib
    return suite


def test_every_check_is_a_test_case() -> None:
    suite = parsed(gate())
    assert [case.get("name") for case in suite] == [
        "max_cyclomatic = 10",
        "min_coverage_percent = 80",
        "max_cycles = 0",
        "max_technical_debt_hours = 10",
    ]
    assert [[it.tag for it in case] for case in suite] == [
        ["failure"],
        ["skipped"],
        ["failure"],
        [],
    ]
    counts = {name: suite.get(name) for name in ("tests", "failures", "skipped", "errors")}
    assert counts == {"tests": "4", "failures": "2", "skipped": "1", "errors": "0"}


def test_a_failure_lists_the_violations() -> None:
    failed, skipped, cycles, _ = parsed(gate())
    assert failed.get("file") == "a.py"
    assert failed[0].get("message") == "2 violations; cyclomatic of g is 30, over 10"
    assert failed[0].text == (
        "a.py:3: cyclomatic of g is 30, over 10\na.py:3: cyclomatic of f is 12, over 10"
    )
    assert skipped[0].get("message") == "not measured: there is no report"
    assert cycles[0].text == "cycles is 1, over 0\n  a.py:1: a.py -> b.py -> a.py"


def test_what_was_not_measured_fails_when_that_is_wished() -> None:
    suite = parsed(gate(is_strict=True))
    assert suite[1][0].tag == "failure"
    assert suite.get("failures") == "3"
    assert suite.get("skipped") == "0"


@pytest.mark.parametrize(
    "name",
    ["<b>&\"'", "]]>", "a\x00b\x1b[31m", "line\nbreak", "caf\udce9", "\ufffe", "\U0001f600"],
)
def test_hostile_names_stay_text(name: str) -> None:
    text = failing(violation(name, file=f"{name}.py"))
    text.encode()
    [case] = parsed(text)
    assert len(case) == 1
    assert "is 12, over 10" in (case[0].text or "")
    if name.isprintable():
        assert name in (case[0].text or "")
        assert case.get("file") == f"{name}.py"


def test_a_line_break_in_a_name_stays_on_its_line() -> None:
    text = failing(violation("f", file="a\nb\x1b.py"))
    [case] = parsed(text)
    assert case.get("file") == r"a\nb\x1b.py"
    assert case[0].text == r"a\nb\x1b.py:3: cyclomatic of f is 12, over 10"


def test_a_long_list_is_cut_and_says_so() -> None:
    [case] = parsed(failing(*[violation()] * 250))
    lines = (case[0].text or "").splitlines()
    assert len(lines) == 201
    assert lines[-1] == "and 50 more"


def test_the_same_gate_is_the_same_bytes() -> None:
    assert gate() == gate()
