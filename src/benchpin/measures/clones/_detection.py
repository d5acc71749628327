"""Find clones of the requested types, and how much of the code they are."""

import time
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.facts import FileFacts
from benchpin.memory import Inputs, Measure
from benchpin.system.processes import gc_off, require_extra

from ._aligning import FunctionCorpus
from ._copies import Minimum
from ._corpus import Corpus, build_corpus
from ._device import Device
from ._grouping import CloneGroup, ClonePlaces, CloneType
from ._known_files import CurrentFiles, KnownSearch
from ._known_repeats import EXACT, RENAMED, CopyKind, KnownRepeats, ReadCorpus, find_copies
from ._near_pairs import KnownPairs, NearKind, find_near
from ._near_types import GappedClones, SemanticClones
from ._overview import ALL, SIMILAR, FileDuplication, overview_of, percent
from ._small_functions import KnownFunctions, find_small_functions

T = TypeVar("T", bound=KnownSearch)

DetectionType = Literal["exact", "renamed", "gapped", "semantic", "all"]


@dataclass(frozen=True, slots=True)
class DuplicateOptions:
    """What a clone is."""

    types: tuple[CloneType, ...] = ALL
    threshold: float = 0.85
    minimum: Minimum = field(default_factory=Minimum)
    files: tuple[str, ...] = ()
    """Only groups with a place in one of these; all, if there are none."""


class DuplicateSummary(Item):
    """All clones together."""

    total_files: int
    total_lines: int
    files_with_duplicates: int
    groups: dict[str, int]
    """By type, only the requested ones."""
    test_groups: int
    """How many of all groups are in tests and samples."""
    fragments: int
    min_lines: int
    min_tokens: int
    min_function_tokens: int
    """The same for whole functions in exact clones; 0 unless a number of tokens was requested."""
    duplicated_lines: int | None
    """Lines in exact clones, each counted once; None if these were not requested."""
    duplicated_percent: float | None
    """Also None without any lines."""
    similar_lines: int | None
    """Lines in exact, renamed and gapped clones; None if only semantic ones were requested."""
    similar_percent: float | None
    uncompared_pairs: int
    """Pairs of functions that were not compared, because very many are alike; each of them was
    compared with at least twelve of the others."""


