"""Exact and renamed clones: repeated token sequences, verified token by token."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchpin.core import Job

from .corpus import Corpus
from .hashing import PartHashes, distances_to_previous, renamed_windows_of, windows_of
from .prefilter import may_repeat
from .repeats import Repeat, find_repeats
from .token_arrays import NAME
from .whole_lines import WholeLines

if TYPE_CHECKING:
    from .corpus import Hashes, Ids

_GRAM = 4
_LEAST_VARIETY = 0.25
"""The share of distinct 4-grams of tokens below which code is a table of data."""
_MOST_COVERED = 0.8
"""A renamed clone is left out if so much of it is in a bigger one."""
_BUCKET = 64
"""Positions are looked up by buckets of this many tokens."""


_TOKENS_PER_LINE = 10
_MOST_LEAST_TOKENS = 50


@dataclass(frozen=True, slots=True)
class Minimum:
    """The fewest lines of a clone, and the fewest tokens."""

    lines: int = 5
    tokens: int | None = None
    """Without a number: 10 for each of these lines, at most 50, and any for whole functions."""

    @property
    def window(self) -> int:
        """The fewest tokens of a clone that is not a whole function."""
        return self.tokens or min(_TOKENS_PER_LINE * self.lines, _MOST_LEAST_TOKENS)


def find_exact(corpus: Corpus, minimum: Minimum, job: Job) -> list[Repeat]:
    """Return the token sequences of whole lines that occur more than once."""
    width = minimum.window
    places = may_repeat(corpus.tokens, width)
    hashes = PartHashes(corpus.tokens).hashes(places, width)
    whole = WholeLines(corpus)
    found = (
        lines
        for repeat in find_repeats(places, hashes, width, job)
        for same in _alike(repeat, _Exact(corpus.tokens))
        if (lines := whole.inside(same)) is not None and lines.size >= width
    )
    return _without_covered(_long_enough(corpus, found, minimum.lines), 1)


def find_renamed(corpus: Corpus, minimum: Minimum, job: Job) -> list[Repeat]:
    """Return the token sequences that occur more than once up to names and literals.

    Each name must correspond to one name of the other place throughout. Exact clones are left out,
    and so are tables of data, which repeat themselves every few tokens.
    """
    distances = distances_to_previous(corpus.tokens, corpus.shapes == NAME)
    grams = windows_of(corpus.shapes, _GRAM)
    rename = _Renamed(corpus.shapes, distances)
    width = minimum.window
    places = may_repeat(corpus.shapes, width)
    hashes = renamed_windows_of(corpus.shapes, distances, width)[places]
    found = (
        same
        for repeat in find_repeats(places, hashes, width, job)
        for part in rename.parts(repeat, width)
        for same in _alike(part, rename)
        if not _is_table(grams, same) and not _is_same(corpus.tokens, same)
    )
    return _without_covered(_long_enough(corpus, found, minimum.lines), _MOST_COVERED)


class _Exact:
    """Compares token by token."""

    def __init__(self, tokens: "Ids") -> None:
        self._tokens = tokens

    def of(self, place: int, size: int) -> bytes:
        """Return bytes that are equal for clones."""
        return self._tokens[place : place + size].tobytes()


class _Renamed:
    """Compares up to consistent renaming."""

    def __init__(self, shapes: "Ids", distances: "Ids") -> None:
        self._shapes = shapes
        self._distances = distances

    def of(self, place: int, size: int) -> bytes:
        """Return bytes that are equal for clones."""
        import numpy as np

        distances = self._distances[place : place + size]
        inside = np.where(distances > np.arange(size), 0, distances)
        return self._shapes[place : place + size].tobytes() + inside.tobytes()

    def parts(self, repeat: Repeat, width: int) -> list[Repeat]:
        """Cut a repeat where a name no longer corresponds to the same name of the other place.

        Names correspond within every window, but not always over more than one window.
        """
        import numpy as np

        first, *others = repeat.places
        known = self.of(first, repeat.size)
        if any(self.of(place, repeat.size) == known for place in others):
            return [repeat]
        here, there = (self._distances[place : place + repeat.size] for place in repeat.places[:2])
        at = np.arange(repeat.size)
        nearer = np.minimum(*(np.where(it > 0, it, repeat.size) for it in (here, there)))
        lowest = np.where(here == there, 0, np.maximum(at - nearer + 1, 0))
        starts = np.maximum.accumulate(lowest)
        ends = np.flatnonzero(np.append(starts[1:] != starts[:-1], True)) + 1
        return [
            Repeat(tuple(place + start for place in repeat.places), end - start)
            for start, end in zip(starts[ends - 1].tolist(), ends.tolist(), strict=True)
            if end - start >= width
        ]


def _alike(repeat: Repeat, rule: _Exact | _Renamed) -> Iterator[Repeat]:
    """Split a repeat into groups of places that are really equal."""
    places = defaultdict[bytes, list[int]](list)
    for place in repeat.places:
        places[rule.of(place, repeat.size)].append(place)
    return (Repeat(tuple(same), repeat.size) for same in places.values() if len(same) > 1)


def _is_same(tokens: "Ids", repeat: Repeat) -> bool:
    exact = _Exact(tokens)
    first = exact.of(repeat.places[0], repeat.size)
    return all(exact.of(place, repeat.size) == first for place in repeat.places[1:])


def _is_table(grams: "Hashes", repeat: Repeat) -> bool:
    first = repeat.places[0]
    inside = grams[first : first + repeat.size - _GRAM + 1].tolist()
    return len(set(inside)) < _LEAST_VARIETY * len(inside)


def _long_enough(corpus: Corpus, repeats: Iterable[Repeat], least: int) -> Iterator[Repeat]:
    """Drop the places with too few lines."""
    for repeat in repeats:
        lasts = [place + repeat.size - 1 for place in repeat.places]
        kept = tuple(
            place
            for place, last in zip(repeat.places, lasts, strict=True)
            if corpus.end_lines[last] - corpus.lines[place] >= least - 1
        )
        if len(kept) > 1:
            yield Repeat(kept, repeat.size)


def _without_covered(repeats: Iterable[Repeat], share: float) -> list[Repeat]:
    """Leave out clones that a bigger clone covers.

    One covers another if each place of that is inside another place of this, to such a share.
    """
    kept: list[Repeat] = []
    around = defaultdict[int, list[tuple[int, int, int]]](list)
    for repeat in sorted(repeats, key=_weight):
        size = repeat.size
        inside = {
            (number, start)
            for place in repeat.places
            for number, start, end in around[(place + size // 2) // _BUCKET]
            if min(place + size, end) - max(place, start) >= share * size
        }
        if len(repeat.places) in Counter(number for number, _ in inside).values():
            continue
        for place in repeat.places:
            for bucket in range(place // _BUCKET, (place + size) // _BUCKET + 1):
                around[bucket].append((len(kept), place, place + size))
        kept.append(repeat)
    return kept


def _weight(repeat: Repeat) -> tuple[int, int, tuple[int, ...]]:
    """Return the sort key: most removable tokens first, then by places."""
    return -repeat.size * (len(repeat.places) - 1), -repeat.size, repeat.places
