"""Find what is slow in proportion to the rest; no limit of time has to be exceeded.

A rule needs a share of the whole, so that what is fine is not reported, and says what could be
saved at most if its cause were gone.
"""

from collections.abc import Iterator
from typing import Literal

from benchpin.core.text import counted
from benchpin.performance.values import Value, to_us

from ._ranked import RankedQuery, RankedSpan
from ._wording import readable_time

Rule = Literal[
    "share_of_time",
    "full_scans",
    "rows_examined",
    "lock_wait",
    "two_speeds",
    "many_calls",
    "nested_loop",
    "sort_on_disk",
    "wrong_estimate",
]
# The share of all query time, or of the time of all functions, from which on it comes first.
_LARGE_SHARE = 0.25
# Below that, nothing is worth changing.
_MIN_SHARE = 0.05
_MIN_TIME_US = 50_000
# Fewer are chance: a share of a quarter would be 13 samples, give or take 6.
_MIN_SAMPLES = 50
_MOSTLY = 0.5
# Rows examined by one event; a scan of fewer is no problem.
_MANY_ROWS = 1_000
_ROWS_FOR_ONE = 100
_MUCH_LOCKING = 0.3
_MIN_EVENTS = 20
_TIMES_SLOWER = 10
_MIN_DIFFERENCE_US = 10_000
# The number of calls in one profile from which on fewer calls help.
_MANY_CALLS = 1_000
# Names that profilers give to waiting and to what they cannot see.
_NOT_WORK = frozenset({"(idle)", "(program)", "(root)", "[idle]", "(other)", "(unknown)", "<idle>"})


class Signal(Value, frozen=True):
    """A rule that fits, with the numbers behind it."""

    rule: Rule
    says: str
    could_save_us: int
    """The most that fixing it could save, of all time that was measured."""


def query_signals(row: RankedQuery) -> tuple[Signal, ...]:
    """Return what stands out about a query class, the largest saving first."""
    if (row.share or 0) < _MIN_SHARE or row.total_time_us < _MIN_TIME_US:
        return ()
    return tuple(sorted(_of_query(row), key=lambda it: -it.could_save_us))


def _of_query(row: RankedQuery) -> Iterator[Signal]:
    total, ratio = row.total_time_us, row.rows_examined_per_row_sent
    rows, locked = (row.rows_examined or 0) // row.count, row.lock_time_us or 0
    if (row.share or 0) >= _LARGE_SHARE:
        yield Signal("share_of_time", f"It takes {row.share:.0%} of all query time.", total)
    if row.full_scans is not None and row.full_scans >= _MOSTLY * row.count and rows >= _MANY_ROWS:
        says = f"{row.full_scans:,} of {counted(row.count, 'event')} scan a whole table."
        yield Signal("full_scans", says, total)
    if ratio is not None and ratio >= _ROWS_FOR_ONE and rows >= _MANY_ROWS:
        says = f"It reads {ratio:,.0f} rows for each row that it sends."
        yield Signal("rows_examined", says, round(total * (1 - 1 / ratio)))
    if locked >= _MUCH_LOCKING * total:
        says = f"{locked / total:.0%} of its time is waiting for locks."
        yield Signal("lock_wait", says, locked)
    yield from _two_speeds(row)


def _two_speeds(row: RankedQuery) -> Iterator[Signal]:
    """A class that is usually fast and sometimes very slow has two plans, or waits."""
    usual, slow = row.p50_us, row.p95_us
    if usual is None or slow is None or row.count < _MIN_EVENTS:
        return
    if slow >= _TIMES_SLOWER * usual and slow - usual >= _MIN_DIFFERENCE_US:
        says = (
            f"Half of its events take at most {readable_time(usual)}, but one in twenty at least "
            f"{readable_time(slow)}."
        )
        yield Signal("two_speeds", says, max(0, row.total_time_us - row.count * usual))


def span_signals(row: RankedSpan) -> tuple[Signal, ...]:
    """Return what stands out about a function: it dominates, or is called very often."""
    share = row.share or 0
    own_us = to_us(row.self_ns) or 0
    is_enough = row.self_cost >= _MIN_SAMPLES if row.metric else own_us >= _MIN_TIME_US
    if row.function in _NOT_WORK or not is_enough or share < _MIN_SHARE:
        return ()
    found = []
    if share >= _LARGE_SHARE:
        what = f"all {row.metric}" if row.metric else "the time of all functions"
        found.append(Signal("share_of_time", f"It takes {share:.0%} of {what} itself.", own_us))
    calls = row.calls // row.profiles
    if calls >= _MANY_CALLS and share >= 2 * _MIN_SHARE:
        found.append(Signal("many_calls", f"It is called {calls:,} times in a profile.", own_us))
    return tuple(found)
