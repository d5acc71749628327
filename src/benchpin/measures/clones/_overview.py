"""Which groups of clones are reported, in their order, and how much of each file they are.

Groups are kept from one search to the next where nothing changed. So an overview is made from the
one before: only groups that are new, and those in the same files as groups that are new or gone,
are looked at again. The first overview is the same: all groups are new.
"""

from bisect import insort
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.core.results import Item
from benchpin.facts import FileFacts
from benchpin.memory import Reduction, key_digest, open_reductions
from benchpin.workspace.walking import is_product_path

from ._grouping import CloneGroup, CloneType, Fragment, Places, add_places, is_covered
from ._known_files import KnownSearch

# The strictest first.
ALL: tuple[CloneType, ...] = ("exact", "renamed", "gapped", "semantic")
# Semantic clones do not count as similar lines: they may be written quite differently.
SIMILAR: tuple[CloneType, ...] = ("exact", "renamed", "gapped")
# If there is at most one new group for so many known ones, each is put into its place.
_FEW = 16
# A search is saved once this many files changed: some megabytes, too many for every edit.
_MAX_UNSAVED = 16
_ROOM = 4
_OVERVIEW = "overview of clones"


T = TypeVar("T", bound=KnownSearch)


class FileDuplication(Item):
    """How much of a file is duplicated."""

    file: str
    is_test_code: bool
    """Whether it is a test or a sample."""
    groups: int
    duplicated_lines: int
    """In exact clones."""
    similar_lines: int
    """In exact, renamed and gapped clones."""
    total_lines: int
    duplicated_percent: float


@dataclass(frozen=True, slots=True)
class Overview:
    """What is reported of some groups; groups are looked up by identity."""

    found: Sequence[CloneGroup] = ()
    """All groups, whether reported or not."""
    positions: dict[int, int] = field(default_factory=dict)
    """The position of each of them."""
    covered: frozenset[int] = frozenset()
    """Those whose places are all inside the places of one group of a stricter type."""
    places: dict[CloneType, Places] = field(default_factory=dict)
    groups: list[CloneGroup] = field(default_factory=list)
    """Those that are not covered: the product before tests and samples, biggest first."""
    shares: dict[str, FileDuplication] = field(default_factory=dict)
    """The files with duplicated or similar lines."""

    def ranked_shares(self) -> list[FileDuplication]:
        """Return the shares of files: the product first, then by lines."""
        return sorted(
            self.shares.values(),
            key=lambda it: (it.is_test_code, -it.duplicated_lines, -it.similar_lines, it.file),
        )


def overview_of(
    found: Sequence[CloneGroup], files: Sequence[FileFacts], before: Overview
) -> Overview:
    """Return what is reported of groups, given an overview of nearly the same ones."""
    positions = {id(it): at for at, it in enumerate(found)}
    update = _Update(found, positions, before)
    update.cover()
    return Overview(
        found=found,
        positions=positions,
        covered=frozenset(update.covered),
        places=update.places,
        groups=_in_order(found, positions, update.covered, before),
        shares=update.shares({it.path: it.outline.lines for it in files}),
    )


class _Update:
    """Looks at the groups in files where a group is new or gone."""

    def __init__(
        self, found: Sequence[CloneGroup], positions: Mapping[int, int], before: Overview
    ) -> None:
        added = [it for it in found if id(it) not in before.positions]
        removed = [it for it in before.found if id(it) not in positions]
        self._before = before
        self._dirty = set(_files_of(added)) | set(_files_of(removed))
        self.covered = set(before.covered).difference(map(id, removed))
        self.places = {kind: dict(before.places.get(kind, {})) for kind in ALL}
        for places in self.places.values():
            for path in self._dirty:
                if path in places:  # lists of their own: those of the overview before stay
                    places[path] = [it for it in places[path] if id(it[2]) in positions]
        for kind, places in self.places.items():
            add_places(places, (it for it in added if it.type == kind))

    def cover(self) -> None:
        """Find out again which groups are covered, strict types first."""
        for at, kind in enumerate(ALL):
            stricter = [self.places[it] for it in ALL[:at]]
            here = {id(it): it for it in self._dirty_groups(kind)}
            changed = [
                it
                for it in here.values()
                if is_covered(it, stricter, self.covered) != (id(it) in self.covered)
            ]
            self.covered.symmetric_difference_update(map(id, changed))
            self._dirty.update(_files_of(changed))

    def _dirty_groups(self, kind: CloneType) -> Iterator[CloneGroup]:
        places = self.places[kind]
        return (it[2] for path in self._dirty for it in places.get(path, ()))

    def shares(self, totals: Mapping[str, int]) -> dict[str, FileDuplication]:
        """Return the shares of files, given how many lines each has."""
        before = self._before.shares
        kept = {
            path: it
            for path, it in before.items()
            if path not in self._dirty and totals.get(path) == it.total_lines
        }
        again = self._dirty.union(before.keys() - kept.keys())
        return kept | {path: it for path in again for it in self._share(path, totals)}

    def _share(self, path: str, totals: Mapping[str, int]) -> Iterator[FileDuplication]:
        """Yield the share of a file, if there is one."""
        numbers: set[int] = set()
        exact: list[tuple[int, int]] = []
        similar: list[tuple[int, int]] = []
        for kind in SIMILAR:
            for _, _, group, fragment in self.places[kind].get(path, ()):
                if id(group) not in self.covered:
                    numbers.add(id(group))
                    similar += _without_gaps(fragment)
            if kind == "exact":
                exact = similar.copy()
        if numbers:
            yield FileDuplication(
                file=path,
                is_test_code=not is_product_path(path),
                groups=len(numbers),
                duplicated_lines=(duplicated := _lines_in(exact)),
                similar_lines=_lines_in(similar),
                total_lines=totals[path],
                duplicated_percent=percent(duplicated, totals[path]),
            )


