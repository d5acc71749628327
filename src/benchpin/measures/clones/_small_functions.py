"""Whole functions that are the same, and too small for the search for repeated tokens.

A short piece of code that occurs twice is mostly chance, but a function is a unit, and one that was
copied whole is a clone however few tokens it has.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Function
from benchpin.facts.languages import kin_of

from ._copies import Minimum
from ._corpus import Corpus, build_corpus
from ._grouping import CloneGroup, groups_of_repeats
from ._known_files import CurrentFiles, KnownSearch
from ._repeats import Repeat, Repeats
from ._side_by_side import WholeLines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Digests = NDArray[np.uint64]

_DIGEST_BYTES = 8


class KnownFunctionGroup(NamedTuple):
    """Functions that are the same, if they are a clone: some are not, for lack of whole lines."""

    digest: int
    group: CloneGroup | None


@dataclass(frozen=True, slots=True)
class KnownFunctions(KnownSearch):
    """The equal small functions of some files, and the digests of all small ones."""

    digests: bytes = b""
    """A digest of the tokens of each small function; 64 bits."""
    numbers: bytes = b""
    """Its number among the functions of the file; 32 bits."""
    counts: bytes = b""
    """How many each file has; 32 bits."""
    groups: list[KnownFunctionGroup] = field(default_factory=list)
    """Those with the most tokens first."""


class _Functions(NamedTuple):
    """Small functions, file after file."""

    digests: "Digests"
    numbers: "NDArray[np.int32]"
    counts: "NDArray[np.int32]"


def find_small_functions(
    current: CurrentFiles, minimum: Minimum, known: KnownFunctions, job: Job
) -> KnownFunctions:
    """Find the groups of equal functions, given those of nearly the same files.

    There are none if the number of tokens decides.
    """
    import numpy as np

    if minimum.tokens is not None:
        return KnownFunctions()
    files, changes = current.files, current.since(known.files)
    before = _Functions(
        np.frombuffer(known.digests, np.uint64),
        np.frombuffer(known.numbers, np.int32),
        np.frombuffer(known.counts, np.int32),
    )
    changed = _digests([files[at] for at in changes.changed.tolist()], minimum)
    all_of_them = _Functions(
        changes.merged_rows(before.digests, before.counts, changed.digests, changed.counts),
        changes.merged_rows(before.numbers, before.counts, changed.numbers, changed.counts),
        changes.merged(before.counts, changed.counts),
    )
    gone = before.digests[np.repeat(changes.now < 0, before.counts)]
    dirty = frozenset(np.union1d(gone, changed.digests).tolist())
    clean = {it.digest: it for it in known.groups if it.digest not in dirty}
    places = _equal(files, all_of_them)
    unknown = [digest for digest in places if digest not in clean]
    found = _whole(places, unknown, minimum, job)
    return KnownFunctions(
        files=changes.files,
        digests=all_of_them.digests.tobytes(),
        numbers=all_of_them.numbers.tobytes(),
        counts=all_of_them.counts.tobytes(),
        groups=[clean[it] if it in clean else KnownFunctionGroup(it, found[it]) for it in places],
    )


def _digests(files: Sequence[FileFacts], minimum: Minimum) -> _Functions:
    import numpy as np

    digests: list[bytes] = []
    numbers: list[int] = []
    counts: list[int] = []
    for file in files:
        before = len(numbers)
        small = [
            (number, it)
            for number, it in enumerate(file.outline.functions)
            if it.end_line - it.line + 1 >= minimum.lines and _size(it) < minimum.window
        ]
        if small:
            tokens = file.tokens
            family = kin_of(file.language).encode()
            stream = memoryview(tokens.stream).cast("I")
            for number, function in small:
                words = map(
                    tokens.texts.__getitem__, stream[function.first_token : function.last_token]
                )
                text = b"\0".join((family, *words))
                digests.append(blake2b(text, digest_size=_DIGEST_BYTES).digest())
                numbers.append(number)
        counts.append(len(numbers) - before)
    return _Functions(
        np.frombuffer(b"".join(digests), np.uint64),
        np.array(numbers, np.int32),
        np.array(counts, np.int32),
    )


_Place = tuple[FileFacts, Function]


def _equal(files: Sequence[FileFacts], functions: _Functions) -> dict[int, list[_Place]]:
    """Return the functions that have an equal one, by digest; those with most tokens first."""
    import numpy as np

    order = np.argsort(functions.digests, kind="stable")
    ordered = functions.digests[order]
    firsts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(order)])
    sizes = np.diff(np.append(firsts, len(order)))
    ends = np.cumsum(functions.counts)
    groups: list[tuple[int, int, list[_Place]]] = []
    for first, size in zip(firsts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
        at = order[first : first + size]
        owners = ends.searchsorted(at, side="right").tolist()
        places = [
            (files[owner], files[owner].outline.functions[number])
            for owner, number in zip(owners, functions.numbers[at].tolist(), strict=True)
        ]
        groups.append((int(at[0]), int(ordered[first]), places))
    groups.sort(key=lambda it: (-_size(it[2][0][1]), it[0]))
    return {digest: places for _, digest, places in groups}


def _whole(
    places: dict[int, list[_Place]], wanted: Sequence[int], minimum: Minimum, job: Job
) -> dict[int, CloneGroup | None]:
    """Return the groups with as much of their functions as fills whole lines."""
    files = {file.path: file for digest in wanted for file, _ in places[digest]}
    corpus = build_corpus(list(files.values()), job, splits_literals=False)
    starts = dict(zip(corpus.paths, corpus.starts.tolist(), strict=False))
    lines = WholeLines(corpus)
    return {
        digest: next(_group(places[digest], corpus, starts, lines, minimum), None)
        for digest in wanted
    }


def _group(
    group: Sequence[_Place],
    corpus: Corpus,
    starts: dict[str, int],
    lines: WholeLines,
    minimum: Minimum,
) -> Iterator[CloneGroup]:
    if any(file.path not in starts for file, _ in group):
        return
    places = tuple(starts[file.path] + it.first_token for file, it in group)
    around = lines.around(Repeat(places, _size(group[0][1])))
    found = next(iter(lines.inside(Repeats.of([around]))), None)
    if found is None or _least_lines(corpus, found) < minimum.lines:
        return
    has_all = found.places[0] <= places[0] and found.size >= _size(group[0][1])
    names = [it.name for _, it in group] if has_all else ()
    yield from groups_of_repeats(corpus, [found], "exact", names)


def _least_lines(corpus: Corpus, repeat: Repeat) -> int:
    spans = (corpus.lines.span(place, place + repeat.size) for place in repeat.places)
    return min(end_line - line + 1 for line, end_line in spans)


def _size(function: Function) -> int:
    return function.last_token - function.first_token
