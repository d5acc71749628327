"""Measures of a selection of files, and what they read: the keys of results are derived from it.

    DEBT = Measure[Project, float, Debt]("debt", Debt, lambda project, option: ...)
    found = project.get(DEBT, 0.5)

A result is kept for the content of the selected files and the options: all that the caller decides,
and what other measures found. Whatever else is read on the way, such as a manifest, is noted with
its digest, stored with the result and compared before the result is used again.
"""

import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import GenericAlias
from typing import Any, Generic, Self, TypeVar, cast

from benchpin.core.calls import HowMade
from benchpin.facts import FileFacts, FileSelection, Sources
from benchpin.facts.store import Section
from benchpin.facts.workers import FactOrder

from ._reductions import Reduction, key_digest, remember

From_contra = TypeVar("From_contra", bound="Inputs", contravariant=True)
Options = TypeVar("Options", bound=Hashable)
T = TypeVar("T")
V = TypeVar("V")
_MANIFEST = "manifest "


@dataclass(frozen=True)
class Kept(Generic[T]):
    """A result, and the digest of what was read for it besides the selected files."""

    value: T
    reads: dict[str, bytes]


@dataclass(frozen=True)
class Measure(Generic[From_contra, Options, T]):
    """A result that is computed from inputs and options alone."""

    name: str
    type: Any  # as in `Reduction`
    reduce: Callable[[From_contra, Options], T]
    update: Callable[[T, From_contra, Options], T | None] | None = None
    """Starts from the last result for the same selection and slot, if it read the same besides."""
    slot: Callable[[Options], Hashable] = lambda _options: ()
    """Returns the part of the options that an update cannot bridge."""
    is_part: bool = False
    """As in `Reduction`."""
    of_files: bool = True
    """Whether it depends on the selected files; else only on the workspace and what it notes."""
    facts: Callable[[Options], tuple[FactOrder, ...]] = lambda _options: ()
    """Returns what it asks of each file, so that it is derived when the file is parsed."""

    @cached_property
    def kept(self) -> Reduction[Kept[T]]:
        """How results are stored."""
        return Reduction(self.name, GenericAlias(Kept, (self.type,)), self.is_part)


class Inputs:
    """What the measures of one call read: the selected files, and what is noted besides."""

    def __init__(self, selection: FileSelection) -> None:
        self.selection = selection
        self.how: HowMade = "computed"
        """How the result that is being computed comes about; a measure of parts may change it."""
        self.parts: dict[str, HowMade] = {}
        """How the steps of measures came about, which answers do not name."""
        self._reads: dict[str, bytes] = {}
        self._made: dict[object, tuple[object, list[str]]] = {}
        """What was made once in this call, and what each lacks."""
        self._digests: dict[str, Callable[[], bytes]] = {}

    def read(self, *sections: Section, on_demand: tuple[Section, ...] = ()) -> Sources:
        """Return the facts of the selected files, as `FileSelection.read`."""
        return self.selection.read(*sections, on_demand=on_demand)

    @property
    def sources(self) -> Sources:
        """The selected files with their outlines, and those that could not be measured."""
        return self.once("sources", self.read)

    @property
    def files(self) -> list[FileFacts]:
        """The selected files with their outlines; links are loaded on demand."""
        return self.once("files", lambda: self.read(on_demand=("links",)).files)

    @property
    def listing(self) -> Sources:
        """The selected files without facts; those that are new or changed are measured now."""
        return self.once("listing", self.selection.list_files)

    def once(self, key: object, make: Callable[[], V]) -> V:
        """Return what is made once in a call.

        What lacks something says so to each who asks: who goes on with it is incomplete too, and
        must not be remembered.
        """
        job = self.selection.job
        if key not in self._made:
            omissions = job.omissions
            value = make()
            self._made[key] = value, job.left_out_since(omissions)
            return value
        known, lacks = self._made[key]
        for what in lacks:
            job.leave_out(what)
        return cast("V", known)

    @cached_property
    def digest(self) -> bytes:
        """The digest of the paths and contents of the selected files; no facts are read for it."""
        has_generated = self.selection.query.options.include_vendored
        return key_digest((self.listing.digest, has_generated))

    def read_manifest(self, path: str) -> bytes | None:
        """Return the beginning of a file, as `FileSelection.read_manifest`, and note it."""
        data = self.selection.read_manifest(path)
        self._reads[_MANIFEST + path] = self.selection.manifests[path] or b""
        return data

    def note_manifests(self) -> None:
        """Note every manifest that was read for the selection so far, in another process too."""
        manifests = self.selection.manifests.items()
        self._reads |= {_MANIFEST + path: digest or b"" for path, digest in manifests}

    def expect(self, *facts: FactOrder) -> None:
        """Have facts derived from new files when they are parsed: measures will ask for them."""
        for fact in facts:
            self.selection.expect(fact)

    def offer(self, name: str, digest: Callable[[], bytes]) -> None:
        """Say how to find the digest of something that measures may note by this name."""
        self._digests[name] = digest

    def note(self, name: str) -> None:
        """Note that something was read that has a name."""
        self._reads[name] = self._digest_of(name)

    def _digest_of(self, name: str) -> bytes:
        """Return the digest of something that was noted, as it is now."""
        if not name.startswith(_MANIFEST):
            return self._digests[name]()
        path = name.removeprefix(_MANIFEST)
        self.selection.read_manifest(path)
        return self.selection.manifests[path] or b""

    def starts(self, name: str) -> None:
        """Handle a measure that is not remembered, before it is computed."""

    def get(self, measure: Measure[Self, Options, T], options: Options) -> T:
        """Return a result: remembered, on disk, updated from the one before, or computed now.

        Raises:
            Cancelled: when the job is cancelled while it waits.
        """
        selection = self.selection
        asked, omissions = (measure.name, options), selection.job.omissions
        if asked in self._made:
            return self.once(asked, lambda: measure.reduce(self, options))
        self.expect(*measure.facts(options))  # before the digest, for which new files are parsed
        how: HowMade = "recalled"

        def is_current(known: Kept[T]) -> bool:
            return all(self._digest_of(name) == digest for name, digest in known.reads.items())

        def reduce() -> Kept[T]:
            nonlocal how
            with self._noting(measure.name) as reads:
                value = measure.reduce(self, options)
                how = self.how
            return Kept(value, reads)

        def update(before: Kept[T]) -> Kept[T] | None:
            nonlocal how
            if measure.update is None or not is_current(before):
                return None
            with self._noting(measure.name) as reads:
                value = measure.update(before.value, self, options)
            how = "updated"
            return None if value is None else Kept(value, before.reads | reads)

        found = remember(
            selection.session,
            selection.job,
            measure.kept,
            (self.digest if measure.of_files else os.fsencode(selection.root), options),
            reduce,
            update=None if measure.update is None else update,
            slot=(selection.query, measure.slot(options)),
            is_current=is_current,
            is_fresh=selection.is_fresh,
            how_made=lambda: how,
        )
        if measure.is_part:
            self.parts[measure.name] = how
        self._reads |= found.reads  # a measure that asked for this one depends on them too
        if lacks := selection.job.left_out_since(omissions):
            # Not remembered, but given again in this call: another one would be cut elsewhere.
            self._made[asked] = found.value, lacks
        return found.value

    @contextmanager
    def _noting(self, name: str) -> Iterator[dict[str, bytes]]:
        """Note what one measure reads."""
        self.starts(name)
        around = self._reads, self.how
        self._reads, self.how = {}, "computed"
        try:
            yield self._reads
        finally:
            self._reads, self.how = around