def _files_of(groups: Iterable[CloneGroup]) -> Iterator[str]:
    return (it.file for group in groups for it in group.fragments)


def _in_order(
    found: Sequence[CloneGroup],
    positions: Mapping[int, int],
    covered: set[int],
    before: Overview,
) -> list[CloneGroup]:
    """Return the groups that are not covered, in the order of the report."""

    def key(group: CloneGroup) -> tuple[bool, int, str, int, str, int]:
        """Return the sort key: the product first, then most removable tokens, then by place."""
        first = group.fragments[0]
        place = (first.file, first.line, group.type, positions[id(group)])
        return group.is_test_code, -group.removable_tokens, *place

    reported = before.positions.keys() - before.covered
    groups = [it for it in before.groups if id(it) in positions and id(it) not in covered]
    new = [it for it in found if id(it) not in covered and id(it) not in reported]
    if len(new) * _FEW > len(groups):
        return sorted([*groups, *new], key=key)
    for new_group in new:
        insort(groups, new_group, key=key)
    return groups


def _without_gaps(fragment: Fragment) -> list[tuple[int, int]]:
    """Return the lines of a fragment that have a counterpart, from the first to after the last."""
    spans: list[tuple[int, int]] = []
    start = fragment.line
    for gap in sorted(fragment.gaps, key=lambda it: it.line):
        spans.append((start, gap.line))
        start = max(start, gap.end_line + 1)
    spans.append((start, fragment.end_line + 1))
    return spans


def _lines_in(spans: list[tuple[int, int]]) -> int:
    """Count the lines in some spans, each once."""
    count = reached = 0
    for start, end in sorted(spans):
        if end > max(start, reached):
            count += end - max(start, reached)
            reached = end
    return count


def percent(part: int, whole: int) -> float:
    """Return a share as a percentage."""
    return round(100 * part / whole, 2)


class SearchMemory:
    """The last searches of one selection of files: in the session, and some on disk."""

    def __init__(
        self, session: WorkspaceSession, job: Job, slot: Hashable, *, is_fresh: bool = False
    ) -> None:
        """Remember by a slot, which is the same for all searches that can follow one another.

        With `is_fresh`, what is remembered is not used.
        """
        self._session = session
        self._job = job
        self._slot = key_digest((str(session.root), slot))
        self._is_fresh = is_fresh
        self._omissions = job.omissions
        self.recalled: set[str] = set()
        """The names of the searches that were remembered."""

    def has_recalled(self, types: Iterable[str]) -> bool:
        """Whether the last search is known of all these types of clones."""
        return all(f"{it} clones" in self.recalled for it in types)

    def recall(self, kind: Reduction[T], nothing: T, *made_of: Hashable) -> T:
        """Return what the last search with the same options found, or `nothing`."""
        if self._is_fresh:
            return nothing
        slot = self._slot_of(kind.name, made_of)

        def load() -> T:
            found = kind.decode(open_reductions(self._session).newest(slot))
            return nothing if found is None else found[0]

        known = self._session.remember(self._job, kind.name, slot, load, room=_ROOM)
        if known.files:
            self.recalled.add(kind.name)
        return known

    def keep(self, kind: Reduction[T], found: T, *made_of: Hashable) -> None:
        """Keep what was found, unless time ran out."""
        if self._job.omissions != self._omissions:
            return
        slot = self._slot_of(kind.name, made_of)
        if found.unsaved > _MAX_UNSAVED or kind.name not in self.recalled:
            found = replace(found, unsaved=0)
            data = kind.encode(found)
            if data is not None:
                open_reductions(self._session).save(slot, slot, data)
        self._session.remember(self._job, kind.name, slot, lambda: found, room=_ROOM, is_fresh=True)

    def overview(self, *made_of: Hashable) -> Overview:
        """Return the last overview of this process with the same options, or an empty one."""
        known = (
            None
            if self._is_fresh
            else self._session.recall(_OVERVIEW, self._slot_of(_OVERVIEW, made_of))
        )
        return Overview() if known is None else cast("Overview", known[0])

    def keep_overview(self, found: Overview, *made_of: Hashable) -> None:
        """Keep an overview in this process: it names groups by their identity."""
        slot = self._slot_of(_OVERVIEW, made_of)
        self._session.remember(self._job, _OVERVIEW, slot, lambda: found, room=_ROOM, is_fresh=True)

    def _slot_of(self, name: str, made_of: tuple[Hashable, ...]) -> bytes:
        return key_digest((name, self._slot, *made_of))
