"""Plans of database servers: `EXPLAIN` and `EXPLAIN ANALYZE` in JSON."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._reading import plan_format, read_plans
    from ._signals import first_step_for_plan, plan_index, plan_signals, plans_by_query
    from ._steps import Plans, QueryPlan

__all__ = [
    "Plans",
    "QueryPlan",
    "first_step_for_plan",
    "plan_format",
    "plan_index",
    "plan_signals",
    "plans_by_query",
    "read_plans",
]

__getattr__ = lazy(
    __name__,
    """
    _signals: first_step_for_plan plans_by_query
    _reading: plan_format read_plans
    _signals: plan_index plan_signals
    _steps: Plans QueryPlan
    """,
)
