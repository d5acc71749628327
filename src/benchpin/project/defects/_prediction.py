"""Predict how likely each file is to need a bug fix within a year, with confidence and reasons."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self, TypeVar, get_args

from pydantic import Field

from benchpin.core.results import Item
from benchpin.facts import FileFacts
from benchpin.measures.coverage import CoverageReport
from benchpin.measures.names import NAME_QUALITY
from benchpin.memory import Measure, key_digest
from benchpin.present import Finding, FindingRule, Level
from benchpin.project import MeasureResult, Project

from ._features import (
    COLUMNS,
    FEATURES,
    FeatureName,
    FeatureRow,
    Surroundings,
    Values,
    as_measured,
    has_prediction,
    log_odds,
    rows_of,
)
from ._knowledge import Knowledge, know
from ._model import FittedModel, Weights, shipped_weights

Name = TypeVar("Name", bound=str)
Band = Literal["High", "Medium", "Low"]
BANDS: tuple[Band, ...] = get_args(Band)

HIGH_FROM = 0.7
MEDIUM_FROM = 0.3
# 80 % of a normal distribution are within this many standard deviations.
_EIGHTY_PERCENT = 1.2815515655446004
# Keeps a division by a deviation of zero from failing.
_MIN_DEVIATION = 1e-6
# The log-odds that confirm each band.
_LOG_ODDS: Mapping[Band, tuple[float, float]] = {
    "High": (log_odds(HIGH_FROM), math.inf),
    "Medium": (log_odds(MEDIUM_FROM), math.inf),
    "Low": (-math.inf, log_odds(MEDIUM_FROM)),
}
_DIGITS = 4
_COVERAGE: FeatureName = "test_coverage"
# Beyond these log-odds, probabilities are 0 or 1 in floating point.
FARTHEST = 30.0
_UnlessEmpty = Field(exclude_if=lambda it: not it)


class DefectPrediction(Item):
    """The expected defects of one file."""

    file: str
    probability: float
    """That a bug fix touches the file within a year of the newest commit."""
    band: Band
    """High from 0.7, Medium from 0.3."""
    confidence: float
    """The probability that files like this one are in the band, or worse; for Low, in it."""
    lower: float
    upper: float
    """The 80 % interval of the share of such files that need a fix."""
    reason: str
    """The two features that add most, in log-odds."""
    features: Annotated[dict[str, float | None], _UnlessEmpty]
    """What was measured: counts of the last two years weigh half with every 180 days of age."""
    base: Annotated[float | None, Field(exclude_if=lambda it: it is None)]
    """The log-odds of an average file."""
    contributions: Annotated[dict[FeatureName, float | None], _UnlessEmpty]
    """What each feature adds to the log-odds: 0 for all but lines and commits; null if unknown."""

    def without_explanation(self) -> Self:
        """Return the prediction without the log-odds."""
        return self.model_copy(update={"base": None, "contributions": {}})

    def in_brief(self) -> Self:
        """Return the prediction without features and log-odds."""
        return self.model_copy(update={"features": {}, "base": None, "contributions": {}})


RULES = (FindingRule("likely-defect", "LikelyDefect", "A file is likely to need a bug fix soon."),)
_LEVELS: Mapping[str, Level] = {"High": "warning", "Medium": "note"}


def as_findings(prediction: DefectPrediction) -> list[Finding]:
    """Return a file of the upper bands as SARIF and JUnit show it, at its first line."""
    level = _LEVELS.get(prediction.band)
    if level is None:
        return []
    message = (
        f"{prediction.probability:.0%} likely to need a bug fix within a year; {prediction.reason}"
    )
    properties = {
        "probability": prediction.probability,
        "confidence": prediction.confidence,
        "features": prediction.features,
        **({"contributions": prediction.contributions} if prediction.contributions else {}),
    }
    return [Finding(RULES[0].id, level, message, prediction.file, 1, 1, properties)]


def count_bands(files: Iterable[DefectPrediction]) -> dict[Band, int]:
    counts = Counter(it.band for it in files)
    return {band: counts[band] for band in BANDS}


@dataclass(frozen=True, slots=True)
class ProjectDefects:
    """The predictions of all files, most likely first, and the model."""

    files: list[DefectPrediction]
    model: FittedModel
    left_out: Mapping[FeatureName, str]
    """Features that are unknown for every file, and why."""
    skipped: int
    """Tests and generated files, which get no prediction."""
    lacks_history: str = ""
    """Why only the code counts; empty where the history counts too."""
    values: Mapping[str, Values] = field(default_factory=dict)
    """What the prediction of each file was computed from, by path."""
    basis: bytes = b""
    """A digest of what the predictions of all files depend on."""


def defects_of(project: Project) -> MeasureResult[ProjectDefects]:
    """Return how likely the files of a project are to need a bug fix.

    Raises:
        Cancelled: when the job was cancelled.
    """
    files, around = project.sources.files, _around(project)
    coverage = project.coverage()
    options = (
        know(project.selection).key,
        tuple((around.duplication or {}).get(file.path) for file in files),
        tuple((around.coupling or {}).get(file.path) for file in files),
        None if coverage is None else (coverage.reports, coverage.problems),
    )
    return project.measure(_DEFECTS, options)


def _around(project: Project) -> Surroundings:
    return Surroundings(project.duplication.value, project.coupling.value)


def _predict(
    project: Project, _options: Hashable, before: ProjectDefects | None = None
) -> ProjectDefects:
    files, known = project.sources.files, know(project.selection)
    chosen = [file for file in files if has_prediction(file)]
    # 0.14 s for 18,000 files: not worth a memory of its own.
    qualities = NAME_QUALITY.of(project.selection, chosen, None)
    rows = rows_of(chosen, _around(project), known.past, qualities=qualities)
    return predict_rows(rows, len(files), known, project.coverage(), before)


_DEFECTS = Measure(
    "defects",
    ProjectDefects,
    _predict,
    lambda before, project, options: _predict(project, options, before),
)


def predict(
    files: Sequence[FileFacts],
    around: Surroundings,
    knowledge: Knowledge,
    coverage: CoverageReport | None,
) -> ProjectDefects:
    rows = rows_of(filter(has_prediction, files), around, knowledge.past)
    return predict_rows(rows, len(files), knowledge, coverage)


def predict_rows(
    rows: Sequence[FeatureRow],
    files: int,
    knowledge: Knowledge,
    coverage: CoverageReport | None,
    before: ProjectDefects | None = None,
) -> ProjectDefects:
    """Predict for the files that have a row, of so many files.

    Predictions that depend on nothing that changed are taken from `before`.
    """
    past, model = knowledge.past, knowledge.model
    rate = 0.0 if past is None else past.base_rate
    predictor = Predictor(model.weights, rate, coverage)
    covered = {} if coverage is None else coverage.by_file
    basis = key_digest((knowledge.key, coverage is None, tuple(sorted(covered.items()))))
    known = {} if before is None or before.basis != basis else before.values
    changed = [row for row in rows if known.get(row.path) != row.values]
    found = {} if before is None else {it.file: it for it in before.files}
    found |= {it.file: it for it in predictor.predict(changed)}
    return ProjectDefects(
        files=sorted((found[row.path] for row in rows), key=lambda it: (-it.probability, it.file)),
        model=model,
        left_out=_left_out(rows, knowledge, coverage),
        skipped=files - len(rows),
        lacks_history=model.reason if past is None else "",
        values={row.path: row.values for row in rows},
        basis=basis,
    )


class Predictor:
    """Predicts from the values of files."""

    def __init__(
        self, weights: Weights, rate: float, coverage: CoverageReport | None = None
    ) -> None:
        self._weights = weights
        self._base = weights.intercept + weights.base * rate
        self._coverage = {} if coverage is None else coverage.by_file
        self._mean, self._deviation = shipped_weights().mean, shipped_weights().deviation

    def predict(self, rows: Sequence[FeatureRow]) -> list[DefectPrediction]:
        return [self._predict(row) for row in rows]

    def _predict(self, row: FeatureRow) -> DefectPrediction:
        covered = self._coverage.get(row.path)
        values = {**row.values, "test_coverage": None if covered is None else covered.share}
        parts: dict[FeatureName, float | None] = dict.fromkeys(FEATURES)
        variance = self._weights.spread**2
        for name, value in values.items():
            weight, feature = self._weights.columns.get(name, 0.0), COLUMNS.get(name, _COVERAGE)
            if value is None:
                variance += weight**2
            else:
                added = weight * (value - self._mean[name]) / self._deviation[name] if weight else 0
                parts[feature] = (parts[feature] or 0.0) + added
        total = self._base + math.fsum(it for it in parts.values() if it is not None)
        deviation = math.sqrt(variance)
        reach = _EIGHTY_PERCENT * deviation
        probability = _probability(total)
        band = band_of(probability)
        return DefectPrediction(
            file=row.path,
            probability=_rounded(probability),
            lower=_rounded(_probability(total - reach)),
            upper=_rounded(_probability(total + reach)),
            band=band,
            confidence=_rounded(_confidence(band, total, deviation)),
            reason=_reason(parts),
            features=_all_rounded(as_measured(values)),
            contributions=_all_rounded(parts),
            base=_rounded(self._base),
        )


def _rounded(value: float) -> float:
    return round(value, _DIGITS)


def _all_rounded(values: Mapping[Name, float | None]) -> dict[Name, float | None]:
    return {name: None if it is None else _rounded(it) for name, it in values.items()}


def _reason(parts: Mapping[FeatureName, float | None]) -> str:
    known = [(value, name) for name, value in parts.items() if value]
    most = [f"{name} {value:+.2f}" for value, name in sorted(known, reverse=True)[:2]]
    return f"most in log-odds: {', '.join(most)}"


def band_of(probability: float) -> Band:
    if probability >= HIGH_FROM:
        return "High"
    return "Medium" if probability >= MEDIUM_FROM else "Low"


def _confidence(band: Band, total: float, deviation: float) -> float:
    """Return the probability that the log-odds are in the band, or worse."""
    low, high = _LOG_ODDS[band]
    spread = max(deviation, _MIN_DEVIATION)
    return _below((high - total) / spread) - _below((low - total) / spread)


def _below(deviations: float) -> float:
    """Return the cumulative normal distribution."""
    return (1 + math.erf(deviations / math.sqrt(2))) / 2


def _probability(total: float) -> float:
    return 1 / (1 + math.exp(-max(-FARTHEST, min(FARTHEST, total))))


def _left_out(
    rows: Sequence[FeatureRow], knowledge: Knowledge, coverage: CoverageReport | None
) -> dict[FeatureName, str]:
    reasons: dict[FeatureName, str] = {
        "churn": knowledge.model.reason,
        "duplication": "duplicates were not measured",
        "coupling": "no file is in an import graph",
        "name_quality": "no file has a name",
        "complexity": "no file has code",
    }
    known: set[FeatureName] = set()
    for row in rows:
        known.update(COLUMNS[name] for name, value in row.values.items() if value is not None)
        if known.issuperset(reasons):
            break
    left = {name: reason for name, reason in reasons.items() if rows and name not in known}
    if coverage is None:
        left["test_coverage"] = "no coverage report was found"
    elif not coverage.by_file:
        problem = coverage.problems[0]
        left["test_coverage"] = f"{problem.path}: {problem.reason}"
    return left
