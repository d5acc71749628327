"""Say what to fix first in a snapshot."""

from collections.abc import Iterator

from benchpin.core import Bench, Effect, Result, plain, tool
from benchpin.engines.profiles.analysis import DEFAULT_TOP_N, Aggregates, Analysis, analyze
from benchpin.engines.profiles.snapshot import Snapshot

from ._params import SnapshotParams, store_of

_SHOWN = 3
_LONGEST = 80
_LOOPS = {"n_plus_one": "N+1", "repetition": "repetition"}


class AnalysisParams(SnapshotParams):
    """Which snapshot, and what counts as slow."""

    top_n: int = DEFAULT_TOP_N
    """How many of each kind to rank, from 1 to 20; others are clamped, and said so."""
    thresholds: dict[str, object] | None = None
    """Limits in ms, such as {"query_total_time_ms": {"P0": 8000, "P1": 2500, "P2": 900}}; also
    endpoint_ttfb_ms, endpoint_wall_ms, span_self_ms, span_total_ms."""

    def analyze(self, snapshot: Snapshot) -> Analysis:
        """Analyse a snapshot as these arguments say."""
        return analyze(snapshot, top_n=self.top_n, thresholds=self.thresholds)


class Analyzed(Analysis, Result):
    """What to fix first, and the numbers behind it."""

    correlation_id: str

    def to_text(self) -> str:
        """Return the findings, worst first."""
        summary = self.summary
        lines = [
            (
                f"{summary.finding_count} findings: {summary.p0_count} P0, {summary.p1_count} P1, "
                f"{summary.p2_count} P2; {summary.query_event_count:,} events in "
                f"{summary.query_count:,} query classes, {summary.span_count:,} functions, "
                f"{summary.endpoint_count:,} endpoints"
            ),
        ]
        for finding in self.findings:
            lines += [
                "",
                f"{finding.severity} {finding.title}",
                f"  {finding.why}",
                f"  First: {finding.first_step}",
            ]
        if not self.findings:
            lines.append("Nothing is over its limit.")
        return "\n".join(map(plain, [*lines, "", *_heaviest(self.aggregates), *self.notices]))


def _heaviest(found: Aggregates) -> Iterator[str]:
    """Name what took longest, be it over a limit or not."""
    for query in found.queries[:_SHOWN]:
        yield (
            f"query {query.query_id[:12]}  {query.total_time_us / 1000:,.1f} ms in "
            f"{query.count:,} events  {query.fingerprint[:_LONGEST]}"
        )
    for loop in found.repeated_queries[:_SHOWN]:
        yield (
            f"{_LOOPS[loop.kind]} {loop.query_id[:12]}  up to {loop.most:,} times "
            f"in one of {loop.connections:,} connections  {loop.fingerprint[:_LONGEST]}"
        )
    for span in found.spans[:_SHOWN]:
        yield f"function {span.function[:_LONGEST]}  {(span.self_ns or 0) / 1e6:,.1f} ms of its own"
    for endpoint in found.endpoints[:_SHOWN]:
        times = endpoint.times
        took = f"p95 {times.p95_us / 1000:,.1f} ms" if times else "never answered"
        yield f"endpoint {endpoint.route[:_LONGEST]}  {took}"


@tool(title="Run an analysis", effect=Effect.READ)
def run_analysis(params: AnalysisParams, bench: Bench) -> Analyzed:
    """Rank queries, functions and endpoints of a snapshot, with findings P0 to P2 by thresholds."""
    found = params.analyze(store_of(bench).load(params.wanted))
    return Analyzed(**dict(found), correlation_id=params.correlation(bench))
