"""Times and counts in the words that results and reports share."""

from benchpin.core import counted

from .values import Counts

_FINE_BELOW_US = 10_000
_SECONDS_FROM_US = 10_000_000


def readable_time(time_us: int) -> str:
    """Return a time in ms or s, with about three digits."""
    if time_us < _FINE_BELOW_US:
        return f"{time_us / 1000:,.3f} ms"
    if time_us < _SECONDS_FROM_US:
        return f"{time_us / 1000:,.0f} ms"
    return f"{time_us / 1_000_000:,.1f} s"


def describe_counts(counts: Counts) -> str:
    """Return how much a snapshot holds; what it lacks is left out."""
    queries = (
        f"{counted(counts.query_events, 'query event')} in "
        f"{counted(counts.queries, 'class', 'classes')}"
    )
    functions = f"{counted(counts.spans, 'function')} in {counted(counts.profiles, 'profile')}"
    timed = f"{counted(counts.samples, 'timed request')}"
    endpoints = f"{counted(counts.endpoints, 'endpoint')}"
    parts = [
        queries if counts.queries else "",
        functions if counts.profiles else "",
        timed if counts.samples else "",
        endpoints if counts.endpoints else "",
    ]
    return ", ".join(filter(None, parts)) or "nothing"
