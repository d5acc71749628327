"""Write a report of a snapshot."""

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Result
from benchpin.core.tools import Effect, tool
from benchpin.performance.exports import make_report

from ._params import FromSnapshot, store_of
from .run_analysis import AnalysisParams, Analyzed


class ExportedReport(FromSnapshot, Result):
    """The files and the content of a report."""

    normalized_snapshot_id: str
    report_id: str
    markdown_path: str
    json_path: str
    html_path: str
    """One self-contained page with tables and flame graphs."""
    markdown: str
    report: dict[str, Any]
    correlation_id: str
    analyzed: Annotated[Analyzed | None, Field(exclude=True)] = None
    """What a terminal shows in place of the markup."""

    def written_file(self, suffix: str) -> Path:
        """Return the page, or the format that the name of a file asks for."""
        others = {".md": self.markdown_path, ".json": self.json_path}
        return Path(others.get(suffix, self.html_path))

    def to_text(self) -> str:
        """Return the report, or what it says in short on a terminal; and the paths of its files."""
        places = (self.markdown_path, self.json_path, self.html_path)
        if self.text_style.width and self.analyzed is not None:
            brief = self.analyzed.in_style(self.text_style).to_text()
            return "\n".join((brief, "", "Wrote:", *(f"  {it}" for it in places)))
        return "\n".join((self.markdown, "", *places))


@tool(
    title="Export a report",
    effect=Effect.RECORD,
    is_heavy=True,
    also=(
        "performance report, HTML page, share results, document the findings, write the "
        "findings up, report for the team, performance page for the boss"
    ),
)
def export_report(params: AnalysisParams, bench: Bench) -> ExportedReport:
    """Write an analysis as Markdown, JSON and one HTML page with flame graphs."""
    store = store_of(bench)
    snapshot = store.load(params.wanted)
    names = store.metadata(snapshot.id).names
    analysis, correlation = params.analyze(snapshot, bench), params.correlation(bench)
    report = make_report(snapshot, analysis, names)
    places = store.save_report(report.report_id, report.formats())
    return ExportedReport(
        normalized_snapshot_id=snapshot.id,
        report_id=report.report_id,
        markdown_path=str(places["md"]),
        json_path=str(places["json"]),
        html_path=str(places["html"]),
        markdown=report.markdown,
        report=report.payload,
        correlation_id=correlation,
        analyzed=Analyzed(**dict(analysis), correlation_id=correlation),
    )
