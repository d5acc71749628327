"""How defect probabilities are shown."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

from benchpin.core.results import Item
from benchpin.core.text import counted, plain
from benchpin.present import Column, Table
from benchpin.present.charts import Shown, stacked_bars
from benchpin.present.pictures import Picture, PictureRow, bars

from ._features import COLUMNS, FEATURES, FeatureName
from ._model import ModelScore, TrainedOn, shipped_weights
from ._prediction import Band, DefectPrediction, ProjectDefects, as_findings, count_bands

_COLORS: dict[str, str] = {
    "complexity": "#0072b2",
    "churn": "#d55e00",
    "duplication": "#cc79a7",
    "coupling": "#e69f00",
    "name quality": "#56b4e9",
    "test coverage": "#009e73",
}
MAX_DRAWN_ROWS = 20


def _contribution(feature: FeatureName) -> Column[DefectPrediction]:
    return Column(
        f"{feature} adds",
        lambda it: it.contributions.get(feature),
        spec="+.2f",
        is_detail=True,
    )


def _measure(name: str) -> Column[DefectPrediction]:
    return Column(name, lambda it: it.features.get(name), is_detail=True)


FILES: Table[Any, DefectPrediction] = Table(
    rows=lambda it: it.predictions,
    columns=(
        Column("probability", spec=".3f"),
        Column("band", is_severity=True),
        Column("confidence", spec=".2f"),
        Column("file"),
        Column("lower", spec=".3f", is_detail=True),
        Column("upper", spec=".3f", is_detail=True),
        *map(_measure, (*COLUMNS, "test_coverage")),
        Column("base", spec="+.2f", is_detail=True),
        *map(_contribution, FEATURES),
    ),
    title="Files, most likely first",
    findings=as_findings,
)
# In a report of several measures, where a defect is no finding.
FILES_IN_BRIEF: Table[Any, DefectPrediction] = Table(
    rows=lambda it: it.files,
    columns=(Column("probability", spec=".2f"), Column("band"), Column("file")),
    title="Defect probability",
)


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


REASONS: Picture[Any] = Picture(
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
)


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

    @classmethod
    def of(
        cls,
        found: ProjectDefects,
        certain: Sequence[DefectPrediction],
        uncertain: Sequence[DefectPrediction],
    ) -> Self:
        """Return the totals; only what is certain enough is listed."""
        return cls(
            total_files=len(found.files),
            bands=count_bands(certain),
            expected=round(sum(it.probability for it in found.files), 1),
            below_confidence=count_bands(uncertain),
            tests_and_generated=found.skipped,
        )


class DefectModel(Item):
    """Where the probabilities come from."""

    reason: str
    """What the history lacks, or why there is none; empty for nothing."""
    weighed: list[str]
    """What the probability is computed from; all else is only measured."""
    score: ModelScore
    trained_on: list[TrainedOn]
    left_out: dict[FeatureName, str]
    """Features that are unknown for every file, and why."""

    @classmethod
    def of(cls, found: ProjectDefects) -> Self:
        """Return it as it is published: without the weights."""
        shipped = shipped_weights()
        return cls(
            reason=found.model.reason,
            weighed=list(found.model.weights.columns),
            score=shipped.score,
            trained_on=shipped.trained_on,
            left_out=dict(found.left_out),
        )


def headline(report: Any) -> Iterator[str]:
    """Yield what is expected, and how far to trust it."""
    summary, model = report.summary, report.model
    if not summary.total_files:
        yield "Nothing to predict: there is no code but tests and generated files."
        return
    outlook = f"{summary.expected:,.0f} are expected to need a bug fix within a year"
    certain = _bands(summary.bands.items())
    hidden = sum(summary.below_confidence.values())
    if hidden:
        certain += f"; less certain, not listed: {_bands(summary.below_confidence.items())}"
    yield f"{counted(summary.total_files, 'file')}: {certain}; {outlook}"
    weighed = " and ".join(it.replace("_", " ") for it in model.weighed)
    lacks = f"; {plain(model.reason)}" if model.reason else ""
    yield f"model: {weighed}, fitted on {len(model.trained_on)} public histories{lacks}"
    yield (
        f"on {model.score.histories} held-out histories: AUC {model.score.auc:.2f}, "
        f"lines of code alone {model.score.auc_of_lines:.2f}; Brier {model.score.brier:.2f}"
    )
    if hidden:
        left_out = f"left out below min_confidence: {counted(hidden, 'file')}"
        yield report.text_style.hint(f"{left_out}; a lower value shows them")
    yield from (f"{name} left out: {reason}" for name, reason in model.left_out.items())


def _bands(counts: Iterable[tuple[Band, int]]) -> str:
    return ", ".join(f"{count:,} {band.lower()}" for band, count in counts)
