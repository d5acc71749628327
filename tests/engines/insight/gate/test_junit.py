from xml.etree import ElementTree as ET

import pytest

from benchpin.engines.insight.gate import junit
from benchpin.engines.insight.gate.judging import Check, Gate, Violation
from benchpin.engines.insight.gate.measures import MEASURES
from benchpin.engines.insight.gate.readings import Place, Reading

CYCLOMATIC, COVERAGE = MEASURES["max_cyclomatic"], MEASURES["min_coverage_percent"]
CYCLES, HOURS = MEASURES["max_cycles"], MEASURES["max_technical_debt_hours"]


def violation(name: str = "f", file: str = "a.py", value: float = 12) -> Violation:
    return Violation(CYCLOMATIC, value, 10, Place(file, 3, 9, name))


def gate(*, is_strict: bool = False) -> Gate:
    cycle = Reading(Place("a.py", name="a.py -> b.py -> a.py", also=("b.py",)), 1)
    return Gate(
        [
            Check(CYCLOMATIC, 10, "failed", violations=(violation("g", value=30), violation())),
            Check(COVERAGE, 80, "not_measured", "there is no report"),
            Check(CYCLES, 0, "failed", violations=(Violation(CYCLES, 1, 0, None, None, (cycle,)),)),
            Check(HOURS, 10, "passed", value=2.5),
        ],
        is_strict,
    )


def parsed(text: str) -> ET.Element:
    suites = ET.fromstring(text)  # noqa: S314 - it was made here
    assert suites.tag == "testsuites"
    [suite] = suites
    assert suite.attrib == suites.attrib
    return suite


def test_every_check_is_a_test_case() -> None:
    suite = parsed(junit.document(gate()))
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
    failed, skipped, cycles, _ = parsed(junit.document(gate()))
    assert failed.get("file") == "a.py"
    assert failed[0].get("message") == "2 violations; cyclomatic of g is 30, over 10"
    assert failed[0].text == (
        "a.py:3: cyclomatic of g is 30, over 10\na.py:3: cyclomatic of f is 12, over 10"
    )
    assert skipped[0].get("message") == "not measured: there is no report"
    assert cycles[0].text == "cycles is 1, over 0\n  a.py:1: a.py -> b.py -> a.py"


def test_what_was_not_measured_fails_when_that_is_wished() -> None:
    suite = parsed(junit.document(gate(is_strict=True)))
    assert suite[1][0].tag == "failure"
    assert suite.get("failures") == "3"
    assert suite.get("skipped") == "0"


@pytest.mark.parametrize(
    "name",
    ["<b>&\"'", "]]>", "a\x00b\x1b[31m", "line\nbreak", "caf\udce9", "\ufffe", "\U0001f600"],
)
def test_hostile_names_stay_text(name: str) -> None:
    check = Check(CYCLOMATIC, 10, "failed", violations=(violation(name, file=f"{name}.py"),))
    text = junit.document(Gate([check], is_strict=False))
    text.encode()
    [case] = parsed(text)
    assert len(case) == 1
    assert "is 12, over 10" in (case[0].text or "")
    if name.isprintable():
        assert name in (case[0].text or "")
        assert case.get("file") == f"{name}.py"


def test_a_line_break_in_a_name_stays_on_its_line() -> None:
    check = Check(CYCLOMATIC, 10, "failed", violations=(violation("f", file="a\nb\x1b.py"),))
    text = junit.document(Gate([check], is_strict=False))
    [case] = parsed(text)
    assert case.get("file") == r"a\nb\x1b.py"
    assert case[0].text == r"a\nb\x1b.py:3: cyclomatic of f is 12, over 10"


def test_a_long_list_is_cut_and_says_so() -> None:
    check = Check(CYCLOMATIC, 10, "failed", violations=(violation(),) * 250)
    [case] = parsed(junit.document(Gate([check], is_strict=False)))
    lines = (case[0].text or "").splitlines()
    assert len(lines) == 201
    assert lines[-1] == "and 50 more"


def test_the_same_gate_is_the_same_bytes() -> None:
    assert junit.document(gate()) == junit.document(gate())
