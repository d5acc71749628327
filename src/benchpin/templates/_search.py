"""Search templates by words, including misspelt ones."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ._template import Template, words_of

_DESCRIPTION_WEIGHT = 0.8
# Below it two words count as different.
_MIN_SIMILARITY = 0.7
_MIN_RELEVANCE = 0.5
_PREFIX_SCORE = 0.9
_MIN_PREFIX_CHARS = 3
_NOISE = frozenset({"a", "an", "and", "for", "of", "template", "the", "with"})


@dataclass(frozen=True, slots=True)
class TemplateHit:
    """A template and its relevance, from 0 to 1."""

    relevance: float
    template: Template


def search(templates: Sequence[Template], query: str) -> list[TemplateHit]:
    """Return the templates that match a query, best first.

    The relevance is the mean over the words of the query; each word scores by its most similar word
    in the template. Words of the description weigh less than those of the URI, name and tags.
    """
    words = words_of(query)
    wanted = [word for word in words if word not in _NOISE] or words
    if not wanted:
        return []
    hits = [TemplateHit(round(_relevance(wanted, it), 4), it) for it in templates]
    found = [hit for hit in hits if hit.relevance >= _MIN_RELEVANCE]
    return sorted(found, key=_rank)


def _rank(hit: TemplateHit) -> tuple[float, bool, str]:
    """Sort by relevance; whole projects come first among equals."""
    return -hit.relevance, hit.template.category != "project", hit.template.uri


def _relevance(wanted: Sequence[str], template: Template) -> float:
    best = (
        max(
            _similarity(word, template.name_words),
            _DESCRIPTION_WEIGHT * _similarity(word, template.description_words),
        )
        for word in wanted
    )
    return sum(best) / len(wanted)


def _similarity(word: str, words: frozenset[str]) -> float:
    if word in words:
        return 1.0
    return max((_word_similarity(word, other) for other in words), default=0.0)


@lru_cache(maxsize=20_000)  # pure; a query meets the same few hundred words in every template
def _word_similarity(word: str, other: str) -> float:
    if len(word) >= _MIN_PREFIX_CHARS and other.startswith(word):
        return _PREFIX_SCORE
    alike = similarity(word, other)
    return alike if alike >= _MIN_SIMILARITY else 0.0


# How much two texts have in common.


def common_length(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the length of the longest common subsequence.

    Hyyrö, "Bit-parallel LCS-length computation revisited" (2004): a bit for each element of the
    one, so that each element of the other costs a few operations on one integer.
    """
    places: dict[Hashable, int] = {}
    for at, element in enumerate(one):
        places[element] = places.get(element, 0) | 1 << at
    every = (1 << len(one)) - 1
    row = every
    for element in other:
        matches = row & places.get(element, 0)
        row = (row + matches | row - matches) & every
    return len(one) - row.bit_count()


def similarity(one: str, other: str) -> float:
    """Return twice the common length as a share of both lengths, from 0 to 1."""
    total = len(one) + len(other)
    return 1 - (total - 2 * common_length(one, other)) / total if total else 1.0
