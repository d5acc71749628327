"""Times, metrics and counts in the words that results and reports share."""

from benchpin.core.text import counted, plain
from benchpin.performance.snapshots import Counts

_FINE_BELOW_US = 10_000
_SECONDS_FROM_US = 10_000_000
_METRICS = {"wt": "wall time", "ct": "CPU time", "it": "idle time", "zm": "memory"}


def readable_time(time_us: int) -> str:
    """Return a time in ms or s, with about three digits."""
    if time_us < _FINE_BELOW_US:
        return f"{time_us / 1000:,.3f} ms"
    if time_us < _SECONDS_FROM_US:
        return f"{time_us / 1000:,.0f} ms"
    return f"{time_us / 1_000_000:,.1f} s"


def metric_name(metric: str) -> str:
    """Return a metric of profiles in words."""
    if metric in _METRICS:
        return _METRICS[metric]
    return plain(metric.removesuffix("_ns").removesuffix("_bytes").replace("_", " "))


def describe_counts(counts: Counts) -> str:
    """Return how much a snapshot holds; what it lacks is left out."""
    classes = counted(counts.queries, "class", "classes")
    profiles = counted(counts.profiles, "profile")
    parts = {
        f"{counted(counts.query_events, 'query event')} in {classes}": counts.queries,
        f"{counted(counts.spans, 'function')} in {profiles}": counts.profiles,
        counted(counts.samples, "timed request"): counts.samples,
        counted(counts.endpoints, "endpoint"): counts.endpoints,
        counted(counts.plans, "plan"): counts.plans,
    }
    return ", ".join(part for part, count in parts.items() if count) or "nothing"
