"""Which files are likely to need a bug fix, by their code and their history."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._features import COLUMNS, FEATURES, LOOKBACK, Surroundings
    from ._knowledge import know, knowledge_source, newest_moment, shared_knowledge, without_history
    from ._model import TrainedOn, shipped_weights
    from ._past_trees import PastTree, tree_at
    from ._prediction import (
        RULES,
        Band,
        DefectPrediction,
        ProjectDefects,
        count_bands,
        defects_of,
        predict,
    )

__all__ = [
    "COLUMNS",
    "FEATURES",
    "LOOKBACK",
    "RULES",
    "Band",
    "DefectPrediction",
    "PastTree",
    "ProjectDefects",
    "Surroundings",
    "TrainedOn",
    "count_bands",
    "defects_of",
    "know",
    "knowledge_source",
    "newest_moment",
    "predict",
    "shared_knowledge",
    "shipped_weights",
    "tree_at",
    "without_history",
]

__getattr__ = lazy(__name__)
