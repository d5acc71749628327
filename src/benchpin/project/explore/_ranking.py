"""Rank the definitions of a project for a question: BM25 over words, then what knows code.

No model and no weights of one: a word counts by how rare it is in the project itself. How much each
sign counts was found on axios, celery, click, gin, gson, ripgrep and syncthing; `bench/explore.py`
measures it on projects that were not looked at.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise
from math import log

from benchpin.measures.names import stem

from ._terms import (
    COUNT_BITS,
    GENERATED,
    KINDS,
    MAX_COUNT,
    SAMPLE,
    TEST,
    TermPart,
    TermTables,
    stems,
    stems_of_name,
)
from ._thesaurus import in_words_of_code, meaning_the_same

# How much an occurrence of a word counts: in the code, 1. Documentation counts little, for it is
# long where there is any, and most definitions have none.
_DOC, _NAME, _CONTAINER, _PATH = 0.25, 1.5, 0.8, 1.5
# BM25's k1 and b.
_SATURATION, _LENGTH = 1.2, 0.75
# How much the rarity of a word counts: one that only a comment has says less than its rarity.
_RARITY = 0.7
# What is added for a name that says all of the question, and one that says nothing else.
_COVERED, _COVERING = 0.4, 0.25
# What is added for documentation that says all of the question, from where it says this much.
_SAID, _SAYING = 0.5, 0.8
# What is added in the file that fits the question best.
_FILE = 0.65
# Occurrences at which a word counts half of what it can for a file.
_HALF_FILE = 5
_FACTORS = {SAMPLE: 0.15, TEST: 0.15, GENERATED: 0.3}
# A definition of one line decides less than one of thirty.
_LINES, _MAX_LINES = 0.05, 30
# Code outside of definitions, and a definition whose name the question has as it is.
_WHOLE_FILE, _EXACT = 0.3, 4.0
# `config` in a question is half of a `configuration`, and the other way round.
_BEGINNING = 0.5
# Another word for the one asked for; one that more definitions have than this part says nothing.
_ANOTHER, _MAX_ANOTHER = 0.4, 0.06
# A word by which questions ask, such as `decided`: code has it for other things.
_ASKING = 0.3
_ASKING_WORDS = frozenset(
    stem(it)
    for it in """
    again answers asks back come decided decides decision detail different done exactly find gets
    gives given goes handle happen happens kept look made makes mean means name need out part piece
    place places put question right sets somebody someone something takes taken tell thing things
    turns switches want way work works
    """.split()  # noqa: SIM905 - easier to read as a table
)
_MIN_BEGINNING_CHARS, _MAX_ENDING_CHARS = 4, 5
_NAME_OR_CALL = re.compile(r"\w++\(?+")
# `deleted after a test` asks about the code, `which tests check that` about tests.
_ABOUT_TESTS = re.compile(r"(?i)\b(?:tests|tested|testing|(?:which|what|where) test)\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A definition that may answer a question."""

    path: str
    name: str
    """Qualified; empty for the code of the file itself."""
    line: int
    end_line: int
    kind: int
    """Of its file: production, samples, tests, generated."""
    score: float
    is_named: bool = False
    """Whether the question has its name as it is."""


# How often a definition has a word: in its code, its documentation, its own name, the names of
# what it is in, its path. A list, not a class: a question makes a hundred thousand of them.
Hit = list[float]
BODY, DOC, NAME, CONTAINER, PATH = range(5)


