"""Predict which files are likely to need a bug fix."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.results import Item
from benchpin.core.text import counted, plain
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import (
    PICTURE_FORMATS,
    Column,
    FindingFormat,
    FindingParams,
    Image,
    Report,
    Table,
    View,
)
from benchpin.present.charts import Shown, stacked_bars
from benchpin.present.pictures import Picture, PictureRow, bars
from benchpin.project import defects
from benchpin.project.defects import Band, DefectPrediction, FeatureName, TrainedOn, count_bands

from ._project import project_of
from ._selection import FilesSeen, SelectionParams, files_seen


class DefectParams(FindingParams, SelectionParams):
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


class DefectSummary(Item):
    """All files together."""

    total_files: int
    """Without tests and generated files, which get no prediction."""
    bands: dict[Band, int]
    """The files on the list, which are certain enough."""
    expected: float
    """How many files are expected to need a bug fix within a year."""
    below_confidence: dict[Band, int]
    """Files that are left out because their band is not certain enough."""
    tests_and_generated: int


class DefectModel(Item):
    """Where the probabilities come from."""

    source: Literal["own", "shipped"]
    """own: fitted on the bug fixes of this repository; shipped: on those of public ones."""
    reason: str
    """Why the repository's own history was not used; empty when it was."""
    score: defects.ModelScore | None
    """None when no year of this repository could be held back."""
    trained_on: list[TrainedOn]
    left_out: dict[FeatureName, str]
    """Features that are unknown for every file, and why."""
    assumed: dict[FeatureName, str]
    """Features whose weight was not fitted."""


def _contribution(feature: FeatureName) -> Column[DefectPrediction]:
    return Column(
        f"{feature} adds",
        lambda it: it.contributions.get(feature),
        spec="+.2f",
        is_detail=True,
    )


def _measure(name: str) -> Column[DefectPrediction]:
    return Column(name, lambda it: it.features.get(name), is_detail=True)


_COLORS: dict[str, str] = {
    "complexity": "#0072b2",
    "churn": "#d55e00",
    "duplication": "#cc79a7",
    "coupling": "#e69f00",
    "name quality": "#56b4e9",
    "test coverage": "#009e73",
}
_MAX_DRAWN_ROWS = 20


def _reasons(explained: Iterable[DefectPrediction]) -> Iterator[PictureRow]:
    """Yield what each feature adds for each file."""
    for order, file in enumerate(explained):
        known = [(name, added) for name, added in file.contributions.items() if added is not None]
        for at, (name, added) in enumerate(known):
            yield {
                "file": file.file,
                "label": f"{file.file}  {file.probability:.0%}",
                "probability": file.probability,
                "order": order,
                "feature": name.replace("_", " "),
                "part_order": at,
                "adds": round(added, 3),
            }


