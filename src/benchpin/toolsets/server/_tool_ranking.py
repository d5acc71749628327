"""Rank tools for a task: BM25 over what each tool says about itself.

Few short documents, so a library for search would cost more than it saves.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from math import log
from typing import cast

from benchpin.core import ToolDefinition
from benchpin.core.schema import Schema

_WORD = re.compile(r"[a-z0-9]+")
_FILE_NAME = re.compile(r"\w\.[a-z]{1,5}\b")
_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "s", "e", "y")
_LEAST_STEM = 3
_NOISE = frozenset(
    re.split(
        r"\s+",
        """a about all am an and any are as at be been by call called can could did do does find for
        from get give had has have how i if in into is it its just let like list look make me my
        need of on one or our out please put should show so some something tell than that the their
        them then there these they thing this to up us want was we were what when where which who
        why will with would you your""",
    )
)
"""Words that say nothing about the task."""
_SYNONYMS = (
    "note remark annotation comment sticky feedback",
    "delete remove rid drop discard trash throw kill erase",
    "edit change modify update bump set replace alter adjust tweak switch",
    "reword rephrase rewrite wording typo",
    "resolve done close finish settle tick dealt",
    "slow sluggish forever lag laggy crawl snappy snappier fast faster speed performance",
    "compare before after since worse better regression difference versus deploy deployment",
    "search grep where locate",
    "duplicate duplicated copy copied paste pasted clone repeat repeated",
    "unused dead orphan leftover obsolete unneeded",
    "complicated complex complexity messy mess spaghetti monster unreadable confusing",
    "bug defect fault break crash blow risk risky fragile",
    "document documentation docs readme manual",
    "history git commit blame author team touch touching quarter month week lately recently",
    "report presentation boss manager browser html pretty",
    "new create bootstrap init scaffold skeleton boilerplate starter",
    "dependency depend import coupling",
    "plot chart histogram pandas csv statistics calculate compute",
    "folder directory",
    "function method procedure",
    "query sql database mysql",
    "export save download dump",
    "import load read ingest",
    "limit threshold policy gate",
    "template skeleton starter",
)
"""Words that users have for the same thing."""
_NAME_WEIGHT = 3
_WORDS_WEIGHT = 2
_SATURATION = 1.2
_LENGTH_WEIGHT = 0.5
"""BM25's k1 and b; b is low because a tool with more to say is not less relevant."""


def rank_tools(tools: Sequence[ToolDefinition], task: str) -> list[tuple[float, ToolDefinition]]:
    """Return the tools that have something to do with a task, best first, with their scores."""
    documents = [_terms_of(tool) for tool in tools]
    frequency = Counter(term for document in documents for term in document)
    average = sum(map(Counter.total, documents)) / max(len(documents), 1)
    wanted = set(stems(task))
    scored = [
        (_score(document, wanted, frequency, len(documents), average), tool)
        for document, tool in zip(documents, tools, strict=True)
    ]
    found = [(score, tool) for score, tool in scored if score > 0]
    return sorted(found, key=lambda it: (-it[0], it[1].name))


def stems(text: str) -> list[str]:
    """Return the words of a text without their endings; words that say nothing are left out."""
    named = _FILE_NAME.sub(" file ", text.lower())
    return [_stem(word) for word in _WORD.findall(named) if word not in _NOISE]


def _terms_of(tool: ToolDefinition) -> Counter[str]:
    terms: Counter[str] = Counter()
    texts = ((tool.name, _NAME_WEIGHT), (tool.summary, _WORDS_WEIGHT), (tool.also, _WORDS_WEIGHT))
    for text, weight in texts:
        for term in stems(text.replace("_", " ")):
            terms[term] += weight
    for name, argument in cast("Mapping[str, Schema]", tool.schema["properties"]).items():
        terms.update(stems(f"{name.replace('_', ' ')} {argument.get('description', '')}"))
    return terms


def _score(
    document: Counter[str], wanted: set[str], frequency: Counter[str], total: int, average: float
) -> float:
    length = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * document.total() / average
    return sum(
        log(1 + (total - frequency[term] + 0.5) / (frequency[term] + 0.5))
        * document[term]
        * (_SATURATION + 1)
        / (document[term] + _SATURATION * length)
        for term in wanted & document.keys()
    )


def _stem(word: str) -> str:
    bare = _without_suffix(word)
    return _concepts().get(bare, bare)


@cache
def _concepts() -> dict[str, str]:
    """Return the first word of its group for each word that is in one."""
    return {
        _without_suffix(word): _without_suffix(group.split()[0])
        for group in reversed(_SYNONYMS)
        for word in group.split()
    }


def _without_suffix(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _LEAST_STEM:
            return word[: -len(suffix)]
    return word
