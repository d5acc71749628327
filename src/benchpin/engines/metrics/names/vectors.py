"""What the words of identifiers mean, and which are opposed: made by `scripts/train_names.py`."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

from .splitting import split_identifier

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

CODE_SHARE = 0.25
"""How much of a meaning comes from the code around a word; the rest comes from comments."""
_SHORTEST_COMPOUND = 6
_SHORTEST_PART = 3
_MOST_KNOWN = 1 << 16


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Words by their place in a table, the most frequent first, and what each means."""

    words: tuple[str, ...]
    places: dict[str, int]
    vectors: "Floats"
    """A row a word, longer the more it says; the last row, of no word, is zero."""
    opposed: dict[int, dict[int, float]]
    """For a word, those that programmers tell from it by name, and how often: from 0 to 1."""

    @property
    def nowhere(self) -> int:
        """The place of the row that means nothing."""
        return len(self.words)

    def places_of(self, name: str) -> list[int]:
        """Return where the words of an identifier stand, without those that are not known."""
        return [place for word in split_identifier(name) for place in self._find(word)]

    def meaning_of(self, names: Iterable[str]) -> "Floats":
        """Return the sum of the vectors of all words of some names, of length one if not zero."""
        import numpy as np

        places = [place for name in names for place in self.places_of(name)]
        total = self.vectors[places].sum(axis=0)
        length = float(np.linalg.norm(total))
        return np.asarray(total / length if length else total, dtype=np.float32)

    def _find(self, word: str) -> tuple[int, ...]:
        place = self.places.get(word)
        return (place,) if place is not None else _parts_of(word)


@lru_cache(1)
def word_vectors() -> WordVectors:
    """Return the table that comes with the package."""
    return read_table(CODE_SHARE)


def read_table(code_share: float) -> WordVectors:
    """Read the table, so much of each meaning from code and the rest from comments."""
    import numpy as np

    packed = files(__package__).joinpath("vectors.npz").read_bytes()
    with np.load(io.BytesIO(packed), allow_pickle=False) as table:
        words = tuple(table["words"].tobytes().decode().split("\n"))
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


@lru_cache(_MOST_KNOWN)
def _parts_of(word: str) -> tuple[int, ...]:
    """Return the places of the one or two known words in one that is not known, if there are any.

    A plural stands for its singular, and `fontdata` for the two whose rarer part is most frequent.
    """
    places = word_vectors().places
    if word.endswith("s") and word[:-1] in places:
        return (places[word[:-1]],)
    if len(word) < _SHORTEST_COMPOUND:
        return ()
    cuts = range(_SHORTEST_PART, len(word) - _SHORTEST_PART + 1)
    pairs = [
        (places[word[:cut]], places[word[cut:]])
        for cut in cuts
        if word[:cut] in places and word[cut:] in places
    ]
    return min(pairs, key=max, default=())
