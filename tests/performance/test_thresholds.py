import pytest

from benchpin.core.errors import InvalidParams
from benchpin.performance.findings._ranked import (
    DEFAULTS,
    Threshold,
    open_questions,
    thresholds_from,
)

MS = 1000


def test_defaults_are_conservative_and_questioned() -> None:
    assert thresholds_from(None) == DEFAULTS
    assert {name: (it.P0, it.P1, it.P2) for name, it in DEFAULTS.items()} == {
        "endpoint_ttfb_ms": (1500, 800, 300),
        "endpoint_wall_ms": (2000, 1000, 400),
        "query_total_time_ms": (10_000, 3000, 1000),
        "span_self_ms": (800, 300, 100),
        "span_total_ms": (1500, 700, 250),
    }
    assert {limit.source for limit in DEFAULTS.values()} == {"default_conservative"}
    questions = open_questions(None)
    assert len(questions) == 5
    assert questions[0] == (
        'OPEN_QUESTION: provide params.thresholds.endpoint_ttfb_ms as {"P0":int,"P1":int,"P2":int}'
        " to replace conservative defaults."
    )


def test_given_thresholds_replace_the_defaults_and_answer_the_questions() -> None:
    given = {"span_self_ms": {"P0": 7, "P1": 7, "P2": 1}}
    found = thresholds_from(given)
    assert found["span_self_ms"] == Threshold(7, 7, 1, "provided")
    assert found["span_total_ms"].source == "default_conservative"
    assert open_questions(given) == []


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"speed": {"P0": 3, "P1": 2, "P2": 1}}, "no metric 'speed'"),
        ({"span_self_ms": {"P0": 3, "P1": 2}}, "exactly P0, P1 and P2"),
        ({"span_self_ms": {"P0": 3, "P1": 2, "P2": 1, "P3": 1}}, "exactly P0, P1 and P2"),
        ({"span_self_ms": 3}, "exactly P0, P1 and P2"),
        ({"span_self_ms": {"P0": 3, "P1": 2, "P2": 0}}, "positive whole numbers"),
        ({"span_self_ms": {"P0": 3, "P1": 2, "P2": 1.0}}, "positive whole numbers"),
        ({"span_self_ms": {"P0": 3, "P1": 2, "P2": True}}, "positive whole numbers"),
        ({"span_self_ms": {"P0": 1, "P1": 2, "P2": 1}}, "P0 >= P1 >= P2"),
        ({"span_self_ms": {"P0": 3, "P1": 1, "P2": 2}}, "P0 >= P1 >= P2"),
    ],
)
def test_limits_that_make_no_sense_are_refused(given: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidParams, match=problem) as error:
        thresholds_from(given)
    assert str(error.value.data["field"]).startswith("thresholds.")


@pytest.mark.parametrize(
    ("time_us", "severity"),
    [
        (100 * MS - 1, None),
        (100 * MS, "P2"),
        (300 * MS, "P1"),
        (800 * MS - 1, "P1"),
        (800 * MS, "P0"),
    ],
)
def test_a_severity_begins_at_its_limit(time_us: int, severity: str | None) -> None:
    found = DEFAULTS["span_self_ms"].exceeded_by(time_us)
    assert (found and found[0]) == severity
