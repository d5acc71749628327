"""Thresholds: where they come from, and which values they can have."""

import re
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import ConfigError, InvalidParams
from benchpin.toolsets.analysis._gate_report import GateReport
from benchpin.toolsets.analysis.quality_gate import QualityGateParams, quality_gate

from .conftest import Write


@pytest.fixture(autouse=True)
def sources(write: Write) -> None:
    write("app/plain.py", "def plain():\n    return 1\n")


def gate(shop: Workbench, **params: object) -> GateReport:
    return shop.run(quality_gate, QualityGateParams.model_validate(params))


def statuses(report: GateReport) -> dict[str, str]:
    return {it.name: it.status for it in report.checks}


def test_a_call_stands_before_the_file_and_that_before_the_default(
    workspace: Path, write: Write
) -> None:
    write(
        "benchpin.toml",
        "[analysis.gate]\nmax_cyclomatic = 3\nmax_nesting = 1\nmin_coverage_percent = false\n",
    )
    shop = Workbench.open(workspace)
    assert {it.name: it.threshold for it in gate(shop).checks} == {
        "max_cyclomatic": 3,
        "max_nesting": 1,
        "max_duplication_percent": 5,
        "max_defect_probability": 0.3,
    }
    called = gate(shop, complexity_threshold=10, thresholds={"max_nesting": 0, "max_cycles": 2})
    found = {it.name: it.threshold for it in called.checks}
    assert (found["max_cyclomatic"], found["max_nesting"], found["max_cycles"]) == (10, 0, 2)
    assert "max_nesting" not in statuses(gate(shop, thresholds={"max_nesting": False}))


def test_the_file_may_be_strict(workspace: Path, write: Write) -> None:
    write("benchpin.toml", "[analysis.gate]\nstrict = true\n")
    shop = Workbench.open(workspace)
    assert gate(shop).is_strict
    assert not gate(shop, strict=False).is_strict


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("max_cyclomatc = 3", "nearest is 'max_cyclomatic'"),
        ("min_cyclomatic = 3", "nearest is 'max_cyclomatic'"),
        ("max_cyclomatic = true", "gate: max_cyclomatic: True is neither a number nor false$"),
        ("max_cyclomatic = -1", "gate: max_cyclomatic: -1 is not from 0 on$"),
        ("max_cyclomatic = 'ten'", "gate: max_cyclomatic: 'ten' is neither a number nor false$"),
        ("max_cyclomatic = nan", "gate: max_cyclomatic: nan is not from 0 on$"),
        ("min_coverage_percent = 100.5", "gate: min_coverage_percent: 100.5 is not from 0 to 100$"),
        ("max_defect_probability = 30", "gate: max_defect_probability: 30 is not from 0 to 1$"),
    ],
)
def test_a_bad_threshold_in_the_file_is_an_error(
    workspace: Path, write: Write, line: str, said: str
) -> None:
    write("benchpin.toml", f"[analysis.gate]\n{line}\n")
    with pytest.raises(ConfigError, match=said):
        Workbench.open(workspace)


def test_an_unknown_threshold_in_a_call_is_named_with_the_nearest(shop: Workbench) -> None:
    for params in ({"thresholds": {"max_cognitiv": 1}}, {"checks": ["max_cognitiv"]}):
        with pytest.raises(InvalidParams, match="nearest is 'max_cognitive'") as raised:
            gate(shop, **params)
        assert "min_maintainability" in raised.value.suggestion


def test_a_check_without_a_threshold_cannot_be_chosen(shop: Workbench) -> None:
    with pytest.raises(InvalidParams, match="max_cognitive has no threshold"):
        gate(shop, checks=["max_cognitive"])


def test_a_threshold_is_given_once(shop: Workbench) -> None:
    with pytest.raises(InvalidParams, match="given twice"):
        gate(shop, complexity_threshold=3, thresholds={"max_cyclomatic": 4})


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"complexity_threshold": -1}, "complexity_threshold: -1.0 is not from 0 on"),
        ({"complexity_threshold": float("nan")}, "complexity_threshold: nan is not from 0 on"),
        ({"coverage_threshold": float("inf")}, "coverage_threshold: inf is not from 0 to 100"),
        ({"coverage_threshold": 101}, "coverage_threshold: 101.0 is not from 0 to 100"),
        ({"duplication_threshold": 100.1}, "duplication_threshold: 100.1 is not from 0 to 100"),
        ({"defect_threshold": 30}, "defect_threshold: 30.0 is not from 0 to 1"),
        ({"thresholds": {"max_cycles": True}}, "max_cycles: True is neither a number nor false"),
        ({"thresholds": {"max_cycles": "1"}}, "max_cycles: '1' is neither a number nor false"),
        ({"thresholds": {"max_cycles": float("inf")}}, "max_cycles: inf is not from 0 on"),
        (
            {"thresholds": {"max_nesting": 1, "max_defect_probability": 1.5}},
            "thresholds: max_defect_probability: 1.5 is not from 0 to 1",
        ),
        ({"thresholds": {"max_debt_gradient": 6}}, "max_debt_gradient: 6 is not from 0 to 5"),
        ({"format": "xml"}, "format: "),
    ],
    ids=str,
)
def test_bad_params_are_refused_with_the_value_and_its_range(
    params: dict[str, object], said: str
) -> None:
    with pytest.raises(InvalidParams, match=re.escape(said)):
        QualityGateParams.parse(params)


def test_the_ends_of_a_range_are_in_it() -> None:
    ends = {"max_defect_probability": 1, "min_maintainability": 100, "max_cycles": 0}
    for params in ({"thresholds": ends}, {"coverage_threshold": 100}, {"defect_threshold": 0}):
        assert QualityGateParams.parse(params).model_fields_set == params.keys()
    kept = QualityGateParams.parse({"thresholds": {"max_cycles": 0, "max_nesting": False}})
    assert kept.thresholds["max_cycles"] is not False
    assert kept.thresholds["max_nesting"] is False
