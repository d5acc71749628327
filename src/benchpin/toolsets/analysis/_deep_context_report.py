"""The report of a deep context: whole, cut to a length, and how it is shown."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, WithJsonSchema

from benchpin.core.results import Abridged, Item, not_measured
from benchpin.core.text import counted, plain
from benchpin.measures.graph import DagType, Graph
from benchpin.present import Column, Report, Table, View, location
from benchpin.project import Findings, sections
from benchpin.project.bridges import Bridges
from benchpin.project.scores import (
    ANALYSES_TABLES,
    CORRELATION_TABLES,
    HOTSPOTS,
    RECOMMENDATIONS,
    SCORECARD_TABLES,
    TREE,
    Analyses,
    Correlation,
    FileTree,
    Hotspot,
    Recommendation,
    Scorecard,
    analyses_of,
    build_tree,
    correlate,
    cut,
    find_hotspots,
    prune,
    recommend,
    score_project,
    shorten,
)
from benchpin.templates.projects import ProjectDrift

from ._selection import FilesSeen, nothing_measured

_MAX_EVIDENCE = 3

# How long lists may be; the first of these with which an answer is short enough is used.
LIST_LENGTHS = (12, 10, 8, 7, 6, 5, 4, 3, 2, 1)
# The file tree may have this many times more nodes.
_NODES_AN_ITEM = 8


class Duration(Item):
    """A length of time."""

    secs: int
    nanos: int

    @classmethod
    def of(cls, seconds: float) -> "Duration":
        """Return a time in seconds as whole ones and the rest."""
        whole = int(seconds)
        return cls(secs=whole, nanos=int((seconds - whole) * 1e9))


class Metadata(Item):
    """When and how the report was made."""

    generated_at: str
    tool_version: str
    analysis_duration: Duration
    project_path: str
    period_days: int | float
    analyses: list[str]
    """Those that were asked for."""


def _headline(report: "DeepContextReport") -> Iterator[str]:
    tree, card = report.file_tree, report.quality_scorecard
    if not tree.total_files:
        yield nothing_measured(report)
        return
    root = tree.root
    size = f"{counted(tree.total_files, 'file')}, {counted(root.code_lines or 0, 'line')} of code"
    yield report.looked_at.sized(f"{size}, {counted(root.functions, 'function')}")
    yield from card.lines()
    yield from report.analyses.lines()
    yield from _provenance(report.template_provenance)


def _provenance(drift: ProjectDrift | None) -> Iterator[str]:
    if drift is None:
        return
    if drift.problem:
        yield f"templates: {plain(drift.file)} cannot be used: {plain(drift.problem)}"
        return
    made = ", ".join(it.uri for it in drift.templates)
    counts = f"{drift.unchanged:,} unchanged, {drift.changed:,} changed, {drift.missing:,} missing"
    yield f"templates: made from {plain(made)}; files {counts}"


class DeepContextReport(Abridged, Report):
    """A project seen by every analysis; null is what was not measured, not_measured says why."""

    about: Annotated[Metadata | None, Field(alias="metadata")]
    """Null in the stored report, which is the same whenever it is made."""
    quality_scorecard: Scorecard
    file_tree: FileTree
    analyses: Analyses
    hotspots: list[Hotspot]
    hotspots_total: int
    recommendations: list[Recommendation]
    defect_correlation: Correlation
    template_provenance: Annotated[
        ProjectDrift | None, WithJsonSchema({"type": ["object", "null"]})
    ]
    """What the project was scaffolded from, and how it differs from that; null if it was not."""
    cross_language_references: Bridges | None
    not_measured: dict[str, str]
    looked_at: FilesSeen
    shown: Annotated["DeepContextReport | None", Field(exclude=True)] = None
    """The report that the text is rendered from, if it has longer lists than the JSON."""

    view = View["DeepContextReport"](
        title="Deep context",
        headline=_headline,
        tables=(
            RECOMMENDATIONS,
            *SCORECARD_TABLES,
            HOTSPOTS,
            *ANALYSES_TABLES,
            Table(
                rows=lambda it: (
                    it.cross_language_references.references if it.cross_language_references else ()
                ),
                columns=(
                    Column("kind"),
                    Column("symbol"),
                    location("from_file", "from_line"),
                    Column(
                        "to", lambda it: f"{it.to_file}:{it.to_line}" if it.to_file else it.reason
                    ),
                ),
                title="References between languages",
                is_detail=True,
            ),
            Table(
                rows=lambda it: [
                    one
                    for one in (it.template_provenance.files if it.template_provenance else ())
                    if one.status != "unchanged" or one.is_template_changed
                ],
                columns=(
                    Column("status"),
                    Column("path"),
                    Column("is_template_changed", heading="template changed"),
                ),
                title="Files that differ from their templates",
                is_detail=True,
            ),
            *CORRELATION_TABLES,
            TREE,
        ),
        notes=lambda it: it.looked_at.skips(),
        rules=sections.RULES,
    )

    def lacks(self) -> list[str]:
        """Return what could not be measured, which files, and that lists are cut."""
        return [*super().lacks(), *not_measured(self.not_measured)]

    def confidences(self) -> Iterator[float]:
        """Return how sure each row about dead code, defects and debt is."""
        analyses = self.analyses
        return sections.confidences(
            analyses.dead_code_results, analyses.defect_probability, analyses.satd_results
        )

    def to_text(self) -> str:
        """Return the report in the format that was asked for."""
        if self.shown is None:
            return super().to_text()
        same = {"format": self.format, "stored": self.stored}
        return self.shown.model_copy(update=same).in_style(self.text_style).to_text()


def whole_report(
    found: Findings,
    graph: Graph | None,
    dag_type: DagType,
    provenance: ProjectDrift | None,
    looked_at: FilesSeen,
) -> DeepContextReport:
    """Return the report with everything that was found."""
    hotspots = find_hotspots(found)
    tree = build_tree(found)
    return DeepContextReport(
        about=None,
        quality_scorecard=score_project(found),
        file_tree=FileTree(root=tree, total_files=tree.files, total_size_bytes=tree.size_bytes),
        analyses=analyses_of(found, graph, dag_type),
        hotspots=hotspots,
        hotspots_total=len(hotspots),
        recommendations=recommend(found, hotspots),
        defect_correlation=correlate(found),
        template_provenance=provenance,
        cross_language_references=found.bridges,
        not_measured=found.missing(),
        looked_at=looked_at,
    )


def shortened(whole: DeepContextReport, most: int) -> DeepContextReport:
    """Return the report with lists cut to a length."""
    tree, drift = whole.file_tree, whole.template_provenance
    bridges, nodes = whole.cross_language_references, _NODES_AN_ITEM * most
    return whole.model_copy(
        update={
            "file_tree": tree.model_copy(update={"root": prune(tree.root, nodes)}),
            "analyses": cut(whole.analyses, most),
            "hotspots": [shorten(it, most) for it in whole.hotspots[:most]],
            "recommendations": [
                shorten(it, _MAX_EVIDENCE) for it in whole.recommendations[: 2 * most]
            ],
            "defect_correlation": shorten(whole.defect_correlation, most),
            "template_provenance": None if drift is None else shorten(drift, most),
            "cross_language_references": None if bridges is None else shorten(bridges, most),
        }
    )
