"""Names: the words they are made of, what these mean, and which names are similar."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._identifiers import IDENTIFIERS, KINDS, NameKind, SimilarName, explain, find_similar
    from ._words import NAME_QUALITY, known_words, name_quality, split_identifier, stem

__all__ = [
    "IDENTIFIERS",
    "KINDS",
    "NAME_QUALITY",
    "NameKind",
    "SimilarName",
    "explain",
    "find_similar",
    "known_words",
    "name_quality",
    "split_identifier",
    "stem",
]

__getattr__ = lazy(__name__)
