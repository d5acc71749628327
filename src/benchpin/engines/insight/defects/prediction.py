"""How likely each file is to need a bug fix within a year, how sure that is, and why."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchpin.engines.insight.coverage import UNITS, CoverageReport
from benchpin.engines.source.index import FileFacts

from .features import (
    COLUMNS,
    FEATURES,
    FeatureName,
    Row,
    Surroundings,
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

An assumption: reports of the past do not lie in a repository, so that nothing can be fitted.
"""
_EIGHTY_PERCENT = 1.2815515655446004
"""Within so many deviations lie four of five values."""


@dataclass(frozen=True, slots=True)
class DefectRisk:
    """What is expected of one file."""

    path: str
    probability: float
    """That a bug fix touches it within a year."""
    lower: float
    upper: float
    """Where the rate of such files lies in four of five cases."""
    band: Band
    confidence: float
    """How likely it is that the rate of such files reaches the band, from 0 to 1.

    For High and Medium that it is at least 0.7 or 0.3; for Low that it is below 0.3.
    """
    values: Mapping[str, float | None]
    """What was measured, as it is weighed: logarithms of counts; None where nothing is known."""
    contributions: Mapping[FeatureName, float | None]
    """What each feature adds to the log-odds; None for one that is not known."""
    base: float
    """The log-odds of an average file; with all contributions, those of this one."""


@dataclass(frozen=True, slots=True)
class Defects:
    """All files, the likeliest first, and the model."""

    files: list[DefectRisk]
    model: Model
    left_out: Mapping[FeatureName, str]
    """Features that are not known of any file, and why."""
    assumed: Mapping[FeatureName, str]
    """Features whose weight was not learnt from outcomes."""
    skipped: int
    """Tests and generated code, of which nothing is predicted."""
    lacks_history: str = ""
    """Why files are judged by their code alone; empty where the history takes part."""


def predict(
    files: Sequence[FileFacts],
    around: Surroundings,
    knowledge: Knowledge,
    coverage: CoverageReport | None,
) -> Defects:
    """Judge files, which need `outline` and `links`; tests and generated code are left out."""
    judged = [file for file in files if is_judged(file)]
    past = knowledge.past
    rows = rows_of(judged, around, past)
    rate = 0.0 if past is None else past.base_rate
    scale = Scale(knowledge.model.weights, rate, shipped_weights(), coverage)
    risks = sorted(scale.judge(rows), key=lambda it: (-it.probability, it.path))
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
    """Weighs the values of files."""

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

    def judge(self, rows: Sequence[Row]) -> list[DefectRisk]:
        """Return what is expected of each."""
        values = standardised(rows, self._shipped.mean, self._shipped.deviation).tolist()
        return [
            self._judge(row, dict(zip(COLUMNS, it, strict=True)))
            for row, it in zip(rows, values, strict=True)
        ]

    def _judge(self, row: Row, values: Mapping[str, float]) -> DefectRisk:
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
        return DefectRisk(
            path=row.path,
            probability=probability,
            lower=_chance(log_odds - reach),
            upper=_chance(log_odds + reach),
            band=band,
            confidence=_confidence(band, log_odds, deviation),
            values={**row.values, "test_coverage": self._covered(row.path)},
            contributions=parts,
            base=self._base,
        )

    def _covered(self, path: str) -> float | None:
        known = self._coverage.by_file.get(path)
        return None if known is None else known.share

    def _of_coverage(self, path: str) -> float | None:
        """Return what coverage adds: nothing for a file that tests run as much as all others."""
        known = self._coverage.by_file.get(path)
        usual = None if known is None else self._usual[known.unit]
        if known is None or known.share is None or usual is None:
            return None
        return -COVERAGE_WEIGHT * (known.share - usual)

    def _doubt(self, values: Mapping[str, float]) -> float:
        """Return how unsure the weights are for a file, as a variance of its log-odds."""
        if not self._weights.covariance:
            return 0.0
        known = (0.0 if math.isnan(it) else it for it in values.values())
        place = [1.0, self._rate, *known]
        return math.fsum(
            one * two * shared
            for one, row in zip(place, self._weights.covariance, strict=True)
            for two, shared in zip(place, row, strict=True)
        )


def band_of(probability: float) -> Band:
    """Return the band that a probability falls into."""
    if probability >= HIGH_FROM:
        return "High"
    return "Medium" if probability >= MEDIUM_FROM else "Low"


def _confidence(band: Band, log_odds: float, deviation: float) -> float:
    """Return how much of what the log-odds may be bears out a band: it is that bad, or worse."""
    low, high = _CLAIMS[band]
    spread = max(deviation, _SUREST)
    return _below((high - log_odds) / spread) - _below((low - log_odds) / spread)


def _below(deviations: float) -> float:
    """Return how much of a normal distribution lies below."""
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
        "duplication": "nobody looked for duplicates",
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
