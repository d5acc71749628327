"""Put every analysis of a project into one report."""

import time
from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import Effect, Number, Rare, tool
from benchpin.measures.graph import DagType
from benchpin.present import MACHINE_FORMATS, FindingFormat
from benchpin.project import ANALYSES, PERIOD_DAYS, Analysis, Project, gather
from benchpin.repository.packing import count_tokens
from benchpin.templates import catalogue_of
from benchpin.templates.projects import ProjectDrift, find_drift

from ._deep_context_report import (
    LIST_LENGTHS,
    DeepContextReport,
    Duration,
    Metadata,
    shortened,
    whole_report,
)
from ._selection import ScopedParams, files_seen, project_of

MAX_TOKENS = 7_800
_MAX_BYTES = 10 * MAX_TOKENS


class DeepContextParams(ScopedParams):
    """What to analyze and how to show it."""

    include_analyses: Rare[tuple[Analysis, ...]] = ()
    """Only these analyses; all by default."""
    exclude_analyses: Rare[tuple[Analysis, ...]] = ()
    """None of these analyses."""
    period_days: Rare[Annotated[Number, Field(ge=1, le=36_500)]] = PERIOD_DAYS
    """How many days of history count as churn; by default more if nothing changed."""
    dag_type: Rare[DagType] = "import-graph"
    """Which dependency graph to show."""
    format: Rare[FindingFormat] = "markdown"
    """How to show it; summary is a few lines, sarif and junit have every finding."""

    @property
    def analyses(self) -> tuple[Analysis, ...]:
        """The analyses that were asked for."""
        wanted = self.include_analyses or ANALYSES
        return tuple(it for it in ANALYSES if it in wanted and it not in self.exclude_analyses)


@tool(
    title="Deep context",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "full report, everything about the project, detailed health report, hotspots, what to "
        "refactor first, recommendations, annotated tree, one long report, all analyses, for "
        "the CTO"
    ),
)
def analyze_deep_context(params: DeepContextParams, bench: Bench) -> DeepContextReport:
    """Report on a project with every analysis: scorecard, hotspots, advice, file tree.

    Long lists are cut; the whole report is stored and linked.
    """
    started = time.perf_counter()
    if not params.analyses:
        raise InvalidParams(
            "Every analysis is excluded", suggestion=f"Keep one of: {', '.join(ANALYSES)}."
        )
    project = project_of(params, bench, skip_when_late=True)
    is_chosen = "period_days" in params.model_fields_set
    found = gather(project, params.analyses, params.period_days, widens=not is_chosen, is_deep=True)
    is_other_graph = found.graph is not None and params.dag_type != "import-graph"
    whole = whole_report(
        found,
        project.graph(params.dag_type).value if is_other_graph else found.graph,
        params.dag_type,
        _provenance(project, bench),
        files_seen(project.sources),
    )
    metadata = Metadata(
        generated_at=bench.now().isoformat(),
        tool_version=bench.installation.version,
        analysis_duration=Duration.of(time.perf_counter() - started),
        project_path=params.project_path,
        period_days=found.period_days,
        analyses=list(params.analyses),
    )
    return _within_bounds(whole, metadata, params.format, bench)


def _provenance(project: Project, bench: Bench) -> ProjectDrift | None:
    selection = project.selection
    folder = str(bench.workspace.relative(selection.folder))
    catalogue = catalogue_of(bench.session, bench.template_folders)
    home = "" if folder == "." else folder
    return find_drift(
        selection.read_manifest, catalogue, project.job, folder=home, may=selection.may_read
    )


def _within_bounds(
    whole: DeepContextReport, metadata: Metadata, chosen: str, bench: Bench
) -> DeepContextReport:
    """Return the report, cut so that its JSON is short enough, with a text that is so too."""
    update: dict[str, object] = {"about": metadata, "format": chosen}
    if _fits(_as_json(whole)):
        return whole.model_copy(update=update)
    in_lines = whole.model_dump_json(by_alias=True, indent=1)
    stored = bench.results.store(in_lines, "application/json")
    update |= {"stored": stored.uri, "stored_bytes": stored.size_bytes}
    named = whole.model_copy(update=update)
    brief = _first_fit(named, _as_json)
    if chosen == "json":
        return brief
    shown = named if chosen in MACHINE_FORMATS else _first_fit(named, _as_markdown)
    return brief.model_copy(update={"shown": shown})


def _first_fit(
    whole: DeepContextReport, show: Callable[[DeepContextReport], str]
) -> DeepContextReport:
    """Return the report with the longest lists that fit when it is shown."""
    for length in LIST_LENGTHS:
        shorter = shortened(whole, length)
        if _fits(show(shorter)):
            break
    return shorter


def _as_json(report: DeepContextReport) -> str:
    return report.model_dump_json(by_alias=True)


def _as_markdown(report: DeepContextReport) -> str:
    return report.model_copy(update={"format": "markdown"}).to_text()


def _fits(answer: str) -> bool:
    """Whether an answer is short enough; counting is skipped where the size alone decides."""
    size = len(answer.encode(errors="replace"))
    return size <= MAX_TOKENS or (size <= _MAX_BYTES and count_tokens(answer) <= MAX_TOKENS)
