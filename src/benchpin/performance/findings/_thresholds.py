"""The times from which on something is P0, P1 or P2."""

from collections.abc import Mapping
from typing import Literal

from benchpin.core.errors import InvalidParams
from benchpin.performance.values import Value

Severity = Literal["P0", "P1", "P2"]
SEVERITIES: tuple[Severity, ...] = ("P0", "P1", "P2")
Metric = Literal[
    "endpoint_ttfb_ms",
    "endpoint_wall_ms",
    "query_total_time_ms",
    "span_self_ms",
    "span_total_ms",
]
# The names of metrics for people.
METRIC_NAMES: Mapping[Metric, str] = {
    "endpoint_ttfb_ms": "Time to the first byte of an endpoint",
    "endpoint_wall_ms": "Full response of an endpoint",
    "query_total_time_ms": "Total time of a query",
    "span_self_ms": "Own time of a function",
    "span_total_ms": "Time of a function with its callees",
}
_US_PER_MS = 1000


class Threshold(Value, frozen=True):
    """The limits of a metric in milliseconds."""

    P0: int
    P1: int
    P2: int
    source: Literal["default_conservative", "provided"]

    def exceeded_by(self, time_us: int) -> tuple[Severity, int] | None:
        """Return the severity of a time and its limit in ms, or None below every limit."""
        limits: dict[Severity, int] = {"P0": self.P0, "P1": self.P1, "P2": self.P2}
        return next((it for it in limits.items() if time_us >= it[1] * _US_PER_MS), None)


Thresholds = Mapping[Metric, Threshold]

DEFAULTS: Thresholds = {
    "endpoint_ttfb_ms": Threshold(1500, 800, 300, "default_conservative"),
    "endpoint_wall_ms": Threshold(2000, 1000, 400, "default_conservative"),
    "query_total_time_ms": Threshold(10_000, 3000, 1000, "default_conservative"),
    "span_self_ms": Threshold(800, 300, 100, "default_conservative"),
    "span_total_ms": Threshold(1500, 700, 250, "default_conservative"),
}


def thresholds_from(given: Mapping[str, object] | None) -> dict[Metric, Threshold]:
    """Merge given limits into the defaults; they must be positive whole numbers in order."""
    unknown = sorted(set(given or {}) - set(DEFAULTS))
    if unknown:
        raise InvalidParams(
            f"thresholds has no metric {unknown[0]!r}",
            suggestion=f"Use any of {', '.join(DEFAULTS)}.",
            data={"field": f"thresholds.{unknown[0]}"},
        )
    return {
        metric: _provided(metric, given[metric]) if given and metric in given else default
        for metric, default in DEFAULTS.items()
    }


def _provided(metric: Metric, value: object) -> Threshold:
    if not isinstance(value, Mapping) or set(value) != set(SEVERITIES):
        raise _refused(metric, "needs exactly P0, P1 and P2")
    limits = [value[severity] for severity in SEVERITIES]
    if any(isinstance(each, bool) or not isinstance(each, int) or each < 1 for each in limits):
        raise _refused(metric, "takes only positive whole numbers")
    if not limits[0] >= limits[1] >= limits[2]:
        raise _refused(metric, "must have P0 >= P1 >= P2")
    p0, p1, p2 = limits
    return Threshold(p0, p1, p2, "provided")


def _refused(metric: Metric, rule: str) -> InvalidParams:
    default = DEFAULTS[metric]
    return InvalidParams(
        f"thresholds.{metric} {rule}",
        suggestion=(
            f'Give milliseconds, such as {{"P0":{default.P0},"P1":{default.P1},"P2":{default.P2}}}.'
        ),
        data={"field": f"thresholds.{metric}"},
    )


def open_questions(given: Mapping[str, object] | None) -> list[str]:
    """Ask for the caller's own limits, unless some were given."""
    if given:
        return []
    return [
        f'OPEN_QUESTION: provide params.thresholds.{metric} as {{"P0":int,"P1":int,"P2":int}} '
        "to replace conservative defaults."
        for metric in DEFAULTS
    ]
