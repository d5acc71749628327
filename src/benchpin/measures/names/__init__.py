"""Names: the words they are made of, what these mean, and which names are similar."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._identifiers import KINDS, NameKind, SimilarName, explain, find_similar, index_identifiers
    from ._words import NAME_QUALITY, known_words, name_quality, split_identifier

__all__ = [
    "KINDS",
    "NAME_QUALITY",
    "NameKind",
    "SimilarName",
    "explain",
    "find_similar",
    "index_identifiers",
    "known_words",
    "name_quality",
    "split_identifier",
]

__getattr__ = lazy(
    __name__,
    """
    _identifiers: KINDS NameKind SimilarName explain find_similar index_identifiers
    _words: NAME_QUALITY known_words name_quality split_identifier
    """,
)
