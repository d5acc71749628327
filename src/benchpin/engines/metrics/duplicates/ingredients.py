"""Semantic clones: functions made of the same ingredients, in whatever order and arrangement.

Of a function count its loops, choices, comparisons, operators, calls by name, literals, and how
often each of its variables is used, but not the variables' names. Ways to write the same are
counted as one: `for` and `while`, `a < b` and `b > a`, `n += 1` and `n = n + 1`. Similarity is the
share of ingredients that two functions have in common (Jaccard, of multisets).

This does not prove that functions do the same, nor does it find the same done by other means.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

from benchpin.core import Job
from benchpin.engines.source.facts import TokenKind
from benchpin.engines.source.index import FileFacts

from .corpus import Corpus, family_of
from .hashing import mix
from .minhash import candidate_pairs
from .near import Aligner, NearPair, Unit, overlap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Hashes, Places

LEAST_INGREDIENTS = 15
"""Functions of fewer are all alike."""
_LONGEST_LITERAL = 80
_QUOTES = b"'\"`"
_SAME = {
    "loop": "for while loop foreach do until repeat",
    "choice": "if elif elsif unless switch case match when ?",
    "less": "< >",
    "at most": "<= >=",
    "equal": "== === is eq",
    "unequal": "!= !== <>",
    "not": "not !",
    "and": "and && &&=",
    "or": "or || ||= ?? ??=",
    "+": "+ += ++",
    "-": "- -= --",
    "*": "* *=",
    "/": "/ /= //",
    "%": "% %=",
    "**": "** **=",
    "bits": "& | ^ ~ << >> &= |= ^= <<= >>=",
    "return": "return",
    "yield": "yield",
    "await": "await",
    "throw": "raise throw",
    "catch": "except catch rescue",
    "new": "new",
    "in": "in of",
    "break": "break",
    "continue": "continue next",
}
_INGREDIENTS = {word.encode(): name for name, words in _SAME.items() for word in words.split()}


def find_semantic(
    files: Sequence[FileFacts], corpus: Corpus, units: Sequence[Unit], threshold: float, job: Job
) -> Iterator[NearPair]:
    """Return functions with so many ingredients in common that are no gapped clones."""
    import numpy as np

    bags = _Bags()
    rich: list[int] = []
    sets: list[Hashes] = []
    for place, unit in enumerate(job.each(units, "functions")):
        elements = bags.of(files[unit.file], unit)
        if len(elements) >= LEAST_INGREDIENTS:
            rich.append(place)
            sets.append(elements)
    if len(rich) < 2:  # noqa: PLR2004 - a pair
        return
    sizes = np.array([len(elements) for elements in sets])
    starts = np.cumsum(sizes) - sizes
    pairs = candidate_pairs(np.concatenate(sets), starts, threshold)
    aligner = Aligner(corpus)
    known: dict[int, frozenset[int]] = {}
    for left, right in job.each(pairs, "pairs of functions"):
        few, many = sorted((len(sets[left]), len(sets[right])))
        if few < threshold * many:
            continue
        for at in (left, right):
            if at not in known:
                known[at] = frozenset(sets[at].tolist())
        shared = len(known[left] & known[right])
        similarity = shared / (few + many - shared)
        first, second = units[rich[left]], units[rich[right]]
        if similarity < threshold or overlap(first, second):
            continue
        if aligner.align(first, second)[0] < threshold and not aligner.is_renamed(first, second):
            yield NearPair(rich[left], rich[right], similarity)


class _Bags:
    """Makes the ingredients of functions into sets of numbers; the n-th of a kind has its own."""

    def __init__(self) -> None:
        number = count(1).__next__
        self._numbers: defaultdict[tuple[str, str, bytes], int] = defaultdict(number)
        self._file: FileFacts | None = None
        self._codes: NDArray[np.int64]
        self._calls: NDArray[np.int64]
        self._stream: Places
        self._kinds: NDArray[np.uint8]

    def of(self, file: FileFacts, unit: Unit) -> "Hashes":
        """Return the ingredients of a function."""
        import numpy as np

        if file is not self._file:
            self._open(file)
        function = file.outline.functions[unit.number]
        here = slice(function.first_token, function.last_token)
        stream = self._stream[here]
        is_call = self._calls[here].astype(np.bool_)
        own = function.name.rpartition(".")[2].encode()
        kinds = self._kinds[stream]
        named = np.flatnonzero(is_call)
        if len(named) and file.tokens.texts[int(stream[named[0]])] == own:
            is_call[named[0]] = False  # its own head
        calls = self._names[stream[is_call]]
        codes = self._codes[stream]
        variables = stream[(kinds == TokenKind.IDENTIFIER) & ~is_call]
        _, uses = np.unique(variables, return_counts=True)
        return _numbered(np.concatenate((codes[codes > 0], calls, -1 - uses.astype(np.int64))))

    def _open(self, file: FileFacts) -> None:
        import numpy as np

        self._file = file
        tokens, family = file.tokens, family_of(file.language)
        self._stream = np.frombuffer(tokens.stream, np.uint32).astype(np.int64)
        self._kinds = np.frombuffer(tokens.kinds, np.uint8)
        self._codes = np.zeros(len(tokens.texts), np.int64)
        self._names = np.zeros(len(tokens.texts), np.int64)
        opening = -1
        for at, (text, kind) in enumerate(zip(tokens.texts, tokens.kinds, strict=True)):
            if kind == TokenKind.IDENTIFIER:
                self._names[at] = self._numbers[family, "call", text]
            elif kind == TokenKind.LITERAL and len(text) <= _LONGEST_LITERAL:
                self._codes[at] = self._numbers[family, "literal", text.strip(_QUOTES)]
            elif text in _INGREDIENTS:
                self._codes[at] = self._numbers[family, _INGREDIENTS[text], b""]
            elif text == b"(":
                opening = at
        is_name = self._kinds[self._stream] == TokenKind.IDENTIFIER
        self._calls = np.zeros(len(self._stream), np.int64)
        self._calls[:-1] = is_name[:-1] & (self._stream[1:] == opening)


def _numbered(codes: "NDArray[np.int64]") -> "Hashes":
    """Tell like ingredients apart by counting them."""
    import numpy as np

    ordered = np.sort(codes)
    is_new = np.ones(len(ordered), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_new)
    nth = np.arange(len(ordered)) - np.repeat(starts, np.diff(np.append(starts, len(ordered))))
    return mix(mix(ordered) + nth.astype(np.uint64))
