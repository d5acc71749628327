"""Which files are likely to need a bug fix, from what they are like and what happened to them."""

from .assessment import coverage_of, defects_of
from .features import COLUMNS, FEATURES, FeatureName, Surroundings, as_measured, is_judged
from .knowledge import Knowledge, know
from .labels import is_bug_fix
from .model import Model, Score
from .past import measure_surroundings
from .prediction import BANDS, Band, DefectRisk, Defects, predict

__all__ = [
    "BANDS",
    "COLUMNS",
    "FEATURES",
    "Band",
    "DefectRisk",
    "Defects",
    "FeatureName",
    "Knowledge",
    "Model",
    "Score",
    "Surroundings",
    "as_measured",
    "coverage_of",
    "defects_of",
    "is_bug_fix",
    "is_judged",
    "know",
    "measure_surroundings",
    "predict",
]
