"""Which files are likely to need a bug fix, by their code and their history."""

from .features import COLUMNS, FEATURES, LOOKBACK, FeatureName, Surroundings
from .fitted_model import ModelScore
from .knowledge import (
    KNOWLEDGE,
    Knowledge,
    is_learned,
    know,
    knowledge_source,
    newest_moment,
    shared_knowledge,
    without_history,
)
from .learning import LEARNED_SHARE
from .prediction import (
    RULES,
    Band,
    DefectPrediction,
    ProjectDefects,
    as_findings,
    count_bands,
    defects_of,
    predict,
)
from .weights import TrainedOn

__all__ = [
    "COLUMNS",
    "FEATURES",
    "KNOWLEDGE",
    "LEARNED_SHARE",
    "LOOKBACK",
    "RULES",
    "Band",
    "DefectPrediction",
    "FeatureName",
    "Knowledge",
    "ModelScore",
    "ProjectDefects",
    "Surroundings",
    "TrainedOn",
    "as_findings",
    "count_bands",
    "defects_of",
    "is_learned",
    "know",
    "knowledge_source",
    "newest_moment",
    "predict",
    "shared_knowledge",
    "without_history",
]
