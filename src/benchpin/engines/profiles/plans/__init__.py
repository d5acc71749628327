"""Plans of database servers: `EXPLAIN` and `EXPLAIN ANALYZE` in JSON."""

from .reading import PLAN_FORMATS, plan_format, read_plans

__all__ = ["PLAN_FORMATS", "plan_format", "read_plans"]
