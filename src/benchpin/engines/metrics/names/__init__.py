"""Names: the words they are made of, what these mean, and which names are similar."""

from .identifiers import KINDS, Identifier, IdentifierIndex, NameKind, index_identifiers
from .search import Match, SimilarName, explain, find_similar
from .similarity import Similarity, compare_names
from .splitting import split_identifier

__all__ = [
    "KINDS",
    "Identifier",
    "IdentifierIndex",
    "Match",
    "NameKind",
    "SimilarName",
    "Similarity",
    "compare_names",
    "explain",
    "find_similar",
    "index_identifiers",
    "split_identifier",
]
