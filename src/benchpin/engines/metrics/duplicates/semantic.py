"""Semantic clones: functions made of the same ingredients, in any order.

The ingredients of a function are its loops, branches, comparisons, operators, calls by name,
literals, and how often each variable is used, whatever its name. Different spellings count as one:
`for` and `while`, `a < b` and `b > a`, `n += 1` and `n = n + 1`. Similarity is the Jaccard
similarity of the multisets of ingredients.

It does not prove that two functions do the same, nor does it find the same done by other means.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from benchpin.core import Job
from benchpin.engines.source.facts import TokenKind
from benchpin.engines.source.index import FileFacts

from .corpus import Corpus
from .gapped import Aligner, NearPair, NearPairs, Unit, gather, overlap
from .hashing import mix
from .minhash import candidate_pairs, signatures
from .token_arrays import family_of
from .weighted_sets import WeightedSets

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Hashes, Ids

    Codes = NDArray[np.int64]

LEAST_INGREDIENTS = 15
"""Functions with fewer are too similar to one another."""
_LONGEST_LITERAL = 80
"""Longer literals are texts, which say nothing about what code does."""
_USES = 1 << 31
"""Added to the number of uses of a variable, so that it differs from all other ingredients."""
_AT_ONCE = 4_096
"""How many functions are processed at once."""
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
    files: Sequence[FileFacts], aligner: Aligner, units: Sequence[Unit], threshold: float, job: Job
) -> NearPairs:
    """Return pairs of functions at least so similar that are no gapped clones."""
    corpus = aligner.corpus
    rich = _ingredients(_ingredient_codes(files, corpus, job), units)
    elements, starts = rich.elements, rich.starts[:-1]
    if corpus.device is None:
        pairs, uncompared = candidate_pairs(signatures(elements, starts), threshold)
    else:
        pairs, uncompared = corpus.device.candidate_pairs(elements, starts, threshold)
    if not len(pairs):
        return NearPairs([], uncompared)
    similarities = rich.similarities(pairs)
    is_similar = similarities >= threshold
    similar = zip(pairs[is_similar].tolist(), similarities[is_similar].tolist(), strict=True)
    found: list[NearPair] = []
    for (left, right), similarity in job.each(list(similar), "pairs of functions"):
        one, other = int(rich.units[left]), int(rich.units[right])
        if overlap(units[one], units[other]) or aligner.is_renamed(units[one], units[other]):
            continue
        if aligner.align(units[one], units[other])[0] < threshold:
            found.append(NearPair(one, other, similarity))
    return NearPairs(found, uncompared)


def _ingredient_codes(files: Sequence[FileFacts], corpus: Corpus, job: Job) -> "Ids":
    """Return the ingredient of each token.

    Above zero: an operator, a literal or the name of a call. Below zero: a variable. Zero: none.
    """
    import numpy as np

    number = count(1).__next__
    numbers: defaultdict[tuple[str, str, bytes], int] = defaultdict(number)
    row = np.zeros(len(corpus.tokens), np.int32)
    here = corpus.starts.tolist()
    compared = files[: len(corpus.paths)]
    for file, start, end in zip(job.each(compared, "files"), here, here[1:], strict=False):
        row[start : end - 1] = _codes(file, numbers)[: end - 1 - start]
    return row


def _codes(file: FileFacts, numbers: "defaultdict[tuple[str, str, bytes], int]") -> "Codes":
    import numpy as np

    tokens, family = file.tokens, family_of(file.language)
    codes, calls = (np.zeros(len(tokens.texts), np.int64) for _ in range(2))
    opening = -1
    for at, (text, kind) in enumerate(zip(tokens.texts, tokens.kinds, strict=True)):
        if kind == TokenKind.IDENTIFIER:
            codes[at] = -1 - at
            calls[at] = numbers[family, "call", text]
        elif kind == TokenKind.LITERAL and len(text) <= _LONGEST_LITERAL:
            codes[at] = numbers[family, "literal", text.strip(_QUOTES)]
        elif text in _INGREDIENTS:
            codes[at] = numbers[family, _INGREDIENTS[text], b""]
        elif text == b"(":
            opening = at
    stream = np.frombuffer(tokens.stream, np.uint32).astype(np.int64)
    found = codes[stream]
    called = np.flatnonzero((found[:-1] < 0) & (stream[1:] == opening))
    found[called] = calls[stream[called]]
    for function in file.outline.functions:  # `def name(` is no call
        own = function.name.rpartition(".")[2].encode()
        first = called[called.searchsorted(function.first_token) :][:1].tolist()
        if first and tokens.texts[int(stream[first[0]])] == own:
            found[first[0]] = 0
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Ingredients:
    """The ingredients of the functions that have enough of them, as hashes."""

    units: "Codes"
    """The numbers of these functions."""
    elements: "Hashes"
    starts: "Codes"
    """Where the elements of each function begin, and those of the last one end."""

    def similarities(self, pairs: "Codes") -> "NDArray[np.float64]":
        """Return the Jaccard similarity of each pair; only functions in pairs are looked at."""
        import numpy as np

        paired, numbers = np.unique(pairs, return_inverse=True)
        elements, starts = gather(self.elements, self.starts[paired], self.starts[paired + 1])
        sets = WeightedSets(elements, np.ones(len(elements), np.int64), starts)
        return sets.jaccard(numbers.reshape(pairs.shape))


def _ingredients(row: "Ids", units: Sequence[Unit]) -> _Ingredients:
    """Return the ingredients of all functions; some functions at a time, to bound the memory."""
    import numpy as np

    kept = [np.zeros(0, np.int64)]
    sizes = [np.zeros(0, np.int64)]
    hashes = [np.zeros(0, np.uint64)]
    for first in range(0, len(units), _AT_ONCE):
        elements, owners = _elements(row, units[first : first + _AT_ONCE])
        counts = np.bincount(owners)
        rich = np.flatnonzero(counts >= LEAST_INGREDIENTS)
        kept.append(rich + first)
        sizes.append(counts[rich])
        hashes.append(elements[counts[owners] >= LEAST_INGREDIENTS])
    starts = np.append(0, np.cumsum(np.concatenate(sizes)))
    return _Ingredients(np.concatenate(kept), np.concatenate(hashes), starts)


def _elements(row: "Ids", units: Sequence[Unit]) -> "tuple[Hashes, Codes]":
    """Return the ingredients of functions as hashes, and the function of each.

    An ingredient that occurs n times in a function makes n different hashes: a multiset as a set.
    """
    import numpy as np

    starts = np.array([unit.start for unit in units], np.int64)
    ends = np.array([unit.end for unit in units], np.int64)
    codes = gather(row, starts, ends)[0].astype(np.int64)
    owners = np.repeat(np.arange(len(units)), ends - starts)
    is_variable = codes < 0
    variables, uses = np.unique(
        (owners[is_variable] << 32) | -codes[is_variable], return_counts=True
    )
    is_other = codes > 0
    marked = np.concatenate(
        (
            (owners[is_other] << 32) | codes[is_other],
            ((variables >> 32) << 32) | (_USES + uses),
        )
    )
    marked.sort()
    is_new = np.ones(len(marked), np.bool_)
    is_new[1:] = marked[1:] != marked[:-1]
    begins = np.flatnonzero(is_new)
    nth = np.arange(len(marked)) - np.repeat(begins, np.diff(np.append(begins, len(marked))))
    elements = mix(mix(marked & 0xFFFF_FFFF) + nth.astype(np.uint64))
    return elements, marked >> 32
