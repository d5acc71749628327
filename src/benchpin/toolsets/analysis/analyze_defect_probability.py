"""Predict which files are likely to need a bug fix."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import PICTURE_FORMATS, FindingFormat, FindingParams, Image, Report, View
from benchpin.project import defects
from benchpin.project.defects import DefectPrediction
from benchpin.project.defects import view as defects_view
from benchpin.project.defects.view import DefectModel, DefectSummary

from ._selection import FilesSeen, ScopedParams, files_seen, project_of


class DefectParams(FindingParams, ScopedParams):
    """Which files, and how to show the predictions."""

    format: Rare[Literal[FindingFormat, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details; csv, sarif and junit have every row."""
    min_confidence: Rare[Annotated[float, Field(ge=0, le=1)]] = 0.7
    """Leave out files whose band is less certain than this; the result counts them."""
    explain: Rare[bool] = False
    """Also return what each feature adds to the log-odds of a file."""
    sarif: Rare[bool] = False
    """The same as format sarif."""

    shown_by = FindingParams.shown_by | {"explain", "sarif"}


class DefectReport(Report):
    """Files by probability, most likely first, and how far to trust it."""

    summary: DefectSummary
    model: DefectModel
    predictions: list[DefectPrediction]
    total: int
    next_cursor: str | None
    looked_at: FilesSeen
    explained: Annotated[Sequence[DefectPrediction], Field(exclude=True)] = ()
    """The most likely files with what each feature adds, for the picture."""

    view = View["DefectReport"](
        title="Defect probability",
        headline=defects_view.headline,
        tables=(defects_view.FILES,),
        pictures=(defects_view.REASONS,),
        notes=lambda it: it.looked_at.to_lines(),
        rules=defects.RULES,
    )

    def confidences(self) -> Iterator[float]:
        """Yield how sure each row is."""
        yield from (it.confidence for it in self.predictions)


@tool(
    title="Defect probability",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "bugs, risky files, likely to break, bug prone, where to test, testing effort, review "
        "first, faults, prediction, what breaks most, rank by risk, dangerous to change, "
        "unstable"
    ),
)
def analyze_defect_probability(params: DefectParams, bench: Bench) -> DefectReport:
    """Rank files by how likely they are to need a bug fix within a year.

    A logistic regression on lines of code and recent commits, fitted to public histories.
    Complexity, duplication, coupling, names and coverage are shown, but have no weight.
    """
    if params.sarif:
        params = params.model_copy(update={"format": "sarif"})
    project = project_of(params, bench)
    found = defects.defects_of(project).required()
    certain = [it for it in found.files if it.confidence >= params.min_confidence]
    uncertain = [it for it in found.files if it.confidence < params.min_confidence]
    page = params.page(certain)
    return DefectReport(
        summary=DefectSummary.of(found, certain, uncertain),
        model=DefectModel.of(found),
        predictions=[it if params.explain else it.without_explanation() for it in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=files_seen(project.sources),
        explained=certain[: defects_view.MAX_DRAWN_ROWS]
        if params.format in PICTURE_FORMATS
        else (),
        format=params.format,
    )
