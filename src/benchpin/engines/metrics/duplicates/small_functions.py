"""Whole functions that are the same, and too small for the search for repeated tokens.

A short piece of code that occurs twice is mostly chance, but a function is a unit, and one that was
copied whole is a clone however few tokens it has.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from benchpin.core import Job
from benchpin.engines.source.facts import Function
from benchpin.engines.source.index import FileFacts

from .copies import Minimum
from .corpus import Corpus, build_corpus
from .grouping import CloneGroup, groups_of_repeats
from .repeats import Repeat
from .token_arrays import family_of
from .whole_lines import WholeLines

_Place = tuple[FileFacts, Function]


def find_small_functions(
    files: Sequence[FileFacts], minimum: Minimum, job: Job
) -> Iterator[CloneGroup]:
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
                places[family, tokens].append((file, it))
    same = [group for group in places.values() if len(group) > 1]
    yield from _whole(sorted(same, key=lambda it: -_size(it[0][1])), minimum, job)


def _whole(groups: Sequence[Sequence[_Place]], minimum: Minimum, job: Job) -> Iterator[CloneGroup]:
    """Yield the groups with as much of their functions as fills whole lines."""
    files = {file.path: file for group in groups for file, _ in group}
    corpus = build_corpus(list(files.values()), job, splits_literals=False)
    starts = dict(zip(corpus.paths, corpus.starts.tolist(), strict=False))
    lines = WholeLines(corpus)
    for group in groups:
        if any(file.path not in starts for file, _ in group):
            continue
        places = tuple(starts[file.path] + it.first_token for file, it in group)
        found = lines.inside(lines.around(Repeat(places, _size(group[0][1]))))
        if found is None or _least_lines(corpus, found) < minimum.lines:
            continue
        has_all = found.places[0] <= places[0] and found.size >= _size(group[0][1])
        names = [it.name for _, it in group] if has_all else ()
        yield from groups_of_repeats(corpus, [found], "exact", names)


def _least_lines(corpus: Corpus, repeat: Repeat) -> int:
    return min(
        int(corpus.end_lines[place + repeat.size - 1] - corpus.lines[place]) + 1
        for place in repeat.places
    )


def _size(function: Function) -> int:
    return function.last_token - function.first_token
