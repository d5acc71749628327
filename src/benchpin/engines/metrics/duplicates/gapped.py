"""Gapped clones: functions that are the same except for some lines.

Two functions are aligned line by line, ignoring names and literals. Similarity is the share of
tokens in aligned lines, less the names that do not correspond consistently.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, TypeVar

from benchpin.core import Job

from .corpus import Corpus
from .hashing import PartHashes, windows_of
from .minhash import candidate_pairs, signatures
from .token_arrays import NAME
from .weighted_sets import WeightedSets

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Hashes, Places

    T = TypeVar("T", bound=np.generic)

SHINGLE = 5
"""Tokens of a shingle: fewer are too common, more are lost around every changed line."""
_BORDER = 0.15
"""How much lower the similarity of shingles is: a changed line also changes those at its ends."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A function, by the positions of its tokens in the corpus."""

    name: str
    file: int
    start: int
    end: int
    number: int
    """Its number among the functions of the file."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Lines of the first and of the second function without a counterpart; 0 for none."""

    line: int
    end_line: int
    other_line: int
    other_end_line: int


@dataclass(frozen=True, slots=True)
class NearPair:
    """Two similar functions."""

    left: int
    right: int
    similarity: float
    gaps: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class NearPairs:
    """The similar functions that were found."""

    pairs: list[NearPair]
    uncompared: int = 0
    """How many pairs of functions were not compared, because too many are alike."""


def find_gapped(aligner: "Aligner", units: Sequence[Unit], threshold: float, job: Job) -> NearPairs:
    """Return pairs of functions at least so similar that are no renamed clones."""
    if not units:
        return NearPairs([])
    wanted = threshold / (2 - threshold) - _BORDER
    corpus = aligner.corpus
    if corpus.device is None:
        pairs, uncompared = candidate_pairs(_shingle_signatures(corpus, units), wanted)
    else:
        pairs, uncompared = corpus.device.candidate_pairs(*_shingles(corpus, units), wanted)
    # Without the order of lines the similarity can only be higher, and is found a hundred times
    # as fast.
    pairs = pairs[aligner.line_sets(units).dice(pairs) >= threshold]
    found: list[NearPair] = []
    for left, right in job.each(pairs.tolist(), "pairs of functions"):
        first, second = units[left], units[right]
        # The cheapest test first: alignment takes a hundred times as long as the others.
        if overlap(first, second) or aligner.is_renamed(first, second):
            continue
        similarity, gaps = aligner.align(first, second)
        if threshold <= similarity < 1:
            found.append(NearPair(left, right, similarity, gaps))
    return NearPairs(found, uncompared)


def _shingles(corpus: Corpus, units: Sequence[Unit]) -> "tuple[Hashes, Places]":
    """Return the shingles of functions one after the other, and where those of each begin."""
    import numpy as np

    return gather(
        windows_of(corpus.shapes, SHINGLE),
        np.array([unit.start for unit in units]),
        np.array([unit.end - SHINGLE + 1 for unit in units]),
    )


def _shingle_signatures(corpus: Corpus, units: Sequence[Unit]) -> "Hashes":
    """Return the signatures of the shingles of functions, which are in the order of files."""
    import numpy as np

    owners = np.array([unit.file for unit in units])
    starts = np.array([unit.start for unit in units])
    ends = np.array([unit.end - SHINGLE + 1 for unit in units])
    found: list[Hashes] = []
    for files in corpus.stretches():
        here = slice(*owners.searchsorted((files.start, files.stop)).tolist())
        if here.start < here.stop:
            begin, end = corpus.starts[[files.start, files.stop]].tolist()
            shingles = windows_of(corpus.shapes[begin:end], SHINGLE)
            found.append(signatures(*gather(shingles, starts[here] - begin, ends[here] - begin)))
    return np.concatenate(found, axis=1)


def overlap(first: Unit, second: Unit) -> bool:
    """Whether one function is inside the other."""
    return first.start < second.end and second.start < first.end


def gather(row: "NDArray[T]", starts: "Places", ends: "Places") -> "tuple[NDArray[T], Places]":
    """Return parts of an array one after the other, and where each begins."""
    import numpy as np

    sizes = ends - starts
    begins = np.cumsum(sizes) - sizes
    at = np.repeat(starts - begins, sizes) + np.arange(int(sizes.sum()))
    return row[at], begins


