"""Names: the words they are made of, what these mean, and which names are similar."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._identifiers import KINDS, NameKind, SimilarName, explain, find_similar, index_identifiers
    from ._splitting import split_identifier
    from ._vectors import known_words

__all__ = [
    "KINDS",
    "NameKind",
    "SimilarName",
    "explain",
    "find_similar",
    "index_identifiers",
    "known_words",
    "split_identifier",
]

__getattr__ = lazy(
    __name__,
    """
    _identifiers: KINDS NameKind SimilarName explain find_similar index_identifiers
    _splitting: split_identifier
    _vectors: known_words
    """,
)
