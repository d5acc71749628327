"""What the last search for clones found, so that the next one looks only at what changed."""

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import TypeVar, cast

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.memory import Reduction, key_digest, open_reductions

from ._known_files import KnownSearch
from ._overview import Overview

# A search is saved once this many files changed: some megabytes, too many for every edit.
_MAX_UNSAVED = 16
_ROOM = 4
_OVERVIEW = "overview of clones"


T = TypeVar("T", bound=KnownSearch)


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