class Terms:
    """The words of a project, ready for questions; definitions are numbered through all parts."""

    def __init__(self, tables: TermTables) -> None:
        self.parts: list[OpenPart] = []
        hidden, first = set(tables.gone), 0
        for part in reversed(tables.parts):
            self.parts.insert(0, OpenPart(part, frozenset(hidden)))
            hidden.update(part.paths)
        for opened in self.parts:
            opened.first = first
            first += len(opened.part.names)
        counting = [length for it in self.parts for length in it.counting()]
        self.count, self.files = len(counting), sum(it.files for it in self.parts)
        documented = [doc for _, doc in counting if doc]
        self.mean_body = max(sum(body for body, _ in counting) / max(self.count, 1), 1.0)
        self.mean_doc = max(sum(documented) / max(len(documented), 1), 1.0)

    def hits(self, word: str) -> dict[int, Hit]:
        """Return the definitions with a word."""
        found: dict[int, Hit] = {}
        for part in self.parts:
            part.add_hits(word, found)
        return found

    def related(self, word: str) -> set[str]:
        """Return the known words that a word begins with, and those that begin with it."""
        if len(word) < _MIN_BEGINNING_CHARS:
            return set()
        names = [it for part in self.parts for it in (part.part.words, part.part.named)]
        shortest = max(_MIN_BEGINNING_CHARS, len(word) - _MAX_ENDING_CHARS)
        shorter = {word[:end] for end in range(shortest, len(word))}
        found = {it for it in shorter if any(known.get(it) for known in names)}
        for known in names:
            longer = known.starting(word)
            found.update(it for it in longer if len(it) <= len(word) + _MAX_ENDING_CHARS)
        return found - {word}

    def at(self, number: int) -> "tuple[OpenPart, int]":
        """Return the part that has a definition, and its number there."""
        part = next(it for it in reversed(self.parts) if it.first <= number)
        return part, number - part.first

    def defined(self) -> set[str]:
        """Return the own names of all definitions."""
        return {it.rpartition(".")[2] for part in self.parts for it in part.part.names}


class OpenPart:
    """A part of the tables, and what is read from it once."""

    def __init__(self, part: TermPart, hidden: frozenset[str]) -> None:
        self.part = part
        self.first = 0
        self.ends = memoryview(part.ends).cast("I")
        self.lines = memoryview(part.lines).cast("I")
        self.bodies = memoryview(part.lengths).cast("I")[::2]
        self.docs: Sequence[int] = memoryview(part.lengths).cast("I")[1::2]
        self._hidden = {at for at, path in enumerate(part.paths) if path in hidden}
        self.files = len(part.paths) - len(self._hidden)

    def file_of(self, at: int) -> int:
        return bisect_right(self.ends, at)

    def counting(self) -> Iterator[tuple[int, int]]:
        """Yield the lengths of the definitions that count."""
        for file in range(len(self.part.paths)):
            if file not in self._hidden:
                for at in self._within(file):
                    yield self.bodies[at], self.docs[at]

    def _within(self, file: int) -> range:
        return range(self.ends[file - 1] if file else 0, self.ends[file])

    def add_hits(self, word: str, found: dict[int, Hit]) -> None:
        """Add the definitions with a word."""
        numbers, first = self.part.words.get(word), self.first
        for place in range(0, len(numbers), 2):
            at, counts = numbers[place], numbers[place + 1]
            if not self._hidden or self.file_of(at) not in self._hidden:
                body, doc = counts & MAX_COUNT, counts >> COUNT_BITS
                found[first + at] = [float(body), float(doc), 0.0, 0.0, 0.0]
        for at in self.part.named.get(word):
            if not self._hidden or self.file_of(at) not in self._hidden:
                hit = found.setdefault(first + at, [0.0] * 5)
                is_own = word in self.own_words(at)
                hit[NAME if is_own else CONTAINER] = 1.0
        for file in self.part.folders.get(word):
            for at in self._within(file):
                if first + at in found:  # a path alone makes no definition a candidate
                    found[first + at][PATH] = 1.0

    def own_words(self, at: int) -> set[str]:
        """Return the words of the last part of a name."""
        return set(stems_of_name(self.part.names[at].rpartition(".")[2]))


@dataclass(frozen=True, slots=True)
class Asked:
    """One word of a question, and where it is."""

    word: str
    weight: float
    hits: dict[int, Hit]
    is_known: bool
    alike: dict[str, float]
    """The words that count for it, itself among them, and how much an occurrence counts."""


def asked_words(terms: Terms, question: str) -> list[Asked]:
    """Return the words of a question, with those that begin alike counted as a part of them."""
    found = []
    written = set(stems(question))
    for word in dict.fromkeys(stems(in_words_of_code(question))):
        hits = terms.hits(word)
        if not hits and word not in written:  # a word that nobody said, and nothing has
            continue
        weight = log(1 + (terms.count - len(hits) + 0.5) / (len(hits) + 0.5)) ** _RARITY
        weight *= _ASKING if word in _ASKING_WORDS else 1.0
        is_known = bool(hits)
        alike = dict.fromkeys(sorted(terms.related(word)), _BEGINNING)
        alike = dict.fromkeys(sorted(meaning_the_same(word)), _ANOTHER) | alike
        for other, factor in list(alike.items()):
            also = terms.hits(other)
            if factor == _ANOTHER and len(also) > _MAX_ANOTHER * terms.count:
                del alike[other]
                continue
            for at, hit in also.items():
                known = hits.setdefault(at, [0.0] * 5)
                for field in (BODY, DOC):
                    known[field] += factor * hit[field]
                for field in (NAME, CONTAINER, PATH):
                    known[field] = max(known[field], factor * hit[field])
        found.append(Asked(word, weight, hits, is_known, {**alike, word: 1.0}))
    return found


