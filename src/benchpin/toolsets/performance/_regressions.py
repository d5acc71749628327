"""What the performance gate reports."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.text import counted, plain
from benchpin.performance.comparing import REGRESSION_COLUMNS, MetricChange
from benchpin.present import Check, Finding, FindingRule, Report, Table, View

from ._params import FromSnapshot

_RULES = {
    "query": FindingRule(
        "perf/query", "SlowerQuery", "A query became slower, or runs more often.", "performance"
    ),
    "span": FindingRule(
        "perf/span",
        "SlowerFunction",
        "A function became slower, or runs more often.",
        "performance",
    ),
    "endpoint": FindingRule(
        "perf/endpoint", "SlowerEndpoint", "A route or command became slower.", "performance"
    ),
}
_THINGS = {"query": "queries", "span": "functions", "endpoint": "endpoints and whole runs"}
# Regressions that one JUnit failure lists: its text is for a person.
_MAX_LISTED = 200
_MAX_TITLE_CHARS = 100
_SUMMARY_ROWS = 20


def _message(row: MetricChange) -> str:
    change = "" if row.effect is None else f", {row.effect:+.0%}"
    began = "" if row.origin in {None, row.title} else f"; began in {row.origin}"
    return (
        f"{row.title[:_MAX_TITLE_CHARS]}: {row.metric_name} {row.shown(row.before)} to "
        f"{row.shown(row.after)}{change} (noise ±{row.shown(row.noise)}){began}"
    )


def _has_place(change: MetricChange) -> bool:
    return change.file is not None and not PurePosixPath(change.file).is_absolute()


def _findings(change: MetricChange) -> Iterator[Finding]:
    if change.file is not None and _has_place(change):
        line = change.line or 1
        properties: dict[str, object] = {
            "before": change.before,
            "after": change.after,
            "noise": change.noise,
        }
        yield Finding(
            f"perf/{change.kind}", "error", _message(change), change.file, line, line, properties
        )


def _without_place(report: "PerformanceGateReport") -> list[str]:
    """Return the regressions that SARIF has no place for."""
    return [_message(it) for it in report.regressions if not _has_place(it)]


def _checks(report: "PerformanceGateReport") -> Iterator[Check]:
    for kind, things in _THINGS.items():
        slower = [it for it in report.regressions if it.kind == kind]
        name = f"no {things} slower than {report.baseline}"
        if report.status == "baseline_written":
            yield Check(name, skipped="the first baseline was written; nothing was compared")
        elif slower:
            lines = [_message(it) for it in slower]
            first = lines[0] if len(lines) == 1 else f"{len(lines):,} slower; {lines[0]}"
            place = next((it for it in slower if _has_place(it)), None)
            yield Check(
                name,
                failure=first,
                details=lines[:_MAX_LISTED],
                path="" if place is None else place.file or "",
                line=0 if place is None else place.line or 0,
            )
        else:
            yield Check(name)


def _headline(report: "PerformanceGateReport") -> Iterator[str]:
    if report.status == "baseline_written":
        yield (
            f"BASELINE WRITTEN: {plain(report.baseline)} is the first one, so nothing was "
            "compared; the next run is compared with this one"
        )
        return
    title = report.text_style.severity(report.status, report.status.upper())
    allowed = f", {report.allowed} within the allowed percentage" if report.allowed else ""
    yield (
        f"{title}: {counted(len(report.regressions), 'regression')} beyond noise{allowed}, "
        f"{counted(report.improvements, 'improvement')}, {report.unclear} unclear of "
        f"{report.comparisons:,} compared with {plain(report.baseline)}"
    )
    if report.is_written:
        yield f"{plain(report.baseline)} is written: the next run is compared with this one"


class PerformanceGateReport(FromSnapshot, Report):
    """Whether nothing became slower, and what did, the most expensive first."""

    passed: bool
    status: Literal["passed", "failed", "baseline_written"]
    """baseline_written: the file is the first baseline, and nothing was compared."""
    baseline: str
    """The snapshot or the file that was compared with."""
    before: str
    after: str
    regressions: list[MetricChange]
    """The whole of a route or command is among them if none of its functions is."""
    allowed: int
    """Regressions of at most the allowed percentage."""
    improvements: int
    unclear: int
    """Large changes with too few values for a test; they pass."""
    comparisons: int
    is_written: bool
    """Whether the baseline was written."""
    fails: Annotated[bool, Field(exclude=True)] = False

    def is_failure(self) -> bool:
        return self.fails and not self.passed

    def failure_note(self) -> str:
        return "\n".join(f"slower: {plain(_message(it))}" for it in self.regressions)

    view = View["PerformanceGateReport"](
        title="performance gate",
        headline=_headline,
        tables=(
            Table(
                rows=lambda it: it.regressions,
                columns=REGRESSION_COLUMNS,
                title="Regressions, the most expensive first",
                summary_rows=_SUMMARY_ROWS,
                findings=_findings,
            ),
        ),
        rules=lambda _: list(_RULES.values()),
        warnings=_without_place,
        checks=lambda it: list(_checks(it)),
    )