class Aligner:
    """Compares functions line by line."""

    def __init__(self, corpus: Corpus) -> None:
        import numpy as np

        self.corpus = corpus
        is_first = np.ones(len(corpus.lines), np.bool_)
        is_first[1:] = corpus.lines[1:] != corpus.lines[:-1]
        is_first[1:] |= corpus.tokens[:-1] < 0
        begins = np.flatnonzero(is_first)
        self._begins = np.append(begins, len(corpus.lines))
        self._hashes = _line_hashes(corpus, self._begins)
        self._known: dict[int, _Lines] = {}

    def line_sets(self, units: Sequence[Unit]) -> WeightedSets:
        """Return the lines of functions as sets; each weighs as much as it has tokens."""
        import numpy as np

        starts = np.array([unit.start for unit in units])
        ends = np.array([unit.end for unit in units])
        firsts = self._begins.searchsorted(starts, side="right") - 1
        lasts = self._begins.searchsorted(ends)
        hashes, begins = gather(self._hashes, firsts, lasts)
        sizes, _ = gather(np.diff(self._begins), firsts, lasts)
        return WeightedSets(hashes, sizes, begins)

    def align(self, first: Unit, second: Unit) -> tuple[float, tuple[Gap, ...]]:
        """Return the similarity of two functions, and the lines that only one of them has."""
        left, right = self._lines(first), self._lines(second)
        matcher = SequenceMatcher(None, left.hashes, right.hashes, autojunk=False)
        shared = 0
        names: Counter[tuple[int, int]] = Counter()
        gaps: list[Gap] = []
        for tag, i, i_end, j, j_end in matcher.get_opcodes():
            if tag == "equal":
                at, to = left.begins[i], right.begins[j]
                size = left.begins[i_end] - at
                shared += size
                self._count_names(names, at, to, size)
            else:
                gaps.append(Gap(*self._span(left, i, i_end), *self._span(right, j, j_end)))
        shared -= names.total() - _consistent(names)
        return 2 * shared / (left.total + right.total), tuple(gaps)

    def is_renamed(self, first: Unit, second: Unit) -> bool:
        """Whether both are the same up to names and literals."""
        shapes = self.corpus.shapes
        size = first.end - first.start
        return second.end - second.start == size and bool(
            (shapes[first.start : first.end] == shapes[second.start : second.end]).all()
        )

    def _count_names(self, names: Counter[tuple[int, int]], at: int, to: int, size: int) -> None:
        corpus = self.corpus
        here = corpus.shapes[at : at + size] == NAME
        left = corpus.tokens[at : at + size][here].tolist()
        names.update(zip(left, corpus.tokens[to : to + size][here].tolist(), strict=True))

    def _span(self, lines: "_Lines", first: int, end: int) -> tuple[int, int]:
        if first == end:
            return 0, 0
        corpus = self.corpus
        return (
            int(corpus.lines[lines.begins[first]]),
            int(corpus.end_lines[lines.begins[end] - 1]),
        )

    def _lines(self, unit: Unit) -> "_Lines":
        known = self._known.get(unit.start)
        if known is None:
            first = int(self._begins.searchsorted(unit.start, side="right")) - 1
            end = int(self._begins.searchsorted(unit.end))
            begins = self._begins[first : end + 1].tolist()
            known = self._known[unit.start] = _Lines(self._hashes[first:end].tolist(), begins)
        return known


def _line_hashes(corpus: Corpus, begins: "Places") -> "Hashes":
    """Return a hash of the shapes of each line; `begins` has where each begins, and the end."""
    import numpy as np

    found = [np.zeros(0, np.uint64)]
    for files in corpus.stretches():
        start, end = corpus.starts[[files.start, files.stop]].tolist()
        first, last = begins.searchsorted((start, end)).tolist()
        here = begins[first : last + 1] - start
        found.append(PartHashes(corpus.shapes[start:end]).hashes(here[:-1], np.diff(here)))
    return np.concatenate(found)


class _Lines:
    """The lines of one function, each by a hash of its shapes."""

    def __init__(self, hashes: list[int], begins: list[int]) -> None:
        self.hashes = hashes
        self.begins = begins
        """The position where each begins, and where the last one ends."""
        self.total = begins[-1] - begins[0]


def _consistent(names: Counter[tuple[int, int]]) -> int:
    """Count the names that correspond one to one, matching the most frequent pairs first."""
    lefts: set[int] = set()
    rights: set[int] = set()
    kept = 0
    for (left, right), count in sorted(names.items(), key=lambda it: (-it[1], it[0])):
        if left not in lefts and right not in rights:
            lefts.add(left)
            rights.add(right)
            kept += count
    return kept