class DefectReport(Report):
    """Files by probability, most likely first, and how far to trust it."""

    summary: DefectSummary
    model: DefectModel
    predictions: list[DefectPrediction]
    total: int
    next_cursor: str | None
    looked_at: FilesSeen
    lacks_history: Annotated[str, Field(exclude=True)] = ""
    explained: Annotated[Sequence[DefectPrediction], Field(exclude=True)] = ()
    """The most likely files with what each feature adds, for the picture."""

    view = View["DefectReport"](
        title="Defect probability",
        headline=lambda it: _headline(it, it.summary, it.model),
        tables=(
            Table(
                rows=lambda it: it.predictions,
                columns=(
                    Column("probability", spec=".3f"),
                    Column("band", is_severity=True),
                    Column("confidence", spec=".2f"),
                    Column("file"),
                    Column("lower", spec=".3f", is_detail=True),
                    Column("upper", spec=".3f", is_detail=True),
                    *map(_measure, (*defects.COLUMNS, "test_coverage")),
                    Column("base", spec="+.2f", is_detail=True),
                    *map(_contribution, defects.FEATURES),
                ),
                title="Files, most likely first",
                findings=defects.as_findings,
            ),
        ),
        pictures=(
            Picture(
                name="reasons",
                title="Files most likely to need a bug fix within a year, and why",
                rows=lambda it: [*_reasons(it.explained)],
                spec=stacked_bars(
                    Shown("label", "File", "nominal"),
                    Shown("adds", "Adds to the risk of an average file (log-odds)"),
                    Shown("feature", "Feature", "nominal"),
                    _COLORS,
                    (Shown("probability", "Probability", format=".0%"),),
                ),
                alt=lambda it, rows: (
                    f"{it.explained[0].file} is the most likely, with "
                    f"{it.explained[0].probability:.0%}; of {counted(it.total, 'file')} on the "
                    f"list, {len({row['file'] for row in rows})} are drawn. Bars to the right "
                    f"raise the risk of a file, bars to the left lower it."
                ),
                text=lambda rows: bars("file", "probability", ".0%")(
                    [it for it in rows if not it["part_order"]]
                ),
                link="file",
            ),
        ),
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

    A logistic model of complexity, churn, duplication, coupling, names and coverage, fitted on the
    repository's own bug fixes where there are enough. Use it to choose what to review and test.
    """
    if params.sarif:
        params = params.model_copy(update={"format": "sarif"})
    project = project_of(params, bench)
    found = defects.defects_of(project).required()
    certain = [it for it in found.files if it.confidence >= params.min_confidence]
    uncertain = [it for it in found.files if it.confidence < params.min_confidence]
    page = params.page(certain)
    return DefectReport(
        summary=DefectSummary(
            total_files=len(found.files),
            bands=count_bands(certain),
            expected=round(sum(it.probability for it in found.files), 1),
            below_confidence=count_bands(uncertain),
            tests_and_generated=found.skipped,
        ),
        model=DefectModel(
            source=found.model.source,
            reason=found.model.reason,
            score=found.model.score,
            trained_on=found.model.trained_on,
            left_out=dict(found.left_out),
            assumed=dict(found.assumed),
        ),
        predictions=[it if params.explain else it.without_explanation() for it in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=files_seen(project.sources),
        lacks_history=found.lacks_history,
        explained=certain[:_MAX_DRAWN_ROWS] if params.format in PICTURE_FORMATS else (),
        format=params.format,
    )


def _headline(report: DefectReport, summary: DefectSummary, model: DefectModel) -> Iterator[str]:
    if not summary.total_files:
        yield "Nothing to predict: there is no code but tests and generated files."
        return
    outlook = f"{summary.expected:,.0f} are expected to need a bug fix within a year"
    certain = f"{_bands(summary.bands.items())} on the list"
    hidden = sum(summary.below_confidence.values())
    if hidden:
        certain += f", {_bands(summary.below_confidence.items())} less certain"
    yield f"{counted(summary.total_files, 'file')}: {certain}; {outlook}"
    if model.source == "own":
        until = max(it.until for it in model.trained_on)
        yield (
            f"model: fitted on this repository's own bug fixes until {until}; "
            f"learned again once its history has grown by {defects.LEARNED_SHARE:.0%}"
        )
    else:
        alone = "by the code alone, " if report.lacks_history else ""
        count = len(model.trained_on)
        yield f"model: {alone}fitted on {count} public histories, because {plain(model.reason)}"
    if model.score is not None:
        yield _score(model.score)
    if hidden:
        left_out = f"left out below min_confidence: {counted(hidden, 'file')}"
        yield report.text_style.hint(f"{left_out}; a lower value shows them")
    yield from (f"{name} left out: {reason}" for name, reason in model.left_out.items())
    yield from (f"{name}: {reason}" for name, reason in model.assumed.items())


def _bands(counts: Iterable[tuple[Band, int]]) -> str:
    return ", ".join(f"{count:,} {band.lower()}" for band, count in counts)


def _score(score: defects.ModelScore) -> str:
    skill = "AUC unknown" if score.auc is None else f"AUC {score.auc:.3f}"
    lines = "" if score.auc_of_lines is None else f" (lines of code alone {score.auc_of_lines:.3f})"
    return (
        f"held-back year to {score.until}: {skill}{lines}, Brier {score.brier:.3f}; "
        f"{score.fixed:,} of {score.files:,} files were fixed"
    )
