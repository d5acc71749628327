"""The index of a workspace, kept from call to call and from process to process.

What is kept says which files have a name and where imports lead, not what is in the files: these
are read when a question leads to them. It is made of one state of the workspace. After edits, the
files that differ from it are indexed on top of it; after many, or when files come or go, it is made
again. Generated files are in it: they use the names of others, and a rename that passed them over
would break them.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from benchpin.code.names import (
    Modules,
    NameTable,
    Postings,
    SymbolTable,
    UsedNames,
    defined_in,
    used_in,
)
from benchpin.core.calls import HowMade
from benchpin.facts import FileFacts, FileSelection, open_index
from benchpin.facts.imports import Resolution, resolve_imports
from benchpin.facts.store import FactsGone, ManifestReads, Section, are_current, content_digest
from benchpin.memory import Reduction, newest_result, remember

from ._code_index import CodeIndex
from ._searched_index import searched_index

_SECTIONS: tuple[Section, ...] = ("outline", "links", "tokens", "comments")
# Indexes are big: keep those before and after a change.
_ROOM = 2
# With more changed files, a new index takes less time than an update.
_MAX_CHANGED_FILES = 200


# The digest of each manifest that decides where imports lead; None for one that is not there.
Manifests = dict[str, bytes | None]


class IndexTables(msgspec.Struct, frozen=True, array_like=True):
    """What lookups across the files of a project need."""

    keys: list[bytes]
    """Of the contents of the files in `used.paths`."""
    manifests: Manifests
    used: UsedNames
    defined: Postings
    resolutions: list[Resolution]
    """Where imports lead, each once."""
    leads: bytes
    """For each import of all files, its place in `resolutions`, 32 bits each."""
    lead_ends: bytes
    """Where the imports of each file end in `leads`."""


_TABLES = Reduction[IndexTables]("code index", IndexTables)


@dataclass
class _Base:
    """The index that others are updates of, and its tables; a service of the session."""

    made: tuple[CodeIndex, IndexTables] | None = None


def index_for(selection: FileSelection, names: Sequence[str]) -> CodeIndex:
    """Return an index for a question about some names: of all files if that takes little time."""
    return searched_index(selection, names) or index_of(selection)


def index_of(selection: FileSelection) -> CodeIndex:
    """Return the index of the whole workspace, remembered while nothing in it changes."""
    whole = selection.workspace()
    job, session, read = whole.job, whole.session, whole.read_manifest
    files = whole.list_files().files
    base = session.service(_Base, _Base)
    how: HowMade = "recalled"

    def make() -> tuple[CodeIndex, Manifests]:
        nonlocal how
        found = None if whole.is_fresh else _updated(whole, base, files)
        if found is not None:
            how = "recalled" if base.made and found[0] is base.made[0] else "updated"
            return found
        how = "computed"
        omissions = job.omissions
        tables = _make_tables(whole, files)
        index = _opened(tables, whole)
        if job.omissions == omissions:
            base.made = index, tables
        return index, tables.manifests

    index, _ = session.remember(
        job,
        "open code index",
        (content_digest(files), whole.query.options.include_vendored),
        make,
        room=_ROOM,
        is_current=lambda known: are_current(known[1], read),
        is_fresh=whole.is_fresh,
    )
    job.note_measure("code index", how)
    return index


def _updated(
    selection: FileSelection, base: _Base, files: Sequence[FileFacts]
) -> tuple[CodeIndex, Manifests] | None:
    """Return the index of the files by updating the last one; None where there is none for it."""
    if base.made is None:
        kept = newest_result(selection.session, _TABLES, selection.query)
        if kept is not None and _changed(_keys(kept[0]), kept[0], selection, files) is not None:
            base.made = _opened(kept[0], selection), kept[0]
    if base.made is None:
        return None
    index, tables = base.made
    known = {path: file.key for path, file in index.symbols.modules.files.items()}
    changed = _changed(known, tables, selection, files)
    if changed is None:
        return None
    reads = ManifestReads(selection.read_manifest)
    return index.with_files(changed, reads, selection.job), {**tables.manifests, **reads.digests}


def _keys(tables: IndexTables) -> dict[str, bytes]:
    return dict(zip(tables.used.paths, tables.keys, strict=True))


def _changed(
    known: dict[str, bytes],
    tables: IndexTables,
    selection: FileSelection,
    files: Sequence[FileFacts],
) -> dict[str, FileFacts] | None:
    """Return the files whose content changed; None where more changed than that, or too many."""
    paths = [it.path for it in files if it.key != known.get(it.path)]
    if (
        len(paths) > _MAX_CHANGED_FILES
        or [it.path for it in files] != list(known)
        or not are_current(tables.manifests, selection.read_manifest)
    ):
        return None
    changed = selection.only(paths).list_files(*_SECTIONS).files if paths else []
    return {it.path: it for it in changed} if len(changed) == len(paths) else None


def _make_tables(selection: FileSelection, files: Sequence[FileFacts]) -> IndexTables:
    job = selection.job

    def make() -> IndexTables:
        reads = ManifestReads(selection.read_manifest)
        found = selection.read_all("links").files
        resolutions = resolve_imports(found, reads, job)
        known = [file for file in found if file.path in resolutions]
        modules = Modules({file.path: file for file in known}, resolutions.__getitem__)
        numbers: dict[Resolution, int] = {}
        leads, ends = array("I"), array("I")
        for file in known:
            leads.extend(numbers.setdefault(one, len(numbers)) for one in resolutions[file.path])
            ends.append(len(leads))
        return IndexTables(
            [file.key for file in known],
            reads.digests,
            used_in(modules),
            defined_in(modules.values()),
            list(numbers),
            leads.tobytes(),
            ends.tobytes(),
        )

    key = (content_digest(files), selection.query.options.include_vendored)
    return remember(
        selection.session,
        job,
        _TABLES,
        key,
        make,
        slot=selection.query,
        is_current=lambda tables: are_current(tables.manifests, selection.read_manifest),
        is_fresh=selection.is_fresh,
    )


def _opened(tables: IndexTables, selection: FileSelection) -> CodeIndex:
    """Return the index of tables; a file with another content than they say has no key.

    Raises:
        FactsGone: when a file went away just now.
    """
    by_path = {file.path: file for file in selection.list_files(*_SECTIONS).files}
    if gone := [path for path in tables.used.paths if path not in by_path]:
        raise FactsGone(f"{gone[0]} changed while it was read", suggestion="Call again.")
    known = {
        path: by_path[path] if by_path[path].key == key else _without_key(by_path[path])
        for path, key in _keys(tables).items()
    }
    number = {path: at for at, path in enumerate(tables.used.paths)}
    leads = memoryview(tables.leads).cast("I")
    ends = memoryview(tables.lead_ends).cast("I")

    def leads_of(path: str) -> tuple[Resolution, ...]:
        at = number[path]
        own = leads[ends[at - 1] if at else 0 : ends[at]]
        return tuple(tables.resolutions[it] for it in own)

    names = NameTable(tables.used.paths, tables.defined, lambda: tables.used)
    symbols = SymbolTable(Modules(known, leads_of), names)
    return CodeIndex(symbols, open_index(selection.session).keys_lacking)


def _without_key(file: FileFacts) -> FileFacts:
    return msgspec.structs.replace(file, key=b"")
