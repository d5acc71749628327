from pathlib import Path

import pytest

from benchpin.project.gate import DEFAULTS, MEASURES, unknown_threshold
from benchpin.project.gate._values import FINDERS


def test_every_measure_has_a_threshold_and_can_be_taken() -> None:
    assert {it.name for it in MEASURES.values()} == FINDERS.keys()
    assert DEFAULTS.keys() <= MEASURES.keys()
    assert DEFAULTS == {
        "max_cyclomatic": 10,
        "max_duplication_percent": 5.0,
        "min_coverage_percent": 80.0,
        "max_defect_probability": 0.3,
    }


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("max_cyclomatc", "max_cyclomatic"),
        ("min_cyclomatic", "max_cyclomatic"),
        ("max_coverage_percent", "min_coverage_percent"),
        ("", ""),
    ],
)
def test_a_name_that_is_none_is_told_with_the_nearest(name: str, nearest: str) -> None:
    assert unknown_threshold({"max_cycles": 1}) == ""
    told = unknown_threshold({"max_cycles": 1, name: 2})
    assert told.startswith(f"there is no threshold {name!r}; the nearest is ")
    assert nearest in told


def test_worse_is_more_or_less() -> None:
    complexity, coverage = MEASURES["max_cyclomatic"], MEASURES["min_coverage_percent"]
    assert complexity.is_worse(11, 10)
    assert not complexity.is_worse(10, 10)
    assert coverage.is_worse(79.9, 80)
    assert not coverage.is_worse(80, 80)
    assert complexity.excess(20, 10) == coverage.excess(40, 80) == 2
    assert complexity.excess(1, 0) == coverage.excess(0, 80) == float("inf")


def test_the_documentation_names_every_threshold() -> None:
    root = next(it for it in Path(__file__).parents if (it / "pyproject.toml").is_file())
    page = (root / "docs/quality-gate.md").read_text(encoding="utf-8")
    rows = [line.split("`")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(rows) == sorted(MEASURES)
