"""Predict how likely each file is to need a bug fix within a year, with confidence and reasons."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field

from benchpin.core import Finding, FindingRule, Item
from benchpin.core.view import Level
from benchpin.engines.insight.coverage import UNITS, CoverageReport
from benchpin.engines.source.index import FileFacts

from .features import (
    COLUMNS,
    FEATURES,
    FeatureName,
    Row,
    Surroundings,
    as_measured,
    is_judged,
    rows_of,
)
from .knowledge import Knowledge
from .model import Model
from .weights import Shipped, Weights, shipped_weights, standardised

Band = Literal["High", "Medium", "Low"]
BANDS: tuple[Band, ...] = ("High", "Medium", "Low")

HIGH_FROM = 0.7
MEDIUM_FROM = 0.3
COVERAGE_WEIGHT = 0.5
"""Log-odds between a file that no test runs and one that tests run in full.

An assumption: repositories keep no coverage reports of the past to fit it on.
"""
_EIGHTY_PERCENT = 1.2815515655446004
"""80 % of a normal distribution lie within so many deviations."""
_DIGITS = 4
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
    """What each feature adds to the log-odds; null for one that is unknown."""

    def without_explanation(self) -> Self:
        """Return the prediction without the log-odds."""
        return self.model_copy(update={"base": None, "contributions": {}})

    def in_brief(self) -> Self:
        """Return the prediction without features and log-odds."""
        return self.model_copy(update={"features": {}, "base": None, "contributions": {}})


RULES = (FindingRule("likely-defect", "LikelyDefect", "A file is likely to need a bug fix soon."),)
_LEVELS: Mapping[str, Level] = {"High": "warning", "Medium": "note"}


def as_findings(it: DefectPrediction) -> list[Finding]:
    """Return a file of the upper bands as SARIF and JUnit show it, at its first line."""
    level = _LEVELS.get(it.band)
    if level is None:
        return []
    message = f"{it.probability:.0%} likely to need a bug fix within a year; {it.reason}"
    properties = {
        "probability": it.probability,
        "confidence": it.confidence,
        "features": it.features,
        **({"contributions": it.contributions} if it.contributions else {}),
    }
    return [Finding(RULES[0].id, level, message, it.file, 1, 1, properties)]


def count_bands(files: Iterable[DefectPrediction]) -> dict[Band, int]:
    """Return how many files are in each band."""
    counts = Counter(it.band for it in files)
    return {band: counts[band] for band in BANDS}


@dataclass(frozen=True, slots=True)
class Defects:
    """The predictions of all files, most likely first, and the model."""

    files: list[DefectPrediction]
    model: Model
    left_out: Mapping[FeatureName, str]
    """Features that are unknown for every file, and why."""
    assumed: Mapping[FeatureName, str]
    """Features whose weight was not fitted."""
    skipped: int
    """Tests and generated files, which get no prediction."""
    lacks_history: str = ""
    """Why only the code counts; empty where the history counts too."""


def predict(
    files: Sequence[FileFacts],
    around: Surroundings,
    knowledge: Knowledge,
    coverage: CoverageReport | None,
) -> Defects:
    """Predict for files with `outline` and `links`, but not for tests and generated files."""
    judged = [file for file in files if is_judged(file)]
    past = knowledge.past
    rows = rows_of(judged, around, past)
    rate = 0.0 if past is None else past.base_rate
    scale = Scale(knowledge.model.weights, rate, shipped_weights(), coverage)
    risks = sorted(scale.judge(rows), key=lambda it: (-it.probability, it.file))
    return Defects(
        files=risks,
        model=knowledge.model,
        left_out=_left_out(rows, knowledge, coverage),
        assumed={} if coverage is None else {"test_coverage": _ASSUMED},
        skipped=len(files) - len(judged),
        lacks_history=knowledge.model.reason if past is None else "",
    )


_ASSUMED = f"{COVERAGE_WEIGHT:g} log-odds for all lines: no past reports to learn from"


class Scale:
    """Turns the values of files into predictions."""

    def __init__(
        self,
        weights: Weights,
        rate: float,
        shipped: Shipped,
        coverage: CoverageReport | None = None,
    ) -> None:
        self._weights = weights
        self._rate = rate
        self._shipped = shipped
        self._base = weights.intercept + weights.base * rate
        self._coverage = coverage or CoverageReport({}, (), ())
        self._usual = {unit: self._coverage.share_of(unit) for unit in UNITS}

    def judge(self, rows: Sequence[Row]) -> list[DefectPrediction]:
        """Return a prediction for each row."""
        values = standardised(rows, self._shipped.mean, self._shipped.deviation).tolist()
        return [
            self._judge(row, dict(zip(COLUMNS, it, strict=True)))
            for row, it in zip(rows, values, strict=True)
        ]

    def _judge(self, row: Row, values: Mapping[str, float]) -> DefectPrediction:
        parts: dict[FeatureName, float | None] = dict.fromkeys(FEATURES)
        unknown = self._weights.spread**2
        for name, weight in self._weights.columns.items():
            value = values[name]
            if math.isnan(value):
                unknown += weight**2
            else:
                parts[COLUMNS[name]] = (parts[COLUMNS[name]] or 0.0) + weight * value
        parts["test_coverage"] = self._of_coverage(row.path)
        unknown += (parts["test_coverage"] or 0.0) ** 2 + self._doubt(values)
        log_odds = self._base + math.fsum(it for it in parts.values() if it is not None)
        deviation = math.sqrt(unknown)
        reach = _EIGHTY_PERCENT * deviation
        probability = _chance(log_odds)
        band = band_of(probability)
        values_now = {**row.values, "test_coverage": self._covered(row.path)}
        return DefectPrediction(
            file=row.path,
            probability=rounded(probability),
            lower=rounded(_chance(log_odds - reach)),
            upper=rounded(_chance(log_odds + reach)),
            band=band,
            confidence=rounded(_confidence(band, log_odds, deviation)),
            reason=_reason(parts),
            features={name: _rounded(it) for name, it in as_measured(values_now).items()},
            contributions={name: _rounded(it) for name, it in parts.items()},
            base=rounded(self._base),
        )

    def _covered(self, path: str) -> float | None:
        known = self._coverage.by_file.get(path)
        return None if known is None else known.share

    def _of_coverage(self, path: str) -> float | None:
        """Return what coverage adds: nothing for a file with average coverage."""
        known = self._coverage.by_file.get(path)
        usual = None if known is None else self._usual[known.unit]
        if known is None or known.share is None or usual is None:
            return None
        return -COVERAGE_WEIGHT * (known.share - usual)

    def _doubt(self, values: Mapping[str, float]) -> float:
        """Return the variance of the log-odds that comes from uncertain weights."""
        if not self._weights.covariance:
            return 0.0
        known = (0.0 if math.isnan(it) else it for it in values.values())
        place = [1.0, self._rate, *known]
        return math.fsum(
            one * two * shared
            for one, row in zip(place, self._weights.covariance, strict=True)
            for two, shared in zip(place, row, strict=True)
        )


def rounded(value: float) -> float:
    """Return a number with the digits that are published."""
    return round(value, _DIGITS)


def _rounded(value: float | None) -> float | None:
    return None if value is None else rounded(value)


def _reason(parts: Mapping[FeatureName, float | None]) -> str:
    known = [(value, name) for name, value in parts.items() if value is not None]
    most = [f"{name} {value:+.2f}" for value, name in sorted(known, reverse=True)[:2]]
    return f"most in log-odds: {', '.join(most)}"


def band_of(probability: float) -> Band:
    """Return the band that a probability falls into."""
    if probability >= HIGH_FROM:
        return "High"
    return "Medium" if probability >= MEDIUM_FROM else "Low"


def _confidence(band: Band, log_odds: float, deviation: float) -> float:
    """Return the share of possible log-odds that are in the band, or worse."""
    low, high = _CLAIMS[band]
    spread = max(deviation, _SUREST)
    return _below((high - log_odds) / spread) - _below((low - log_odds) / spread)


def _below(deviations: float) -> float:
    """Return the cumulative normal distribution."""
    return (1 + math.erf(deviations / math.sqrt(2))) / 2


def _log_odds(chance: float) -> float:
    return math.log(chance / (1 - chance))


_SUREST = 1e-6
_CLAIMS: Mapping[Band, tuple[float, float]] = {
    "High": (_log_odds(HIGH_FROM), math.inf),
    "Medium": (_log_odds(MEDIUM_FROM), math.inf),
    "Low": (-math.inf, _log_odds(MEDIUM_FROM)),
}


def _chance(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(-_FARTHEST, min(_FARTHEST, log_odds))))


_FARTHEST = 30.0


def _left_out(
    rows: Sequence[Row], knowledge: Knowledge, coverage: CoverageReport | None
) -> dict[FeatureName, str]:
    reasons: dict[FeatureName, str] = {
        "churn": knowledge.model.reason,
        "duplication": "duplicates were not measured",
        "coupling": "no file is in an import graph",
        "name_quality": "no file has a name",
        "complexity": "no file has code",
    }
    known = {
        COLUMNS[name] for row in rows for name, value in row.values.items() if value is not None
    }
    left = {name: reason for name, reason in reasons.items() if rows and name not in known}
    if coverage is None:
        left["test_coverage"] = "no coverage report was found"
    elif not coverage.by_file:
        problem = coverage.problems[0]
        left["test_coverage"] = f"{problem.path}: {problem.reason}"
    return left
