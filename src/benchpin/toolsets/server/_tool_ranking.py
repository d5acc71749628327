"""Rank tools for a task: BM25 over what each tool says about itself.

Few short documents, so a library for search would cost more than it saves.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from math import log
from typing import cast

from benchpin.core.tools import Schema, ToolDefinition
from benchpin.measures.names import stem

_WORD = re.compile(r"[a-z0-9]+")
# What makes a dotted word the name of a file; others, such as requests.get, name code.
_FILE_ENDINGS = frozenset(
    re.split(
        r"\s+",
        """bash c cc cfg conf cpp cs css csv dart env ex go gz h hpp html ini java js json jsx kt
        lock log lua md php pl png proto py r rb rs rst scala scss sh sql svg swift tf toml ts tsx
        txt vue xml yaml yml zip""",
    )
)
_CAMEL = re.compile(r"[a-z][A-Z]")
_MARKS = ".,;:!?\"'`"
# What a task with an identifier is about; the parts of its name say nothing about the task.
_ABOUT_CODE = ("symbol", "text")
# Words that say nothing about the task.
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
# Words that users have for the same thing.
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
_NAME_WEIGHT = 3.0
_WORDS_WEIGHT = 2.0
_ARGUMENT_WEIGHT = 0.5
_SYNONYM_WEIGHT = 0.7
_ABOUT_CODE_WEIGHT = 0.5
_SATURATION = 1.2
# BM25's k1 and b; b is low because a tool with more to say is not less relevant.
_LENGTH_WEIGHT = 0.5


def rank_tools(tools: Sequence[ToolDefinition], task: str) -> list[tuple[float, ToolDefinition]]:
    """Return the tools that have something to do with a task, best first, with their scores."""
    documents = [_terms_of(tool) for tool in tools]
    frequency = Counter(term for document in documents for term in document)
    average = sum(sum(it.values()) for it in documents) / max(len(documents), 1)
    wanted = wanted_terms(task)
    scored = [
        (_score(document, wanted, frequency, len(documents), average), tool)
        for document, tool in zip(documents, tools, strict=True)
    ]
    found = [(score, tool) for score, tool in scored if score > 0]
    return sorted(found, key=lambda it: (-it[0], it[1].name))


def stems(text: str) -> list[str]:
    """Return the words of a text without their endings; words that say nothing are left out."""
    return [stem(word) for word in _WORD.findall(text.lower()) if word not in _NOISE]


def wanted_terms(task: str) -> dict[str, float]:
    """Return the terms of a task, with their weights."""
    words, names_code = [], False
    for token in task.split():
        bare = token.strip(_MARKS)
        stem, dot, ending = bare.rpartition(".")
        if stem and dot and ending.lower() in _FILE_ENDINGS:
            words.append("file")
        elif _is_identifier(bare):
            names_code = True
        else:
            words.append(token)
    wanted = dict.fromkeys(_ABOUT_CODE, _ABOUT_CODE_WEIGHT) if names_code else {}
    wanted |= dict.fromkeys(stems(" ".join(words)), 1.0)
    return {**wanted, "glob": 1.0} if "*" in task else wanted


def _is_identifier(word: str) -> bool:
    name = word.rstrip("()")
    return name != word or "_" in name.strip("_") or "." in name or bool(_CAMEL.search(name))


def _terms_of(tool: ToolDefinition) -> dict[str, float]:
    terms: defaultdict[str, float] = defaultdict(float)
    texts = [
        (tool.name.replace("_", " "), _NAME_WEIGHT),
        (tool.summary, _WORDS_WEIGHT),
        (tool.also, _WORDS_WEIGHT),
    ]
    for name, argument in cast("Mapping[str, Schema]", tool.schema["properties"]).items():
        about = f"{name.replace('_', ' ')} {argument.get('description', '')}"
        texts.append((about, _ARGUMENT_WEIGHT))
    for text, weight in texts:
        for term in stems(text):
            terms[term] += weight
    return terms


def _score(
    document: Mapping[str, float],
    wanted: Mapping[str, float],
    frequency: Counter[str],
    total: int,
    average: float,
) -> float:
    length = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * sum(document.values()) / average

    def relevance(term: str) -> float:
        count = document.get(term, 0.0)
        rarity = log(1 + (total - frequency[term] + 0.5) / (frequency[term] + 0.5))
        return rarity * count * (_SATURATION + 1) / (count + _SATURATION * length)

    # A word counts as itself or as a synonym, whichever fits better, so that none counts twice.
    return sum(
        weight
        * max(
            relevance(term),
            *(_SYNONYM_WEIGHT * relevance(it) for it in _synonyms().get(term, ("",))),
        )
        for term, weight in wanted.items()
    )


@cache
def _synonyms() -> dict[str, frozenset[str]]:
    """Return the other words of its groups for each word that is in one."""
    groups = [frozenset(map(stem, group.split())) for group in _SYNONYMS]
    known = frozenset().union(*groups)
    return {
        word: frozenset().union(*(it for it in groups if word in it)) - {word} for word in known
    }
