"""Say which files are likely to need a bug fix."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import Bench, Effect, Item, Page, tool
from benchpin.engines.insight import defects

from . import _defects_text as text
from ._formats import Report, page_of
from ._project import project_of
from ._selection import FilesSeen, SelectionParams, files_seen

_Optional = Field(exclude_if=lambda it: it is None)


class DefectParams(SelectionParams):
    """What to judge and how to show it."""

    min_confidence: Annotated[float, Field(ge=0, le=1)] = 0.7
    """Leave out files whose band is less sure than this; the result says how many those are."""
    explain: bool = False
    """Also say what each feature adds to the log-odds of a file."""
    sarif: bool = False
    """The same as format sarif."""
    format: Literal["summary", "detailed", "json", "sarif", "csv", "markdown"] = "summary"
    """How to show it; sarif has the files of the bands High and Medium."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many files to return; csv, markdown and sarif have them all."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""


class DefectSummary(Item):
    """All files together."""

    total_files: int
    """Without tests and generated code, of which nothing is predicted."""
    bands: dict[defects.Band, int]
    expected: float
    """How many files are expected to need a bug fix within a year."""
    below_confidence: dict[defects.Band, int]
    """Files that are left out because their band is not sure enough."""
    tests_and_generated: int


class HistoryUsed(Item):
    """A history that the model was fitted on."""

    name: str
    since: str
    until: str
    files: int
    mended: int


class ModelScore(Item):
    """How the model did in the last year, which it did not see."""

    since: str
    until: str
    files: int
    mended: int
    """Files that a bug fix touched in that year."""
    auc: float | None
    """How often a file that was mended had the higher probability; 0.5 is chance."""
    brier: float
    """The mean squared error of the probabilities; 0 is best."""
    auc_of_lines: float | None
    """The AUC of lines of code alone."""


class DefectModel(Item):
    """Where the probabilities come from."""

    source: Literal["own", "shipped"]
    """own: fitted on the bug fixes of this repository; shipped: on those of public ones."""
    reason: str
    """Why the repository's own history was not used; empty when it was."""
    score: ModelScore | None
    """None when no year of this repository could be held back."""
    trained_on: list[HistoryUsed]
    left_out: dict[defects.FeatureName, str]
    """Features that are not known of any file, and why."""
    assumed: dict[defects.FeatureName, str]
    """Features whose weight was not learnt from outcomes."""


class DefectPrediction(Item):
    """What is expected of one file."""

    file: str
    probability: float
    """That a bug fix touches the file within a year of the newest commit."""
    band: defects.Band
    """High from 0.7, Medium from 0.3."""
    confidence: float
    """How likely it is that files like this one are that bad or worse; Low: that good."""
    lower: float
    upper: float
    """Of files like this one, the share that needs a fix lies in between in four of five cases."""
    features: dict[str, float | None]
    """What was measured: counts of the last two years weigh half with every 180 days of age."""
    base: Annotated[float | None, _Optional] = None
    """The log-odds of an average file."""
    contributions: Annotated[dict[defects.FeatureName, float | None] | None, _Optional] = None
    """What each feature adds to them; null for one that is not known."""


class DefectReport(Report):
    """Files by probability, the likeliest first, and how far to trust it."""

    summary: DefectSummary
    model: DefectModel
    predictions: list[DefectPrediction]
    total: int
    next_cursor: str | None
    looked_at: FilesSeen


@tool(title="Defect probability", effect=Effect.READ)
def analyze_defect_probability(params: DefectParams, bench: Bench) -> DefectReport:
    """Rank files by how likely they are to need a bug fix within a year.

    A logistic model of complexity, churn, duplication, coupling, names and coverage, fitted on the
    repository's own bug fixes where there are enough. Use it to choose what to review and test.
    """
    project = project_of(params, bench)
    found = defects.defects_of(project).required()
    least = params.min_confidence
    sure = [it for it in found.files if round(it.confidence, text.DIGITS) >= least]
    hidden = [it for it in found.files if round(it.confidence, text.DIGITS) < least]
    page = page_of(sure, "defects", params)
    seen = files_seen(project.sources)
    return DefectReport(
        summary=_summary(found, hidden),
        model=_model(found),
        predictions=[_prediction(it, explains=params.explain) for it in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        looked_at=seen,
        shown=_shown(params, bench, text.Findings(found, sure, hidden), page, seen),
    )


def _shown(
    params: DefectParams,
    bench: Bench,
    findings: text.Findings,
    page: Page[defects.DefectRisk],
    seen: FilesSeen,
) -> str:
    match "sarif" if params.sarif else params.format:
        case "summary":
            shown = text.summary_text(findings, page.items, explains=params.explain)
            return seen.below(shown, page.footer())
        case "detailed":
            shown = text.detailed_text(findings, page.items, explains=params.explain)
            return seen.below(shown, page.footer())
        case "sarif":
            return text.sarif_text(findings.sure, bench)
        case "csv":
            return text.csv_text(findings.sure)
        case "markdown":
            return seen.below(text.markdown_text(findings)) + "\n"
        case _:
            return ""


def _summary(found: defects.Defects, hidden: list[defects.DefectRisk]) -> DefectSummary:
    return DefectSummary(
        total_files=len(found.files),
        bands=text.by_band(found.files),
        expected=round(sum(it.probability for it in found.files), 1),
        below_confidence=text.by_band(hidden),
        tests_and_generated=found.skipped,
    )


def _model(found: defects.Defects) -> DefectModel:
    model = found.model
    score = model.score
    return DefectModel(
        source=model.source,
        reason=model.reason,
        score=None if score is None else _score(score),
        trained_on=[
            HistoryUsed.model_validate(it, from_attributes=True) for it in model.trained_on
        ],
        left_out=dict(found.left_out),
        assumed=dict(found.assumed),
    )


def _score(it: defects.Score) -> ModelScore:
    return ModelScore(
        since=it.since,
        until=it.until,
        files=it.files,
        mended=it.mended,
        auc=text.rounded(it.auc),
        brier=round(it.brier, text.DIGITS),
        auc_of_lines=text.rounded(it.auc_of_lines),
    )


def _prediction(it: defects.DefectRisk, *, explains: bool) -> DefectPrediction:
    return DefectPrediction(
        file=it.path,
        probability=round(it.probability, text.DIGITS),
        band=it.band,
        confidence=round(it.confidence, text.DIGITS),
        lower=round(it.lower, text.DIGITS),
        upper=round(it.upper, text.DIGITS),
        features=text.measured(it),
        base=round(it.base, text.DIGITS) if explains else None,
        contributions=text.contributions(it) if explains else None,
    )