class Phase(Item):
    """The time of one phase of the search."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Duplicates:
    """The groups of clones, the product before tests and samples, biggest first, and totals."""

    summary: DuplicateSummary
    groups: list[CloneGroup]
    files: list[FileDuplication]
    phases: list[Phase]
    tokens: int


class SearchMemory(Protocol):
    """What remembers the search for each type; `Inputs` does."""

    def get(self, measure: Measure[Inputs, Hashable, T], options: Hashable, /) -> T:
        """Return what was found: remembered, updated or computed now."""


@gc_off()
def find_duplicates(
    files: Sequence[FileFacts],
    options: DuplicateOptions,
    job: Job,
    memory: SearchMemory | None = None,
    device: Device | None = None,
) -> Duplicates:
    """Find the clones of files, which need their outline and tokens.

    With a memory, only what changed since the last search is searched for copies. With a device,
    candidates are searched for there; the result is the same.

    Raises:
        DependencyMissing: without the extra.
    """
    require_extra("measures", "The search for duplicates")
    clock = _Clock()
    search = _Search(files, options, job, clock, memory, device)
    totals = {file.path: file.outline.lines for file in files}
    found = overview_of([it for kind in options.types for it in search.of(kind)], totals)
    groups, shares = found.groups, found.shares
    total = sum(totals.values())
    duplicated = sum(share.duplicated_lines for share in shares)
    similar = sum(share.similar_lines for share in shares)
    clock.lap("groups")
    is_counted = "exact" in options.types
    is_compared = not set(SIMILAR).isdisjoint(options.types)
    counts = Counter(it.type for it in groups)
    summary = DuplicateSummary(
        total_files=len(files),
        total_lines=total,
        files_with_duplicates=len(shares),
        groups={kind: counts[kind] for kind in options.types},
        test_groups=sum(it.is_test_code for it in groups),
        fragments=sum(len(group.fragments) for group in groups),
        min_lines=options.minimum.lines,
        min_tokens=options.minimum.window,
        min_function_tokens=options.minimum.tokens or 0,
        duplicated_lines=duplicated if is_counted else None,
        duplicated_percent=percent(duplicated, total) if is_counted and total else None,
        similar_lines=similar if is_compared else None,
        similar_percent=percent(similar, total) if is_compared and total else None,
        uncompared_pairs=search.uncompared,
    )
    return Duplicates(summary, groups, shares, clock.phases, search.tokens)


class _Clock:
    """Measures the time of each phase."""

    def __init__(self) -> None:
        self.phases: list[Phase] = []
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.phases.append(Phase(name=name, seconds=round(now - self._since, 4)))
        self._since = now


class _Search:
    """Finds clones of one type after the other; a corpus is built when it is first needed."""

    def __init__(
        self,
        files: Sequence[FileFacts],
        options: DuplicateOptions,
        job: Job,
        clock: _Clock,
        memory: SearchMemory | None,
        device: Device | None,
    ) -> None:
        self._memory = memory
        self._device = device
        self._files = files
        self._current = CurrentFiles(files)
        self._options = options
        self._wanted = frozenset(options.files)
        self._job = job
        self._clock = clock
        self._corpus: Corpus | None = None
        self._functions: FunctionCorpus | None = None
        self._finders: dict[CloneType, Callable[[], list[CloneGroup]]] = {
            "exact": self._exact,
            "renamed": self._renamed,
            "gapped": self._gapped,
            "semantic": self._semantic,
        }
        self.tokens = 0
        self.uncompared = 0

    def of(self, kind: CloneType) -> list[CloneGroup]:
        """Return the groups of one type."""
        if self._job.is_expired:
            self._job.leave_out(f"{kind} clones")
            return []
        found = self._finders[kind]()
        self._clock.lap(kind)
        return found

    def _is_wanted(self, group: CloneGroup) -> bool:
        """Whether a group is asked for: it covers only groups in the files that it is in, too."""
        wanted = self._wanted
        return not wanted or not wanted.isdisjoint(it.file for it in group.fragments)

    def _exact(self) -> list[CloneGroup]:
        groups = self._copies(EXACT, self._words)
        minimum = self._options.minimum
        found = self._updated(
            "small functions",
            KnownFunctions(),
            lambda known: find_small_functions(self._current, minimum, known, self._job),
            minimum,
        )
        places = ClonePlaces(groups)
        for group in found.groups:
            one = group.group
            if one is not None and self._is_wanted(one) and not places.cover(one):
                places.add([one])
                groups.append(one)
        return groups

    def _renamed(self) -> list[CloneGroup]:
        return self._copies(RENAMED, self._code)

    def _copies(self, kind: CopyKind, read: ReadCorpus) -> list[CloneGroup]:
        minimum = self._options.minimum
        found = self._updated(
            f"{kind.type} clones",
            KnownRepeats(),
            lambda known: find_copies(kind, self._current, read, minimum, known, self._job),
            minimum,
        )
        self.tokens = max(self.tokens, found.tokens)
        return [it.group for it in found.groups if self._is_wanted(it.group)]

    def _updated(self, name: str, nothing: T, find: Callable[[T], T], options: Hashable) -> T:
        """Find something, given what was found before with the same options."""
        if self._memory is None:
            return find(nothing)
        measure = Measure[Inputs, Hashable, T](
            name,
            type(nothing),
            lambda _inputs, _options: find(nothing),
            lambda before, _inputs, _options: find(before),
            slot=lambda it: it,
            is_part=True,
        )
        return self._memory.get(measure, options)

    def _words(self, files: Sequence[FileFacts]) -> Corpus:
        """Return the words of files: those of texts, such as docstrings, are tokens too."""
        corpus = build_corpus(files, self._job, splits_literals=True, device=self._device)
        self._clock.lap("words")
        return corpus

    def _code(self, files: Sequence[FileFacts]) -> Corpus:
        if len(files) == len(self._files):
            return self._plain()
        return build_corpus(files, self._job, splits_literals=False, device=self._device)

    def _gapped(self) -> list[CloneGroup]:
        return self._near(GappedClones(self._options.threshold))

    def _semantic(self) -> list[CloneGroup]:
        return self._near(SemanticClones(self._options.threshold))

    def _near(self, kind: NearKind) -> list[CloneGroup]:
        minimum = self._options.minimum
        found = self._updated(
            f"{kind.type} clones",
            KnownPairs(),
            lambda known: find_near(kind, self._current, self._code_of, minimum, known, self._job),
            (minimum, self._options.threshold),
        )
        self.tokens = max(self.tokens, found.tokens)
        self.uncompared = max(self.uncompared, found.uncompared)
        return [it.group for it in found.groups if self._is_wanted(it.group)]

    def _plain(self) -> Corpus:
        if self._corpus is None:
            self._corpus = build_corpus(
                self._files, self._job, splits_literals=False, device=self._device
            )
            self.tokens = max(self.tokens, len(self._corpus.tokens))
            self._clock.lap("words of code")
        return self._corpus

    def _code_of(self, files: Sequence[FileFacts]) -> FunctionCorpus:
        """Return the code of files; that of all files is kept for the next type."""
        if len(files) < len(self._files):
            return FunctionCorpus(files, self._code(files), self._job)
        if self._functions is None:
            self._functions = FunctionCorpus(files, self._plain(), self._job)
        return self._functions
