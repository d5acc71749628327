"""What a deep context is made of, whole and cut to what can be read."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field, WithJsonSchema

from benchpin.core import Abridged, Item
from benchpin.engines.insight.advice import Recommendation
from benchpin.engines.insight.bridges import Bridges
from benchpin.engines.insight.correlation import Correlation, correlate
from benchpin.engines.insight.file_tree import TreeNode, build_tree, prune
from benchpin.engines.insight.findings import Findings
from benchpin.engines.insight.hotspots import Hotspot, find_hotspots
from benchpin.engines.insight.recommendations import recommend
from benchpin.engines.insight.scorecard import Scorecard, score_project
from benchpin.engines.insight.sections import Analyses, analyses_of, cut, shorten
from benchpin.engines.metrics.graph import DagType, Graph
from benchpin.engines.templates import Drift

from ._formats import Report
from ._selection import FilesSeen

_MOST_EVIDENCE = 3


@dataclass(frozen=True, slots=True)
class Room:
    """How long lists may be."""

    items: int
    nodes: int


ROOMS = tuple(Room(items, 8 * items) for items in (12, 10, 8, 7, 6, 5, 4, 3, 2, 1))
"""From ample to scant: the first with which an answer is short enough is taken."""


class Duration(Item):
    """How long something took."""

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
    period_days: int
    analyses: list[str]
    """Those that were asked for."""


class FileTree(Item):
    """The files that were measured."""

    root: TreeNode
    total_files: int
    total_size_bytes: int


class DeepContextReport(Abridged, Report):
    """A project from every side; null is what was not measured, not_measured says why."""

    about: Annotated[Metadata | None, Field(alias="metadata")]
    """Null in the stored report, which is the same whenever it is made."""
    quality_scorecard: Scorecard
    file_tree: FileTree
    analyses: Analyses
    hotspots: list[Hotspot]
    hotspots_total: int
    recommendations: list[Recommendation]
    defect_correlation: Correlation
    template_provenance: Annotated[Drift | None, WithJsonSchema({"type": ["object", "null"]})]
    """What the project was scaffolded from, and how far it went from there; null if it was not."""
    cross_language_references: Bridges | None
    not_measured: dict[str, str]
    looked_at: FilesSeen


@dataclass(frozen=True, slots=True)
class Asked:
    """What else is known of a call."""

    chosen_graph: Graph | None
    dag_type: DagType
    provenance: Drift | None
    looked_at: FilesSeen


def whole_report(found: Findings, asked: Asked) -> DeepContextReport:
    """Draw every conclusion from what was found, and leave nothing out."""
    hotspots = find_hotspots(found)
    tree = build_tree(found)
    return DeepContextReport(
        about=None,
        quality_scorecard=score_project(found),
        file_tree=FileTree(root=tree, total_files=tree.files, total_size_bytes=tree.size_bytes),
        analyses=analyses_of(found, asked.chosen_graph, asked.dag_type),
        hotspots=hotspots,
        hotspots_total=len(hotspots),
        recommendations=recommend(found, hotspots),
        defect_correlation=correlate(found),
        template_provenance=asked.provenance,
        cross_language_references=found.bridges,
        not_measured=found.missing(),
        looked_at=asked.looked_at,
    )


def shortened(whole: DeepContextReport, room: Room) -> DeepContextReport:
    """Return a report that fits into some room."""
    most = room.items
    tree, drift, bridges = (
        whole.file_tree,
        whole.template_provenance,
        whole.cross_language_references,
    )
    return whole.model_copy(
        update={
            "file_tree": tree.model_copy(update={"root": prune(tree.root, room.nodes)}),
            "analyses": cut(whole.analyses, most),
            "hotspots": [shorten(it, most) for it in whole.hotspots[:most]],
            "recommendations": [
                shorten(it, _MOST_EVIDENCE) for it in whole.recommendations[: 2 * most]
            ],
            "defect_correlation": shorten(whole.defect_correlation, most),
            "template_provenance": None if drift is None else shorten(drift, most),
            "cross_language_references": None if bridges is None else shorten(bridges, most),
        }
    )
