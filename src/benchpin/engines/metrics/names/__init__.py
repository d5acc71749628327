"""Names: the words that they are made of, what those mean, and which names are alike."""

from .glossary import KINDS, Entry, NameKind
from .searching import Hit, explain, find_similar
from .similarity import Likeness, compare_names
from .splitting import split_identifier

__all__ = [
    "KINDS",
    "Entry",
    "Hit",
    "Likeness",
    "NameKind",
    "compare_names",
    "explain",
    "find_similar",
    "split_identifier",
]
