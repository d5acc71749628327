"""Clones of one type, found again after few files changed.

A window of tokens that occurs more than once is connected with the windows next to it and with all
that are equal. What is found in one connected component does not depend on any other, so only those
have to be searched that a changed file was or is a part of. What is kept of each file is small: its
fingerprints, which tell what other files it may share a window with, and where its repeated windows
are. Tokens are read again of those files that take part in a component that is searched.

The first search is the same: all files have changed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from benchpin.core.calls import Job
from benchpin.facts import FileFacts

from ._copies import Copies, ExactCopies, Minimum, RenamedCopies
from ._corpus import MAX_TOKENS, Corpus
from ._fingerprints import Fingerprints, fingerprints_of
from ._grouping import CloneGroup, CloneType, groups_of_repeats
from ._known_files import CurrentFiles, KnownSearch
from ._repeats import Repeat, Windows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Ids, Places


class KnownGroup(NamedTuple):
    """A group of clones."""

    component: int
    offset: int
    """The position of its first token in the file: orders groups that begin on the same line."""
    group: CloneGroup


@dataclass(frozen=True, slots=True)
class KnownRepeats(KnownSearch):
    """The clones of some files, and what is needed to find them again when some have changed."""

    sizes: bytes = b""
    """The tokens of each file, the one at its end included; 32 bits."""
    fingerprints: bytes = b""
    fingerprint_counts: bytes = b""
    spans: bytes = b""
    """Where windows in a row are repeated: file, first window, number of windows and component."""
    groups: list[KnownGroup] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """How many tokens all files have."""
        return sum(memoryview(self.sizes).cast("i"))


class _Spans(NamedTuple):
    """Repeated windows in a row."""

    files: "Places"
    starts: "Places"
    sizes: "Places"
    components: "Places"

    def where(self, is_kept: "NDArray[np.bool_]") -> "_Spans":
        return _Spans(*(column[is_kept] for column in self))


class CopyKind(NamedTuple):
    """One type of copied code."""

    type: CloneType
    copies: Callable[[Corpus, Minimum], Copies]


EXACT = CopyKind("exact", ExactCopies)
RENAMED = CopyKind("renamed", RenamedCopies)

ReadCorpus = Callable[[Sequence[FileFacts]], Corpus]


def find_copies(
    kind: CopyKind,
    current: CurrentFiles,
    read: ReadCorpus,
    minimum: Minimum,
    known: KnownRepeats,
    job: Job,
) -> KnownRepeats:
    """Find the clones of files, given those of nearly the same files."""
    search = _Search(kind, current, read, minimum, known, job)
    if known.files and search.tokens > MAX_TOKENS:
        search = _Search(kind, current, read, minimum, KnownRepeats(), job)
    return search.found()


class _Search:
    """Searches the components that changed files take part in."""

    def __init__(
        self,
        kind: CopyKind,
        current: CurrentFiles,
        read: ReadCorpus,
        minimum: Minimum,
        known: KnownRepeats,
        job: Job,
    ) -> None:
        import numpy as np

        self._kind = kind
        self._files = current.files
        self._read_corpus = read
        self._minimum = minimum
        self._known = known
        self._job = job
        self._changes = changes = current.since(known.files)
        self._asked = changes.changed
        self._corpus = self._read(self._asked)
        fingerprints = fingerprints_of(self._corpus, minimum.window)
        sizes = np.diff(self._corpus.starts)
        before = np.frombuffer(known.sizes, np.int32).astype(np.int64)
        self._sizes = changes.merged(before, sizes)
        self._fingerprints = self._merged(fingerprints)
        self._users = self._sharing(fingerprints)

    @property
    def tokens(self) -> int:
        """How many tokens all files have."""
        return int(self._sizes.sum())

    def _read(self, numbers: "Places") -> Corpus:
        return self._read_corpus([self._files[at] for at in numbers.tolist()])

    def _merged(self, changed: Fingerprints) -> Fingerprints:
        """Return the fingerprints of all files."""
        import numpy as np

        before = np.frombuffer(self._known.fingerprint_counts, np.int32).astype(np.int64)
        counts = self._changes.merged(before, changed.counts)
        values = np.frombuffer(self._known.fingerprints, np.uint32)
        rows = self._changes.merged_rows(values, before, changed.values, changed.counts)
        return Fingerprints(rows, counts)

    def _sharing(self, changed: Fingerprints) -> "Places":
        """Return the changed files, and those that may have code in common with them."""
        import numpy as np

        if not self._known.files:
            return self._changes.changed
        return np.union1d(self._changes.changed, self._fingerprints.sharing(changed.values))

    def found(self) -> KnownRepeats:
        """Return all clones."""
        import numpy as np

        spans = self._known_spans()
        gone = np.unique(spans.components[spans.files < 0])
        spans = spans.where(spans.files >= 0)
        copies, windows, dirty = self._repeated(spans, gone)
        is_dirty = np.isin(spans.components, dirty)
        if len(self._changes.changed) < len(self._files):
            is_searched = self._is_changed() | self._inside(spans.where(is_dirty))
            windows = windows.with_one_at(is_searched)
        labels = _Components(windows)
        kept = spans.where(~is_dirty)
        unused = int(kept.components.max(initial=-1)) + 1
        dropped = set(dirty.tolist())
        groups = [it for it in self._known.groups if it.component not in dropped]
        groups += self._groups(copies.find(windows, self._job), labels, unused)
        # Groups that begin on the same line, and are as big, are in this order in the report.
        groups.sort(key=lambda it: (-it.group.tokens, it.offset))
        new = self._new_spans(labels, unused)
        rows = [np.concatenate(both).astype(np.int32) for both in zip(kept, new, strict=True)]
        return KnownRepeats(
            files=self._changes.files,
            sizes=self._sizes.astype(np.int32).tobytes(),
            fingerprints=self._fingerprints.values.tobytes(),
            fingerprint_counts=self._fingerprints.counts.astype(np.int32).tobytes(),
            spans=np.concatenate(rows).tobytes(),
            groups=groups,
        )

    def _known_spans(self) -> _Spans:
        """Return the known spans by the numbers that files have now; those of no file are below."""
        import numpy as np

        rows = np.frombuffer(self._known.spans, np.int32).reshape(4, -1).astype(np.int64)
        return _Spans(self._changes.now[rows[0]], *rows[1:])

    def _repeated(self, spans: _Spans, gone: "Places") -> "tuple[Copies, Windows, Places]":
        """Return the repeated windows of all files that are needed, and the components of these."""
        import numpy as np

        dirty, needed = gone, np.union1d(self._users, _files_of(spans, gone))
        while True:
            if len(needed) > len(self._asked):
                self._asked = needed
                self._corpus = self._read(needed)
            copies = self._kind.copies(self._corpus, self._minimum)
            windows = copies.windows()
            if not len(spans.files):
                return copies, windows, dirty
            met = windows.with_one_at(self._is_changed()).places
            dirty = np.union1d(dirty, self._met(spans, met))
            needed = np.union1d(needed, _files_of(spans, dirty))
            if len(needed) == len(self._asked) or self._job.is_expired:
                return copies, windows, dirty

    @property
    def _needed(self) -> "Places":
        """The numbers of the files in the corpus; fewer than asked for if time ran out."""
        return self._asked[: len(self._corpus.paths)]

    def _met(self, spans: _Spans, places: "Ids") -> "Places":
        """Return the components of spans that some windows are in or next to."""
        import numpy as np

        is_met = np.zeros(len(self._corpus.tokens) + 2, np.bool_)
        for step in range(3):
            is_met[places + step] = True
        before = np.zeros(len(is_met) + 1, np.int32)
        np.cumsum(is_met, out=before[1:])
        here = self._in_corpus(spans)
        starts = self._positions(here)
        return np.unique(here.components[before[starts + 1 + here.sizes] > before[starts + 1]])

    def _in_corpus(self, spans: _Spans) -> _Spans:
        import numpy as np

        return spans.where(np.isin(spans.files, self._needed))

    def _positions(self, spans: _Spans) -> "Places":
        """Return where spans begin in the corpus."""
        positions: Places = self._corpus.starts[self._needed.searchsorted(spans.files)]
        return positions + spans.starts

    def _is_changed(self) -> "NDArray[np.bool_]":
        """Return which tokens of the corpus are of a changed file."""
        import numpy as np

        is_changed = np.isin(self._needed, self._changes.changed)
        return np.repeat(is_changed, np.diff(self._corpus.starts))

    def _inside(self, spans: _Spans) -> "NDArray[np.bool_]":
        """Return which tokens of the corpus a window of some spans begins with."""
        import numpy as np

        edges = np.zeros(len(self._corpus.tokens) + 1, np.int32)
        here = self._in_corpus(spans)
        starts = self._positions(here)
        edges[starts] += 1
        edges[starts + here.sizes] -= 1
        return np.cumsum(edges[:-1], dtype=np.int32) > 0

    def _groups(
        self, repeats: Sequence[Repeat], labels: "_Components", unused: int
    ) -> list[KnownGroup]:
        import numpy as np

        corpus = self._corpus
        firsts = np.array([it.places[0] for it in repeats], np.int64)
        files = corpus.starts.searchsorted(firsts, side="right") - 1
        offsets = firsts - corpus.starts[files]
        components = labels.of(firsts) + unused
        groups = groups_of_repeats(corpus, repeats, self._kind.type)
        return list(map(KnownGroup, components.tolist(), offsets.tolist(), groups))

    def _new_spans(self, labels: "_Components", unused: int) -> _Spans:
        """Return the spans that were searched."""
        corpus = self._corpus
        files = corpus.starts.searchsorted(labels.starts, side="right") - 1
        starts = labels.starts - corpus.starts[files]
        return _Spans(self._needed[files], starts, labels.sizes, labels.labels + unused)


def _files_of(spans: _Spans, components: "Places") -> "Places":
    """Return the numbers of the files that some components are in."""
    import numpy as np

    return np.unique(spans.files[np.isin(spans.components, components)])


class _Components:
    """Windows in a row, each with a number for all that are connected with one another."""

    def __init__(self, windows: Windows) -> None:
        import numpy as np

        places = np.sort(windows.places)
        is_first = np.ones(len(places), np.bool_)
        is_first[1:] = places[1:] > places[:-1] + 1
        self.starts: Places = places[is_first].astype(np.int64)
        at = np.flatnonzero(is_first)
        self.sizes: Places = np.diff(np.append(at, len(places)))
        rows = (places[is_first].searchsorted(windows.places, side="right") - 1).astype(np.int32)
        is_same = windows.groups[1:] == windows.groups[:-1]
        self.labels = _connected(len(at), rows[:-1][is_same], rows[1:][is_same])

    def of(self, places: "Places") -> "Places":
        """Return the component of each window."""
        return self.labels[self.starts.searchsorted(places, side="right") - 1]


def _connected(count: int, left: "Ids", right: "Ids") -> "Places":
    """Return a number for each member, the same for those that pairs connect."""
    import numpy as np

    labels = np.arange(count)
    while True:
        lowest = np.minimum(labels[left], labels[right])
        lower = labels.copy()
        np.minimum.at(lower, labels[left], lowest)
        np.minimum.at(lower, labels[right], lowest)
        lower = lower[lower]
        if np.array_equal(lower, labels):
            return np.unique(labels, return_inverse=True)[1]
        labels = lower
