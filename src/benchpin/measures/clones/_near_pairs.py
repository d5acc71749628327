"""Similar functions, found again after few files changed.

Whether two functions are similar depends on nothing but the two. What is kept of each function is
its signature, which decides with which others it is compared. After an edit, only pairs of changed
functions are compared, and pairs that became neighbours in a bucket with very many functions.
Tokens are read again of their files alone.

The first search is the same: all files have changed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Function

from ._aligning import Aligner, FunctionCorpus, Functions
from ._bands import Signed, changed_pairs
from ._copies import Minimum
from ._corpus import MAX_TOKENS
from ._grouping import CloneType
from ._known_files import CurrentFiles, KnownSearch
from ._minhash import SHUFFLES, neighbours, pack, signatures, unpack
from ._near_groups import Clones, FunctionSource, NearGroup, update_groups

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Hashes, Places
    from ._minhash import Signatures


class FunctionSets(NamedTuple):
    """What some functions have in common with similar ones."""

    functions: "Places"
    """Their numbers."""
    elements: "Hashes"
    starts: "Places"
    """Where the elements of each begin."""


class NearPairs(NamedTuple):
    """Those of some pairs of functions that are clones."""

    found: "Places"
    """The number of each among the pairs."""
    similarities: "NDArray[np.float64]"


class NearKind(Protocol):
    """One type of similar functions."""

    type: CloneType
    wanted: float
    """The lowest Jaccard similarity of the sets of functions that are compared."""

    def sets(self, sources: FunctionCorpus, aligner: Aligner) -> Iterator[FunctionSets]:
        """Yield sets of elements that depend only on the functions; not every one needs one."""

    def compare(
        self, sources: FunctionCorpus, aligner: Aligner, pairs: "Places", job: Job
    ) -> NearPairs:
        """Return the clones among rows of two functions."""


@dataclass(frozen=True, slots=True)
class KnownPairs(KnownSearch):
    """The similar functions of some files, and what is needed when some have changed."""

    sizes: bytes = b""
    """The tokens of each file; 32 bits."""
    counts: bytes = b""
    """How many functions of each file are compared; 32 bits."""
    numbers: bytes = b""
    """The number of each among the functions of its file; 32 bits."""
    signatures: bytes = b""
    pairs: bytes = b""
    """The clones, in order; 64 bits."""
    similarities: bytes = b""
    missed: list[int] = field(default_factory=list)
    """For each band, how many pairs of functions in the same bucket were not compared."""
    groups: list[NearGroup] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """How many tokens all files have."""
        return sum(memoryview(self.sizes).cast("i"))

    @property
    def uncompared(self) -> int:
        """How many pairs were not compared, in the band where they are most."""
        return max(self.missed, default=0)


ReadFunctions = Callable[[Sequence[FileFacts]], FunctionCorpus]


def find_near(
    kind: NearKind,
    current: CurrentFiles,
    read: ReadFunctions,
    minimum: Minimum,
    known: KnownPairs,
    job: Job,
) -> KnownPairs:
    """Find the similar functions of files, given those of nearly the same files."""
    search = _Search(kind, current, read, minimum, known, job)
    if known.files and search.tokens > MAX_TOKENS:
        search = _Search(kind, current, read, minimum, KnownPairs(), job)
    try:
        return search.found()
    except _NotReadInTime:  # what was left out is recorded, so that this is not remembered
        return KnownPairs()


class _NotReadInTime(Exception):
    """Files whose functions are to be compared were not read: there was no time left."""


class _Search:
    """Compares what changed functions may be similar to."""

    def __init__(
        self,
        kind: NearKind,
        current: CurrentFiles,
        read: ReadFunctions,
        minimum: Minimum,
        known: KnownPairs,
        job: Job,
    ) -> None:
        import numpy as np

        self._kind = kind
        self._files = current.files
        self._read = read
        self._known = known
        self._job = job
        self._changes = changes = current.since(known.files)
        sources = self._sources(changes.changed)
        corpus = sources.corpus
        functions, rows = _signed(kind, sources, minimum)
        counts = np.bincount(functions.files, minlength=len(corpus.paths))
        before = np.frombuffer(known.counts, np.int32).astype(np.int64)
        sizes = np.frombuffer(known.sizes, np.int32).astype(np.int64)
        self._sizes = changes.merged(sizes, np.diff(corpus.starts))
        self._counts = changes.merged(before, counts)
        self._ends = np.cumsum(self._counts)
        old_rows = np.frombuffer(known.signatures, np.uint16).reshape(-1, SHUFFLES)
        self._rows: Signatures = changes.merged_rows(old_rows, before, rows, counts)
        old_numbers = np.frombuffer(known.numbers, np.int32).astype(np.int64)
        self._numbers = changes.merged_rows(old_numbers, before, functions.numbers, counts)
        self._now = self._numbers_now(before)
        is_gone = self._now < 0
        self._is_new = np.ones(len(self._rows), np.bool_)
        self._is_new[self._now[~is_gone]] = False
        earlier = np.full(len(self._rows), -1)
        earlier[self._now[~is_gone]] = np.flatnonzero(~is_gone)
        self._signed = Signed(
            np.concatenate((self._rows, old_rows[is_gone])),
            len(self._rows),
            np.concatenate((earlier, np.flatnonzero(is_gone))),
        )
        self._find = corpus.device.neighbours if corpus.device is not None else neighbours

    @property
    def tokens(self) -> int:
        """How many tokens all files have."""
        return int(self._sizes.sum())

    def _sources(self, numbers: "Places") -> FunctionCorpus:
        return self._read([self._files[at] for at in numbers.tolist()])

    def _numbers_now(self, before: "Places") -> "Places":
        """Return the number that each earlier function has now; below zero for one that is gone."""
        import numpy as np

        begins = self._ends - self._counts
        files_now = np.repeat(self._changes.now, before)
        inside = np.arange(len(files_now)) - np.repeat(np.cumsum(before) - before, before)
        return np.where(files_now < 0, -1, begins[files_now] + inside)

    def found(self) -> KnownPairs:
        """Return all similar functions."""
        import numpy as np

        known, similarities, is_changed = self._known_pairs()
        wanted, missed = self._kind.wanted, self._known.missed
        changes = changed_pairs(self._signed, known, missed, wanted, self._find)
        kept = known[changes.is_kept]
        added = np.setdiff1d(changes.added, kept, assume_unique=True)
        new, new_similarities = self._compared(added)
        for side in (*unpack(known[~changes.is_kept]), *unpack(new)):
            is_changed[side] = True
        pairs = np.concatenate((kept, new))
        order = np.argsort(pairs)
        pairs = pairs[order]
        similarities = np.concatenate((similarities[changes.is_kept], new_similarities))[order]
        clones = Clones(*unpack(pairs), similarities)
        source = FunctionSource(self._fact, lambda chosen: self._aligner(chosen)[1])
        before = self._known_groups()
        groups = update_groups(self._kind.type, before, clones, is_changed, source)
        return KnownPairs(
            files=self._changes.files,
            sizes=self._sizes.astype(np.int32).tobytes(),
            counts=self._counts.astype(np.int32).tobytes(),
            numbers=self._numbers.astype(np.int32).tobytes(),
            signatures=self._rows.tobytes(),
            pairs=pairs.tobytes(),
            similarities=similarities.tobytes(),
            missed=changes.missed,
            groups=groups,
        )

    def _known_pairs(self) -> "tuple[Places, NDArray[np.float64], NDArray[np.bool_]]":
        """Return the known clones that are still there, and which functions lost one."""
        import numpy as np

        left, right = (self._now[it] for it in unpack(np.frombuffer(self._known.pairs, np.int64)))
        stayed = (left >= 0) & (right >= 0)
        is_changed = self._is_new.copy()
        for side in (left, right):
            is_changed[side[~stayed & (side >= 0)]] = True
        similarities = np.frombuffer(self._known.similarities)[stayed]
        return pack(left[stayed], right[stayed]), similarities, is_changed

    def _known_groups(self) -> Iterator[NearGroup]:
        """Yield the known groups by the numbers that functions have now."""
        now = self._now.tolist()
        for members, group in self._known.groups:
            yield NearGroup([now[it] for it in members], group)

    def _compared(self, candidates: "Places") -> "tuple[Places, NDArray[np.float64]]":
        """Return the clones among pairs of functions."""
        import numpy as np

        if not len(candidates):
            return candidates, np.zeros(0)
        chosen, at = np.unique(np.stack(unpack(candidates), axis=1), return_inverse=True)
        sources, aligner = self._aligner(chosen)
        found, similarities = self._kind.compare(sources, aligner, at.reshape(-1, 2), self._job)
        return candidates[found], similarities

    def _fact(self, function: int) -> Function:
        file = int(self._ends.searchsorted(function, side="right"))
        return self._files[file].outline.functions[int(self._numbers[function])]

    def _aligner(self, functions: "Places") -> tuple[FunctionCorpus, Aligner]:
        """Return what compares some functions, by their place in this row."""
        import numpy as np

        files = self._ends.searchsorted(functions, side="right")
        # All files if all are new: they are read already.
        needed = np.unique(files) if self._known.files else self._changes.changed
        sources = self._sources(needed)
        if len(sources.corpus.paths) < len(needed):
            raise _NotReadInTime
        here = Functions(needed.searchsorted(files), self._numbers[functions])
        return sources, Aligner(sources, here)


def _signed(
    kind: NearKind, sources: FunctionCorpus, minimum: Minimum
) -> "tuple[Functions, Signatures]":
    """Return the functions that are compared, and their signatures."""
    import numpy as np

    functions = sources.functions(minimum)
    device = sources.corpus.device
    sign = signatures if device is None else device.signatures
    chosen = [np.zeros(0, np.int64)]
    rows = [np.zeros((0, SHUFFLES), np.uint16)]
    for some, elements, starts in kind.sets(sources, Aligner(sources, functions)):
        chosen.append(some)
        rows.append(sign(elements, starts))
    at = np.concatenate(chosen)
    return Functions(functions.files[at], functions.numbers[at]), np.concatenate(rows)
