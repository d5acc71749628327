"""Learn what the words of identifiers mean from the company that they keep in code and comments.

Words that stand near the same words get like vectors: positive pointwise mutual information,
then a truncated singular value decomposition, once for the identifiers in the order of the code
and once for the comments.

Words that fill the same gap of two names in one file (`minWidth`, `maxWidth`) are opposed: who
writes both there means two things by them. Near in meaning as they are, neither stands for the
other.

Nothing of the code is written but single words that occur in several projects, with their numbers.
"""

import argparse
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, SourceIndex, SourceQuery, TokenKind
from benchpin.measures.names import split_identifier

Floats = NDArray[np.float32]
Ids = NDArray[np.int32]

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_MAX_WORD_CHARS = 24
_MIN_OCCURRENCES = 15
_MIN_PROJECTS = 2
_MAX_WORDS = 20_000
_WINDOW = 5
_SMOOTHING = 0.75
"""Levy, Goldberg and Dagan, TACL 2015: contexts count by this power of their frequency."""
_EIGENVALUE_POWER = 0.5
_DIMENSIONS = 100
_OVERSAMPLING = 28
_POWER_ITERATIONS = 3
_COMMON_WORD = 1e-3
"""Arora, Liang and Ma, ICLR 2017: words more frequent than this say little."""
_MAX_WORDS_IN_NAME = 5
_MAX_GAP_WORDS = 12
_MIN_GAPS = 5
_MIN_CONTRAST = 0.02
_CHUNK = 4_000_000
_NONE = -1
_BREAK = (_NONE,) * _WINDOW


@dataclass(slots=True)
class Stream:
    """Words in their order, as numbers; a break between files and between comments."""

    words: dict[str, int] = field(default_factory=dict)
    parts: list[Ids] = field(default_factory=list)

    def add(self, words: Iterable[str]) -> None:
        """Append words, and a break after them."""
        known = self.words
        numbers = [known.setdefault(word, len(known)) for word in words]
        self.parts.append(np.array([*numbers, *_BREAK], dtype=np.int32))

    def numbered(self, vocabulary: dict[str, int]) -> Ids:
        """Return the words by their place in a vocabulary; those that are not in it leave gaps."""
        places = [vocabulary.get(word, _NONE) for word in self.words]
        return np.array([*places, _NONE], dtype=np.int32)[np.concatenate(self.parts)]

    def counts(self) -> Counter[str]:
        """Return how often each word occurs."""
        numbers = np.concatenate(self.parts)
        found = np.bincount(numbers[numbers >= 0], minlength=len(self.words))
        return Counter(dict(zip(self.words, found.tolist(), strict=True)))


