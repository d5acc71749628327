"""Functions side by side, line by line, ignoring names and literals.

Similarity is the share of tokens in aligned lines, less the names that do not correspond
consistently.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Function

from ._copies import Minimum
from ._corpus import Corpus, gather
from ._hashing import PartHashes
from ._ingredients import ingredient_codes
from ._minhash import WeightedSets
from ._token_arrays import NAME

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Hashes, Ids, Places

# Longer functions are not aligned: the time grows with the square of the lines.
MAX_LINES = 500
_PAIRS_AT_ONCE = 1 << 13


class Functions(NamedTuple):
    """Functions, in the order of files."""

    files: "Places"
    """The number of the file of each."""
    numbers: "Places"
    """Its number among the functions of the file."""


class FunctionCorpus:
    """The tokens of some files, and what the functions in them are compared by."""

    def __init__(self, files: Sequence[FileFacts], corpus: Corpus, job: Job) -> None:
        self.files = files
        self.corpus = corpus
        self.job = job

    def functions(self, minimum: Minimum) -> Functions:
        """Return the functions of a size that is compared."""
        import numpy as np

        found = [
            (at, number)
            for at, size in enumerate(np.diff(self.corpus.starts).tolist())
            for number, it in enumerate(self.files[at].outline.functions)
            if minimum.lines <= it.code_lines <= MAX_LINES
            and it.last_token - it.first_token >= minimum.window
            and it.last_token < size
        ]
        rows = np.array(found, np.int64).reshape(-1, 2)
        return Functions(rows[:, 0], rows[:, 1])

    def aligner(self, functions: Functions) -> "Aligner":
        """Return what compares some functions."""
        return Aligner(self, functions)

    @cached_property
    def line_begins(self) -> "Places":
        """The positions where lines begin, and the end."""
        import numpy as np

        return np.append(self.corpus.lines.begins, len(self.corpus.tokens))

    @cached_property
    def line_hashes(self) -> "Hashes":
        """A hash of the shapes of each line."""
        import numpy as np

        corpus, begins = self.corpus, self.line_begins
        found = [np.zeros(0, np.uint64)]
        for files in corpus.stretches():
            start, end = corpus.starts[[files.start, files.stop]].tolist()
            first, last = begins.searchsorted((start, end)).tolist()
            here = begins[first : last + 1] - start
            found.append(PartHashes(corpus.shapes[start:end]).hashes(here[:-1], np.diff(here)))
        return np.concatenate(found)

    @cached_property
    def ingredients(self) -> "Ids":
        """The ingredient of each token, for semantic clones."""
        return ingredient_codes(self.files, self.corpus, self.job)


@dataclass(frozen=True, slots=True)
class Gap:
    """Lines of the first and of the second function without a counterpart; 0 for none."""

    line: int
    end_line: int
    other_line: int
    other_end_line: int


class Aligner:
    """Compares functions, by their numbers here."""

    def __init__(self, sources: FunctionCorpus, functions: Functions) -> None:
        import numpy as np

        self.corpus = sources.corpus
        self.files = functions.files
        self._facts = sources.files
        self._functions = functions
        rows = [self.fact(at) for at in range(len(functions.files))]
        tokens = np.array([(it.first_token, it.last_token) for it in rows], np.int64)
        begins = self.corpus.starts[functions.files]
        self.starts: Places = begins + tokens.reshape(-1, 2)[:, 0]
        self.ends: Places = begins + tokens.reshape(-1, 2)[:, 1]
        self._begins = sources.line_begins
        self._hashes = sources.line_hashes
        self._first_lines: Places = self._begins.searchsorted(self.starts, side="right") - 1
        self._end_lines: Places = self._begins.searchsorted(self.ends)
        self._known: dict[int, _Lines] = {}

    def fact(self, number: int) -> Function:
        """Return what is known of a function."""
        file = self._facts[int(self._functions.files[number])]
        return file.outline.functions[int(self._functions.numbers[number])]

    @cached_property
    def _line_sets(self) -> WeightedSets:
        """The lines of functions as sets; each weighs as much as it has tokens."""
        import numpy as np

        hashes, begins = gather(self._hashes, self._first_lines, self._end_lines)
        sizes, _ = gather(np.diff(self._begins), self._first_lines, self._end_lines)
        return WeightedSets(hashes, sizes, begins)

    def at_most(self, pairs: "Places") -> "NDArray[np.float64]":
        """Return how similar pairs can be at most: without the order of lines, and names."""
        return self._line_sets.dice(pairs)

    def are_comparable(self, pairs: "Places") -> "NDArray[np.bool_]":
        """Return which pairs are neither one inside the other, nor the same up to names."""
        import numpy as np

        left, right = pairs.T
        is_kept: NDArray[np.bool_] = self.starts[left] >= self.ends[right]
        is_kept |= self.starts[right] >= self.ends[left]
        sizes: Places = self.ends - self.starts
        equal = np.flatnonzero(is_kept & (sizes[left] == sizes[right]))
        shapes = self.corpus.shapes
        for at in range(0, len(equal), _PAIRS_AT_ONCE):
            some = equal[at : at + _PAIRS_AT_ONCE]
            here, begins = gather(shapes, self.starts[left[some]], self.ends[left[some]])
            there, _ = gather(shapes, self.starts[right[some]], self.ends[right[some]])
            is_kept[some] = ~np.logical_and.reduceat(here == there, begins)
        return is_kept

    def align(self, first: int, second: int) -> tuple[float, tuple[Gap, ...]]:
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

    def _count_names(self, names: Counter[tuple[int, int]], at: int, to: int, size: int) -> None:
        corpus = self.corpus
        here = corpus.shapes[at : at + size] == NAME
        left = corpus.tokens[at : at + size][here].tolist()
        names.update(zip(left, corpus.tokens[to : to + size][here].tolist(), strict=True))

    def _span(self, lines: "_Lines", first: int, end: int) -> tuple[int, int]:
        if first == end:
            return 0, 0
        return self.corpus.lines.span(lines.begins[first], lines.begins[end])

    def _lines(self, number: int) -> "_Lines":
        known = self._known.get(number)
        if known is None:
            first, end = int(self._first_lines[number]), int(self._end_lines[number])
            begins = self._begins[first : end + 1].tolist()
            known = self._known[number] = _Lines(self._hashes[first:end].tolist(), begins)
        return known


class _Lines:
    """The lines of one function, each by a hash of its shapes."""

    def __init__(self, hashes: list[int], begins: list[int]) -> None:
        self.hashes = hashes
        self.begins = begins
        """The position where each begins, and where the last one ends."""
        self.total = begins[-1] - begins[0]


def _consistent(names: Counter[tuple[int, int]]) -> int:
    """Count the names that correspond one to one, matching the most frequent pairs first.

    Of those that are as frequent, the one that comes first in the functions: the numbers of names
    depend on the other files.
    """
    lefts: set[int] = set()
    rights: set[int] = set()
    kept = 0
    for (left, right), count in names.most_common():
        if left not in lefts and right not in rights:
            lefts.add(left)
            rights.add(right)
            kept += count
    return kept
