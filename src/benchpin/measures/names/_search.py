"""Find the names of a project that are similar to a given one."""

from collections.abc import Collection
from dataclasses import dataclass

from ._identifiers import Identifier, IdentifierIndex, NameKind
from ._similarity import compare_names

# Scores are published with this many digits, and ordered by these, not by noise below them.
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Match:
    """An identifier that is similar to the query."""

    identifier: Identifier
    score: float
    """From 0 to 1, rounded."""


@dataclass(frozen=True, slots=True)
class SimilarName:
    """A name that is similar to the query, and why."""

    name: str
    kind: NameKind
    score: float
    """From 0 to 1: 0.4 · meaning + 0.3 · spelling + 0.3 · words, less a quarter of the contrast."""
    meaning: float | None
    """From 0 to 1, by the words that occur near its words in code; None if no word is known."""
    spelling: float
    """From 0 to 1: one less the share of letters to change; 1 for the same words in any style."""
    words: float
    """From 0 to 1: the share of words that both have; an abbreviation counts as its word."""
    contrast: float
    """From 0 to 1: how often one file has names that differ in just these opposed words."""
    opposed_words: tuple[str, ...] | None
    """Such as min and max, which are near and never mean the same; None if there are none."""
    sounds_alike: bool
    shared_words: tuple[str, ...]
    file: str
    """Where it is first defined; for a variable, where it occurs most."""
    line: int | None
    definitions: int | None
    """How many functions or types have this name; None for a variable."""
    occurrences: int


def find_similar(
    query: str,
    index: IdentifierIndex,
    kinds: Collection[NameKind],
    *,
    min_score: float,
    phonetic: bool,
) -> list[Match]:
    """Return the identifiers similar to a query, most similar first, then by name and kind."""
    scores = index.names.scores(query, phonetic=phonetic)
    near = (scores >= min_score).nonzero()[0].tolist()
    found = [
        Match(index.identifiers[place], round(float(scores[place]), DIGITS))
        for place in near
        if index.identifiers[place].kind in kinds
    ]
    return sorted(found, key=lambda it: (-it.score, it.identifier.name, it.identifier.kind))


def explain(query: str, match: Match) -> SimilarName:
    """Return a match and the parts of its score; compares the names again, so only for a page."""
    identifier = match.identifier
    why = compare_names(query, identifier.name)
    return SimilarName(
        name=identifier.name,
        kind=identifier.kind,
        score=match.score,
        meaning=None if why.meaning is None else round(why.meaning, DIGITS),
        spelling=round(why.spelling, DIGITS),
        words=round(why.words, DIGITS),
        contrast=round(why.contrast, DIGITS),
        opposed_words=why.opposed_words,
        sounds_alike=why.sounds_alike,
        shared_words=why.shared_words,
        file=identifier.file,
        line=identifier.line,
        definitions=identifier.definitions,
        occurrences=identifier.occurrences,
    )
