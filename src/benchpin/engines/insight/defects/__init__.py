"""Which files are likely to need a bug fix, from what they are like and what happened to them."""

from .assessment import coverage_of, defects_of
from .features import COLUMNS, FEATURES, FeatureName, Surroundings, as_measured, is_judged
from .knowledge import Knowledge, know
from .labels import is_bug_fix
from .model import Model, ModelScore
from .past_trees import measure_surroundings
from .prediction import (
    BANDS,
    RULES,
    Band,
    DefectPrediction,
    Defects,
    as_findings,
    count_bands,
    predict,
)

__all__ = [
    "BANDS",
    "COLUMNS",
    "FEATURES",
    "RULES",
    "Band",
    "DefectPrediction",
    "Defects",
    "FeatureName",
    "Knowledge",
    "Model",
    "ModelScore",
    "Surroundings",
    "as_findings",
    "as_measured",
    "count_bands",
    "coverage_of",
    "defects_of",
    "is_bug_fix",
    "is_judged",
    "know",
    "measure_surroundings",
    "predict",
]