@dataclass(slots=True)
class Gaps:
    """Gaps in names that several words fill in one file."""

    filled: Counter[str] = field(default_factory=Counter)
    """How many of them each word fills."""
    shared: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How many of them two words fill, which stand in order."""

    def add(self, names: Iterable[str]) -> None:
        """Add the gaps of the names of one file."""
        fillers: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for words in map(split_identifier, names):
            if 1 < len(words) <= _MAX_WORDS_IN_NAME:
                for place, word in enumerate(words):
                    fillers[*words[:place], "", *words[place + 1 :]].add(word)
        for words_here in fillers.values():
            if 1 < len(words_here) <= _MAX_GAP_WORDS:
                self.filled.update(words_here)
                self.shared.update(combinations(sorted(words_here), 2))

    def update(self, other: "Gaps") -> None:
        """Add the gaps of another project."""
        self.filled.update(other.filled)
        self.shared.update(other.shared)


@dataclass(frozen=True, slots=True)
class Project:
    """What one project has to say."""

    name: str
    files: int
    code: Stream
    comments: Stream
    gaps: Gaps


def read_project(root: Path, cache: Path) -> Project:
    """Read the identifiers and comments of a project that people wrote."""
    index = SourceIndex(root, cache)
    query = SourceQuery(sections=("outline", "comments", "tokens"))
    files = [file for file in index.read(query, Job()).files if not file.outline.is_generated]
    code, comments, gaps = Stream(), Stream(), Gaps()
    for file in files:
        names = _identifiers(file)
        code.add(_words_of(names))
        gaps.add(set(names))
        for comment in file.comments.comments:
            comments.add(_words_of(_IDENTIFIER.findall(comment.text)))
    index.close()
    return Project(root.name, len(files), code, comments, gaps)


def _identifiers(file: FileFacts) -> list[str]:
    tokens = file.tokens
    texts = [
        text.decode(errors="replace") if kind == TokenKind.IDENTIFIER else ""
        for text, kind in zip(tokens.texts, tokens.kinds, strict=True)
    ]
    return [texts[number] for number in tokens.indices() if texts[number]]


def _words_of(names: Iterable[str]) -> Iterator[str]:
    return (
        word for name in names for word in split_identifier(name) if len(word) < _MAX_WORD_CHARS
    )


def choose_vocabulary(projects: Sequence[Project]) -> Counter[str]:
    """Return the words to learn, the most frequent first, and how often they occur."""
    total: Counter[str] = Counter()
    holders: Counter[str] = Counter()
    for project in projects:
        counts = project.code.counts() + project.comments.counts()
        total.update(counts)
        holders.update(counts.keys())
    shared = {
        word: count
        for word, count in total.items()
        if count >= _MIN_OCCURRENCES and holders[word] >= _MIN_PROJECTS
    }
    ranked = sorted(shared.items(), key=lambda it: (-it[1], it[0]))
    return Counter(dict(ranked[:_MAX_WORDS]))


def count_neighbours(streams: Iterable[Ids], size: int) -> Floats:
    """Return how often words stand near one another, weighted by one over their distance."""
    together = np.zeros(size * size, dtype=np.float32)
    for stream in streams:
        for start in range(0, len(stream), _CHUNK):
            chunk = stream[start : start + _CHUNK].astype(np.int64)
            for distance in range(1, _WINDOW + 1):
                left, right = chunk[:-distance], chunk[distance:]
                both = (left >= 0) & (right >= 0)
                places, counts = np.unique(left[both] * size + right[both], return_counts=True)
                together[places] += (counts / distance).astype(np.float32)
    square = together.reshape(size, size)
    return square + square.T


def weigh(together: Floats) -> Floats:
    """Return the positive pointwise mutual information, contexts smoothed."""
    sums = together.sum(axis=1, dtype=np.float64)
    contexts = sums**_SMOOTHING
    scale = (contexts / contexts.sum()).astype(np.float32)
    for row, total in zip(together, sums.astype(np.float32), strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            row[:] = np.log(row / (total * scale))
        row[~(row > 0)] = 0
    return together


def reduce_dimensions(weighted: Floats) -> Floats:
    """Return a few numbers for each word, of length one, by a randomised decomposition."""
    random = np.random.default_rng(0)
    width = _DIMENSIONS + _OVERSAMPLING
    basis = random.standard_normal((len(weighted), width), dtype=np.float32)
    for _ in range(_POWER_ITERATIONS):
        basis, _ = np.linalg.qr(weighted @ basis)
        basis, _ = np.linalg.qr(weighted.T @ basis)
    left, values, _ = np.linalg.svd(weighted @ basis, full_matrices=False)
    vectors = left[:, :_DIMENSIONS] * values[:_DIMENSIONS] ** _EIGENVALUE_POWER
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-9), dtype=np.float32)


def learn(streams: Iterable[Stream], vocabulary: Counter[str]) -> Floats:
    """Return the vectors of words, learned from some streams."""
    places = {word: place for place, word in enumerate(vocabulary)}
    numbered = (stream.numbered(places) for stream in streams)
    return reduce_dimensions(weigh(count_neighbours(numbered, len(places))))


def oppose(projects: Iterable[Project], vocabulary: Counter[str]) -> list[tuple[int, int, float]]:
    """Return words that are opposed by their places, and how much: the share of gaps they share."""
    gaps = Gaps()
    for project in projects:
        gaps.update(project.gaps)
    places = {word: place for place, word in enumerate(vocabulary)}
    found = [
        (places[one], places[two], count / math.sqrt(gaps.filled[one] * gaps.filled[two]))
        for (one, two), count in gaps.shared.items()
        if count >= _MIN_GAPS and one in places and two in places
    ]
    return sorted(it for it in found if it[2] >= _MIN_CONTRAST)


def quantize(vectors: Floats) -> NDArray[np.int8]:
    """Return vectors as bytes; only their directions matter."""
    return np.asarray(np.round(vectors * (127 / np.abs(vectors).max())), dtype=np.int8)


def tell(vocabulary: Counter[str]) -> Floats:
    """Return how much each word says: nearly nothing when it is everywhere, 1 when it is rare."""
    frequencies = np.array(list(vocabulary.values())) / vocabulary.total()
    return np.asarray(_COMMON_WORD / (_COMMON_WORD + frequencies), dtype=np.float32)


def main() -> None:
    """Train on the projects that are named, and say what they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("projects", nargs="+", type=Path, help="folders with permissive licences")
    parser.add_argument("--cache", type=Path, required=True, help="where to keep facts")
    parser.add_argument("--out", type=Path, required=True, help="vectors.npz of the package")
    given = parser.parse_args()
    projects = [read_project(root.resolve(), given.cache) for root in given.projects]
    for it in projects:
        code, comments = (stream.counts().total() for stream in (it.code, it.comments))
        print(f"| {it.name} | {it.files:,} | {code:,} | {comments:,} |", flush=True)
    vocabulary = choose_vocabulary(projects)
    opposed = np.array(oppose(projects, vocabulary))
    np.savez_compressed(
        given.out,
        words=np.frombuffer("\n".join(vocabulary).encode(), dtype=np.uint8),
        telling=tell(vocabulary),
        code=quantize(learn((it.code for it in projects), vocabulary)),
        comments=quantize(learn((it.comments for it in projects), vocabulary)),
        opposed=opposed[:, :2].astype(np.int32),
        contrast=np.round(opposed[:, 2] * 255).astype(np.uint8),
    )
    size = given.out.stat().st_size / 2**20
    print(f"{len(vocabulary):,} words, {len(opposed):,} opposed pairs, {size:.1f} MB")


if __name__ == "__main__":
    main()
