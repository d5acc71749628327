"""The words of an identifier, their vectors and their opposites.

`scripts/train_names.py` makes the tables.
"""

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from struct import unpack_from
from typing import TYPE_CHECKING
from zipfile import ZipFile

from benchpin.facts import FileFacts
from benchpin.facts.derived import FileFact

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_WORD = re.compile(
    r"""
    [A-Z]{2,}+s(?![a-z])      # URLs
    | [A-Z]+(?=[A-Z][a-z])    # HTTP of HTTPServer
    | [A-Z]?[a-z]+            # Server, server
    | [A-Z]+                  # MAX
    | [0-9]+
    | [^\W\d_a-zA-Z]+         # letters of other alphabets
    """,
    re.VERBOSE,
)
# Enough for the distinct names of a big project.
_MAX_NAMES = 1 << 17


@lru_cache(_MAX_NAMES)
def split_identifier(name: str) -> tuple[str, ...]:
    """Return the words of an identifier in lower case, numbers among them.

    `parseHTTPRequest2` and `PARSE_HTTP_REQUEST_2` are both `parse http request 2`.
    """
    return tuple(word.lower() for word in _WORD.findall(name))


# Endings of English words; without them a question and a name have the same words.
_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "s", "e", "y")
_MIN_STEM_CHARS = 3


def stem(word: str) -> str:
    """Return a word in lower case without its ending."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM_CHARS:
            word = word[: -len(suffix)]
            break
    is_doubled = len(word) > _MIN_STEM_CHARS and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if is_doubled else word  # run and running


# How much of a vector comes from the code near a word; the rest comes from comments.
CODE_SHARE = 0.25
_MIN_COMPOUND_CHARS = 6
_MIN_PART_CHARS = 2
# From this place on a word is so rare that its parts say more than its own vector.
_RARE = 3_000
_MAX_KNOWN = 1 << 16


@dataclass(frozen=True, slots=True)
class WordVectors:
    """A table of words, most frequent first; a place is the number of a row."""

    words: tuple[str, ...]
    places: dict[str, int]
    vectors: "Floats"
    """One row per word, longer for more telling words; one zero row follows the last word."""
    opposed: dict[int, dict[int, float]]
    """For a word, its opposed words with their contrast, from 0 to 1."""

    @property
    def zero_row(self) -> int:
        """The place of the row of zeros, for names without a known word."""
        return len(self.words)

    def places_of(self, name: str) -> list[int]:
        """Return the places of the known words of an identifier."""
        return [place for word in split_identifier(name) for place in self._find(word)]

    def meaning_of(self, names: Iterable[str]) -> "Floats":
        """Return the normalised sum of the vectors of all words of some names."""
        import numpy as np

        places = [place for name in names for place in self.places_of(name)]
        total = self.vectors[places].sum(axis=0)
        length = float(np.linalg.norm(total))
        return np.asarray(total / length if length else total, dtype=np.float32)

    def _find(self, word: str) -> tuple[int, ...]:
        place = self.places.get(word)
        if place is None:
            return _parts_of(word)
        return (place,) if place < _RARE else (place, *_parts_of(word))


def _packed() -> bytes:
    return files(__package__).joinpath("vectors.npz").read_bytes()


@lru_cache(1)
def known_words() -> tuple[str, ...]:
    """Return the words of the table; read without NumPy, which is an extra."""
    with ZipFile(io.BytesIO(_packed())) as table:
        array = table.read("words.npy")
    # The format of NumPy, version 1: 8 bytes, the length of the header, the header, the values.
    [header_bytes] = unpack_from("<H", array, 8)
    return tuple(array[10 + header_bytes :].decode().split("\n"))


@lru_cache(1)
def word_vectors() -> WordVectors:
    return read_table(CODE_SHARE)


def read_table(code_share: float) -> WordVectors:
    """Read the table; `code_share` of each vector comes from code, the rest from comments."""
    import numpy as np

    words = known_words()
    with np.load(io.BytesIO(_packed()), allow_pickle=False) as table:
        code = _unit(table["code"]) * code_share**0.5
        comments = _unit(table["comments"]) * (1 - code_share) ** 0.5
        rows = np.hstack([code, comments]) * table["telling"][:, None]
        pairs, contrasts = table["opposed"].tolist(), table["contrast"] / 255
    opposed: dict[int, dict[int, float]] = {}
    for (one, two), contrast in zip(pairs, contrasts.tolist(), strict=True):
        opposed.setdefault(one, {})[two] = contrast
        opposed.setdefault(two, {})[one] = contrast
    vectors = np.vstack([rows, np.zeros_like(rows[:1])])
    places = {word: place for place, word in enumerate(words)}
    return WordVectors(words, places, vectors, opposed)


def _unit(rows: "NDArray[np.int8]") -> "Floats":
    import numpy as np

    vectors = rows.astype(np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1), dtype=np.float32)


@lru_cache(_MAX_KNOWN)
def _parts_of(word: str) -> tuple[int, ...]:
    """Return the places of the known words inside an unknown or rare one, if there are any.

    That is the singular of an unknown plural, or two words as in `fontdata`, both more frequent
    than the whole: of all ways to split it, the one whose rarer word is most frequent.
    """
    places = word_vectors().places
    own = places.get(word, len(places))
    if word not in places and word.endswith("s") and word[:-1] in places:
        return (places[word[:-1]],)
    if len(word) < _MIN_COMPOUND_CHARS:
        return ()
    cuts = range(_MIN_PART_CHARS, len(word) - _MIN_PART_CHARS + 1)
    pairs = [
        (places[word[:cut]], places[word[cut:]])
        for cut in cuts
        if places.get(word[:cut], own) < own and places.get(word[cut:], own) < own
    ]
    return min(pairs, key=max, default=())


# How much the identifiers of a file tell.

# Short names that every programmer reads at a glance.
_CUSTOMARY_NAMES = frozenset("efghijkmnpqrstvwxyz") | {
    *("_", "id", "ok", "fn", "db", "io", "os", "fs"),
}


def name_quality(file: FileFacts) -> float | None:
    """Return the mean quality of the distinct identifiers, from 0 to 1; None without any."""
    names = file.links.references
    return sum(map(_quality, names)) / len(names) if names else None


NAME_QUALITY = FileFact[None, float | None](
    f"{__name__}:NAME_QUALITY",
    float | None,
    lambda file, _option: name_quality(file),
    ("links",),
)


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(known_words())


@lru_cache(_MAX_NAMES)  # most names occur in many files
def _quality(name: str) -> float:
    """Return the share of an identifier's words that have a meaning.

    A word has one when it is in the vocabulary that comes with the package, as it is or as a
    plural; single letters and numbers have none, so `tmp2` is worth a half and `x1` nothing.
    """
    if name in _CUSTOMARY_NAMES:
        return 1.0
    known, words = _vocabulary(), split_identifier(name)
    telling = [it for it in words if len(it) > 1 and (it in known or it.removesuffix("s") in known)]
    return len(telling) / len(words) if words else 0.0
