"""Find templates by words, misspelt ones included."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from .model import Template

_WORDS = re.compile(r"[a-z0-9+]+")
_WEIGHT_OF_DESCRIPTION = 0.8
_LEAST_LIKENESS = 70.0
_LEAST_SCORE = 0.5
_BEGINNING = 0.9
_LEAST_BEGINNING = 3
_NOISE = frozenset({"a", "an", "and", "for", "of", "template", "the", "with"})


@dataclass(frozen=True, slots=True)
class Hit:
    """A template, and how well it fits, from 0 to 1."""

    template: Template
    relevance: float


def search(templates: Sequence[Template], query: str) -> list[Hit]:
    """Return the templates that fit a query, the best first.

    Each word counts with the likeness of the word of the template that is most like it; words of
    the description count less than those of the URI, the title and the tags.
    """
    words = _words(query)
    wanted = [word for word in words if word not in _NOISE] or words
    if not wanted:
        return []
    hits = [Hit(it, round(_relevance(wanted, it), 4)) for it in templates]
    found = [hit for hit in hits if hit.relevance >= _LEAST_SCORE]
    return sorted(found, key=_rank)


def _rank(hit: Hit) -> tuple[float, bool, str]:
    """Put the best first; of equals, whole projects."""
    return -hit.relevance, hit.template.category != "project", hit.template.uri


def _relevance(wanted: Sequence[str], template: Template) -> float:
    names, description = _vocabulary(template)
    best = (
        max(_likeness(word, names), _WEIGHT_OF_DESCRIPTION * _likeness(word, description))
        for word in wanted
    )
    return sum(best) / len(wanted)


def _likeness(word: str, words: frozenset[str]) -> float:
    if word in words:
        return 1.0
    return max((_alike(word, other) for other in words), default=0.0)


@lru_cache(maxsize=20_000)
def _alike(word: str, other: str) -> float:
    from rapidfuzz import fuzz

    if len(word) >= _LEAST_BEGINNING and other.startswith(word):
        return _BEGINNING
    ratio = fuzz.ratio(word, other)
    return ratio / 100 if ratio >= _LEAST_LIKENESS else 0.0


@lru_cache(maxsize=2_000)
def _vocabulary(template: Template) -> tuple[frozenset[str], frozenset[str]]:
    names = (template.category, template.toolchain, template.variant, template.title)
    return (
        frozenset(word for text in (*names, *template.tags) for word in _words(text)),
        frozenset(_words(template.description)),
    )


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.lower())
