"""Whole functions that are the same, and too small for the search for repeated tokens.

A short piece of code that occurs twice is mostly chance, but a function is a unit, and one that was
copied whole is a clone however few tokens it has.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from benchpin.engines.source.facts import Function
from benchpin.engines.source.index import FileFacts

from .copies import Minimum
from .grouping import CloneGroup, Fragment
from .token_arrays import family_of

_Place = tuple[str, Function]


def find_small_functions(files: Sequence[FileFacts], minimum: Minimum) -> Iterator[CloneGroup]:
    """Yield groups of equal functions, those with the most tokens first; none if tokens decide."""
    if minimum.tokens is not None:
        return
    places = defaultdict[tuple[str, tuple[bytes, ...]], list[_Place]](list)
    for file in files:
        family, texts = family_of(file.language), file.tokens.texts
        stream = memoryview(file.tokens.stream).cast("I")
        for it in file.outline.functions:
            if it.end_line - it.line + 1 >= minimum.lines and _size(it) < minimum.window:
                tokens = tuple(map(texts.__getitem__, stream[it.first_token : it.last_token]))
                places[family, tokens].append((file.path, it))
    same = [group for group in places.values() if len(group) > 1]
    for group in sorted(same, key=lambda it: -_size(it[0][1])):
        yield _group(group)


def _size(function: Function) -> int:
    return function.last_token - function.first_token


def _group(places: Sequence[_Place]) -> CloneGroup:
    first = places[0][1]
    return CloneGroup(
        type="exact",
        tokens=_size(first),
        lines=first.end_line - first.line + 1,
        similarity=1.0,
        fragments=[
            Fragment(
                file=path,
                line=it.line,
                end_line=it.end_line,
                function=it.name,
                similarity=1.0,
                gaps=[],
            )
            for path, it in places
        ],
    )
