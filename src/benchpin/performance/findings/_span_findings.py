"""Find functions that take too long, and who they work for."""

import re
from collections.abc import Sequence

from benchpin.core.text import counted
from benchpin.performance.snapshots import FunctionSpan
from benchpin.performance.values import CallerShare, to_us

from ._findings import Exceeded, PerformanceFinding, exceeded_limits, shortened, worst_severity
from ._ranked import RankedSpan, Signal, Thresholds, readable_time, span_signals

# Where programs begin: all time is below them, which says nothing.
_ENTRY = re.compile(
    r"<module>|\{?main\}?|__main__|main\.main|runtime\.(?:main|goexit)|\((?:root|program|idle|anonymous)"
    r"\)|_start|start_thread|__libc_start_\w+|all",
)
# Calls from which on fewer calls help more than faster ones.
_FREQUENT = 100
# Share of its time that a function spends in one callee to be only its wrapper.
_PASSES_ON = 0.9


def span_findings(
    rows: Sequence[RankedSpan], spans: Sequence[FunctionSpan], thresholds: Thresholds
) -> list[PerformanceFinding]:
    """Find functions that take long in one profile.

    A function that spends nearly all of its time in one callee is no finding of its own.
    """
    wrappers = _wrappers(spans)
    found = []
    for row in rows:
        own_us, all_us = to_us(row.worst_self_ns), to_us(row.worst_inclusive_ns)
        exceeded = exceeded_limits(thresholds, {"span_self_ms": own_us, "span_total_ms": all_us})
        signals = span_signals(row)
        is_only_total = all(limit.metric == "span_total_ms" for limit in exceeded)
        passes_on = row.function in wrappers or _ENTRY.fullmatch(row.function) is not None
        if signals or (exceeded and not (is_only_total and passes_on)):
            found.append(_span_finding(row, exceeded, signals))
    return found


def _wrappers(spans: Sequence[FunctionSpan]) -> set[str]:
    inclusive = {span.function: span.inclusive_ns or 0 for span in spans}
    passes = {
        (caller.function, span.function)
        for span in spans
        for caller in span.callers
        if caller.function != span.function
        and (caller.inclusive_ns or 0) >= _PASSES_ON * inclusive.get(caller.function, 0) > 0
    }
    return {caller for caller, callee in passes if (callee, caller) not in passes}


def _span_finding(
    row: RankedSpan, exceeded: tuple[Exceeded, ...], signals: tuple[Signal, ...]
) -> PerformanceFinding:
    own_us, all_us = to_us(row.worst_self_ns) or 0, to_us(row.worst_inclusive_ns) or 0
    if row.metric:
        cost = f"{row.self_cost:,} {row.metric} itself, {row.inclusive_cost:,} with its callees"
    else:
        cost = f"self time {readable_time(own_us)}, inclusive time {readable_time(all_us)}"
    calls = f"{counted(row.calls, 'call')} in " if row.calls else ""
    why = f"In its worst profile: {cost}; {calls}{counted(row.profiles, 'profile')}."
    callers = ", ".join(
        f"{shortened(caller.function)} ({counted(caller.calls, 'call')})"
        for caller in row.callers[:3]
    )
    why = " ".join([why, *(signal.says for signal in signals)])
    is_own = bool(signals) or any(limit.metric == "span_self_ms" for limit in exceeded)
    if is_own:
        first_step = "Optimise the function itself: the time is its own."
    else:
        first_step = "Follow its callees in the flame graph: the time is spent there."
    caller = _main_caller(row)
    if is_own and caller is not None:
        times = f", which calls it {counted(caller.calls, 'time')}" if caller.calls else ""
        first_step = f"Start with its caller {shortened(caller.function)}{times}."
        if row.calls >= _FREQUENT:
            first_step = (
                f"Look at the loop in {shortened(caller.function)}: {row.calls:,} calls come from "
                "there or below it."
            )
    return PerformanceFinding(
        severity=worst_severity(exceeded),
        kind="span",
        subject=row.function,
        title=_span_title(row, caller if is_own else None, is_own=is_own),
        why=f"{why} Called by {callers}." if callers else why,
        first_step=first_step,
        exceeded=exceeded,
        signals=signals,
        evidence=row.evidence,
        time_us=own_us if is_own else all_us,
    )


def _main_caller(row: RankedSpan) -> CallerShare | None:
    """Return the caller that a function without a file, such as a built-in one, works for."""
    if row.file is not None and row.calls < _FREQUENT:
        return None
    others = [it for it in row.callers if it.function != row.function]
    most = max(others, key=lambda it: (it.inclusive_ns or 0, it.calls), default=None)
    return None if most is None or _ENTRY.fullmatch(most.function) else most


def _span_title(row: RankedSpan, caller: CallerShare | None, *, is_own: bool) -> str:
    if caller is not None and row.file is None:
        return f"{shortened(caller.function)} spends its time in {shortened(row.function)}"
    return f"High {'self' if is_own else 'inclusive'} time: {shortened(row.function)}"
