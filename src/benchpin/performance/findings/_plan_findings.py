"""Findings about plans."""

from collections.abc import Iterable, Mapping

from benchpin.performance.plans import (
    Plans,
    QueryPlan,
    first_step_for_plan,
    plan_index,
    plan_signals,
)
from benchpin.performance.values import Evidence

from ._findings import PerformanceFinding, exceeded_limits, shortened, worst_severity
from ._relative import Rule, Signal
from ._thresholds import Thresholds
from ._wording import readable_time

_TITLES: Mapping[Rule, str] = {
    "full_scans": "The plan scans a whole table",
    "nested_loop": "The plan loops over many rows",
    "sort_on_disk": "The plan sorts on disk",
    "wrong_estimate": "The plan is based on wrong estimates",
}


def plan_findings(
    snapshot_plans: Iterable[Plans], thresholds: Thresholds
) -> list[PerformanceFinding]:
    """Find the plans that read, sort or repeat too much."""
    return [
        _finding(plan, signals, each.source, thresholds)
        for each in snapshot_plans
        for plan in each.plans
        if (signals := plan_signals(plan))
    ]


def _finding(
    plan: QueryPlan, signals: tuple[Signal, ...], source: str, thresholds: Thresholds
) -> PerformanceFinding:
    exceeded = exceeded_limits(thresholds, {"query_total_time_ms": plan.time_us})
    tables = list(dict.fromkeys(step.table for step in plan.steps if step.table))
    subject = plan.fingerprint or f"a query of {', '.join(tables[:5]) or 'no table'}"
    said = " ".join(dict.fromkeys(signal.says for signal in signals))
    took = "" if plan.time_us is None else f"It took {readable_time(plan.time_us)}. "
    return PerformanceFinding(
        severity=worst_severity(exceeded),
        kind="plan",
        subject=plan.query_id or subject,
        title=f"{_TITLES[signals[0].rule]}: {shortened(subject)}",
        why=took + said,
        first_step=first_step_for_plan(plan),
        exceeded=exceeded,
        signals=signals,
        evidence=(Evidence(source=source, time_us=plan.time_us),),
        time_us=plan.time_us or 0,
        index=plan_index(plan),
    )