def rank(
    terms: Terms,
    question: str,
    words: Sequence[Asked],
    limit: int,
    wanted: AbstractSet[int] = frozenset(KINDS),
) -> list[Candidate]:
    """Return the definitions that fit a question best, of files of some kinds."""
    scores: defaultdict[int, float] = defaultdict(float)
    covered: defaultdict[int, float] = defaultdict(float)
    own: defaultdict[int, float] = defaultdict(float)
    said: defaultdict[int, float] = defaultdict(float)
    files: defaultdict[tuple[int, int], float] = defaultdict(float)
    for asked in words:
        in_files: defaultdict[tuple[int, int], float] = defaultdict(float)
        for number, hit in asked.hits.items():
            part, at = terms.at(number)
            body = hit[BODY] / (1 - _LENGTH + _LENGTH * part.bodies[at] / terms.mean_body)
            doc = hit[DOC] / max(part.docs[at] / terms.mean_doc, 0.1)
            count = body + _DOC * doc + _NAME * hit[NAME]
            count += _CONTAINER * hit[CONTAINER] + _PATH * hit[PATH]
            scores[number] += asked.weight * count / (count + _SATURATION)
            if hit[DOC]:
                said[number] += asked.weight
            if hit[NAME]:
                covered[number] += asked.weight * hit[NAME]
                own[number] += hit[NAME]
            file = (part.first, part.file_of(at))
            in_files[file] += hit[BODY] + 2 * hit[DOC] + 3 * (hit[NAME] + hit[CONTAINER])
        for file, count in in_files.items():
            files[file] += asked.weight * count / (count + _HALF_FILE)
    all_weights = sum(it.weight for it in words) or 1.0
    best_file = max(files.values(), default=1.0) or 1.0
    exact = {it.rstrip("(").lower() for it in _NAME_OR_CALL.findall(question) if _is_identifier(it)}
    is_of_tests = wanted == {TEST} or _ABOUT_TESTS.search(question) is not None
    factors = {**_FACTORS, TEST: 1.0} if is_of_tests else _FACTORS
    found = []
    for number, relevance in scores.items():
        part, at = terms.at(number)
        name, file_at = part.part.names[at], part.file_of(at)
        if part.part.kinds[file_at] not in wanted:
            continue
        boost = 1 + _FILE * files[part.first, file_at] / best_file
        if number in own:
            boost *= 1 + _COVERED * covered[number] / all_weights
            boost *= 1 + _COVERING * own[number] / max(len(part.own_words(at)), 1)
        over = said[number] / all_weights - _SAYING
        boost *= 1 + _SAID * max(over, 0.0) / (1 - _SAYING)
        lines = part.lines[2 * at + 1] - part.lines[2 * at] + 1
        boost *= min(lines, _MAX_LINES) ** _LINES
        boost *= factors.get(part.part.kinds[file_at], 1.0) * (1.0 if name else _WHOLE_FILE)
        is_named = bool(exact) and name.rpartition(".")[2].lower() in exact
        found.append((relevance * boost * (_EXACT if is_named else 1.0), number, is_named))
    found.sort(key=lambda it: (-it[0], it[1]))
    return [_candidate(terms, *it) for it in found[:limit]]


def _is_identifier(word: str) -> bool:
    """Whether a word of a question is a name rather than English."""
    has_hump = any(one.islower() and other.isupper() for one, other in pairwise(word))
    return word.endswith("(") or "_" in word.strip("_") or has_hump


def _candidate(terms: Terms, score: float, number: int, is_named: bool) -> Candidate:  # noqa: FBT001
    part, at = terms.at(number)
    file = part.file_of(at)
    lines = part.lines[2 * at], part.lines[2 * at + 1]
    return Candidate(
        part.part.paths[file], part.part.names[at], *lines, part.part.kinds[file], score, is_named
    )
