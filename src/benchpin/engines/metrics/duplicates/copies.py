"""Exact and renamed clones: repeats of the row of words, verified word by word."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchpin.core import Job

from .corpus import NAME, Corpus
from .hashing import Stretches, distances_to_previous, renamed_windows
from .repeats import Repeat, find_repeats

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Places, Row

_GRAM = 4
_LEAST_VARIETY = 0.25
"""The share of different stretches of four words below which code is a table."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """How long a clone must be."""

    words: int
    lines: int


def find_exact(corpus: Corpus, minimum: Minimum, job: Job) -> list[Repeat]:
    """Return the stretches that stand more than once, word for word."""
    found = (
        same
        for repeat in find_repeats(
            Stretches(corpus.words).windows(minimum.words), minimum.words, job
        )
        for same in _alike(repeat, _Exact(corpus.words))
    )
    return _without_parts(corpus, _long_enough(corpus, found, minimum.lines))


def find_renamed(corpus: Corpus, minimum: Minimum, job: Job) -> list[Repeat]:
    """Return the stretches that stand more than once if names and literals may differ.

    Each name must stand for one name of the other place throughout. Those that are the same word
    for word are left out, and so are tables: what repeats itself every few words.
    """
    distances = distances_to_previous(corpus.words, corpus.shapes == NAME)
    rename = _Renamed(corpus.shapes, distances)
    found = (
        part
        for repeat in find_repeats(
            renamed_windows(corpus.shapes, distances, minimum.words), minimum.words, job
        )
        for same in _alike(repeat, rename)
        for part in (_without_table(corpus, same, minimum.words),)
        if part is not None and not _is_same(corpus.words, part)
    )
    return _without_parts(corpus, _long_enough(corpus, found, minimum.lines))


class _Exact:
    """Compares word for word."""

    def __init__(self, words: "Row") -> None:
        self._words = words

    def of(self, place: int, size: int) -> bytes:
        """Return what is equal where stretches are clones of each other."""
        return self._words[place : place + size].tobytes()

    def shared(self, _repeat: Repeat) -> Iterator[Repeat]:
        """Return nothing: hashes were equal by accident."""
        return iter(())


class _Renamed:
    """Compares up to a renaming."""

    def __init__(self, shapes: "Row", distances: "Row") -> None:
        self._shapes = shapes
        self._distances = distances

    def of(self, place: int, size: int) -> bytes:
        """Return what is equal where stretches are clones of each other."""
        import numpy as np

        distances = self._distances[place : place + size]
        inside = np.where(distances > np.arange(size), 0, distances)
        return self._shapes[place : place + size].tobytes() + inside.tobytes()


def _alike(repeat: Repeat, rule: _Exact | _Renamed) -> Iterator[Repeat]:
    places = defaultdict[bytes, list[int]](list)
    for place in repeat.places:
        places[rule.of(place, repeat.size)].append(place)
    return (Repeat(tuple(same), repeat.size) for same in places.values() if len(same) > 1)


def _is_same(words: "Row", repeat: Repeat) -> bool:
    exact = _Exact(words)
    first = exact.of(repeat.places[0], repeat.size)
    return all(exact.of(place, repeat.size) == first for place in repeat.places[1:])


def _without_table(corpus: Corpus, repeat: Repeat, _width: int) -> Repeat | None:
    import numpy as np

    first = repeat.places[0]
    grams = Stretches(corpus.shapes[first : first + repeat.size]).windows(_GRAM)
    return repeat if len(np.unique(grams)) >= _LEAST_VARIETY * len(grams) else None


def _long_enough(corpus: Corpus, repeats: Iterable[Repeat], least: int) -> Iterator[Repeat]:
    """Leave out places that have too few lines."""
    for repeat in repeats:
        lasts = [place + repeat.size - 1 for place in repeat.places]
        kept = tuple(
            place
            for place, last in zip(repeat.places, lasts, strict=True)
            if corpus.end_lines[last] - corpus.lines[place] >= least - 1
        )
        if len(kept) > 1:
            yield Repeat(kept, repeat.size)


def _without_parts(corpus: Corpus, repeats: Iterable[Repeat]) -> list[Repeat]:
    """Leave out what has each of its places inside another place of one longer clone."""
    kept: list[Repeat] = []
    around = defaultdict[int, list[tuple[int, int, int]]](list)
    for repeat in repeats:
        files = [corpus.file_of(place) for place in repeat.places]
        outer = {
            (number, start)
            for file, place in zip(files, repeat.places, strict=True)
            for number, start, end in around[file]
            if start <= place and place + repeat.size <= end
        }
        if len(files) in Counter(number for number, _ in outer).values():
            continue
        for file, place in zip(files, repeat.places, strict=True):
            around[file].append((len(kept), place, place + repeat.size))
        kept.append(repeat)
    return kept
