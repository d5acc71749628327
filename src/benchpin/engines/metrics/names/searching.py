"""Find the names of a project that are like another one."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from benchpin.core import Job
from benchpin.engines.source.index import FileFacts

from .glossary import Entry, NameKind, glossary_of
from .similarity import Likeness, compare_names

DIGITS = 3
"""To how many places scores are told, so that noise in the last ones orders nothing."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A name that is like the one asked for, and how much so."""

    entry: Entry
    score: float
    """From 0 to 1, rounded."""


def find_similar(
    query: str,
    files: Sequence[FileFacts],
    kinds: Collection[NameKind],
    job: Job,
    *,
    min_score: float,
    phonetic: bool,
) -> list[Hit]:
    """Return the names like a query, the most alike first, then by name and kind.

    Raises:
        Cancelled: when the job was cancelled.
    """
    glossary = glossary_of(files, job)
    scores = glossary.index.scores(query, phonetic=phonetic)
    near = (scores >= min_score).nonzero()[0].tolist()
    found = [
        Hit(glossary.entries[place], round(float(scores[place]), DIGITS))
        for place in near
        if glossary.entries[place].kind in kinds
    ]
    return sorted(found, key=lambda it: (-it.score, it.entry.name, it.entry.kind))


def explain(query: str, hit: Hit, *, phonetic: bool) -> Likeness:
    """Return what the score of a name is made of."""
    return compare_names(query, hit.entry.name, phonetic=phonetic)
