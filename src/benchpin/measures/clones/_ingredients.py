"""What functions are made of: the sets that semantic clones have in common."""

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING
from zlib import crc32

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, TokenKind
from benchpin.facts.languages import kin_of

from ._corpus import Corpus, gather
from ._hashing import mix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Hashes, Ids, Places

    Codes = NDArray[np.int64]

# Longer literals are texts, which say nothing about what code does.
_MAX_LITERAL_BYTES = 80
# Added to the number of uses of a variable, so that it differs from all other ingredients.
_USES = 1 << 31
_MAX_CODE = _USES - 1
# How many functions are processed at once, to bound the memory.
FUNCTIONS_AT_ONCE = 4_096
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
_INGREDIENTS = {
    word.encode(): name.encode() for name, words in _SAME.items() for word in words.split()
}


def ingredient_codes(files: Sequence[FileFacts], corpus: Corpus, job: Job) -> "Ids":
    """Return the ingredient of each token.

    Above zero: an operator, a literal or the name of a call, by a number that depends only on its
    text and family of languages. Below zero: a variable. Zero: none.
    """
    import numpy as np

    row = np.zeros(len(corpus.tokens), np.int32)
    here = corpus.starts.tolist()
    compared = files[: len(corpus.paths)]
    for file, start, end in zip(job.each(compared, "files"), here, here[1:], strict=False):
        row[start : end - 1] = _codes(file, kin_of(file.language))[: end - 1 - start]
    return row


def _hashed(texts: Iterable[bytes], family: str, role: str) -> "Codes":
    """Return a number above zero for each text."""
    import numpy as np

    seed = crc32(f"{family} {role}".encode())
    found = np.fromiter(map(crc32, texts, repeat(seed)), np.int64) & _MAX_CODE
    found[found == 0] = 1
    return found


def _codes(file: FileFacts, family: str) -> "Codes":
    import numpy as np

    tokens = file.tokens
    texts, kinds = tokens.texts, np.frombuffer(tokens.kinds, np.uint8)
    codes, calls = (np.zeros(len(texts), np.int64) for _ in range(2))
    names = np.flatnonzero(kinds == TokenKind.IDENTIFIER)
    codes[names] = -1 - names
    calls[names] = _hashed(map(texts.__getitem__, names.tolist()), family, "call")
    literals = np.flatnonzero(kinds == TokenKind.LITERAL).tolist()
    literals = [at for at in literals if len(texts[at]) <= _MAX_LITERAL_BYTES]
    codes[literals] = _hashed((texts[at].strip(_QUOTES) for at in literals), family, "literal")
    others = np.flatnonzero(kinds == TokenKind.OPERATOR).tolist()
    operators = [at for at in others if texts[at] in _INGREDIENTS]
    codes[operators] = _hashed((_INGREDIENTS[texts[at]] for at in operators), family, "operator")
    opening = next((at for at in others if texts[at] == b"("), -1)
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


def ingredients_of(row: "Ids", starts: "Places", ends: "Places") -> "tuple[Hashes, Codes]":
    """Return the ingredients of functions as hashes, and the function of each.

    An ingredient that occurs n times in a function makes n different hashes: a multiset as a set.
    """
    import numpy as np

    elements = [np.zeros(0, np.uint64)]
    owners = [np.zeros(0, np.int64)]
    for first in range(0, len(starts), FUNCTIONS_AT_ONCE):
        here = slice(first, first + FUNCTIONS_AT_ONCE)
        marked = _marked(row, starts[here], ends[here])
        is_new = np.ones(len(marked), np.bool_)
        is_new[1:] = marked[1:] != marked[:-1]
        begins = np.flatnonzero(is_new)
        nth = np.arange(len(marked)) - np.repeat(begins, np.diff(np.append(begins, len(marked))))
        elements.append(mix(mix(marked & 0xFFFF_FFFF) + nth.astype(np.uint64)))
        owners.append((marked >> 32) + first)
    return np.concatenate(elements), np.concatenate(owners)


def _marked(row: "Ids", starts: "Places", ends: "Places") -> "Codes":
    """Return the ingredients of functions in order, each with the number of its function above."""
    import numpy as np

    codes = gather(row, starts, ends)[0].astype(np.int64)
    owners = np.repeat(np.arange(len(starts)), ends - starts)
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
    return marked
