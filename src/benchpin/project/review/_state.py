"""A workspace before and after a change, as the checks see it."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from benchpin.code import CodeIndex, index_of
from benchpin.code.changes import ChangedFile, SymbolChange, files_after, files_before
from benchpin.code.names import SymbolTable
from benchpin.core.calls import Job
from benchpin.facts import FileFacts, FileSelection, Import, open_index
from benchpin.facts.imports import ImportResolver, Resolution, resolve_imports
from benchpin.facts.languages import name_scope_of
from benchpin.facts.store import Section, content_digest
from benchpin.workspace.diffs import changed_hunks

from ._names import NameCounts, WorkspaceNames

_MIN_CHARS = 6
_ROOM = 2
# How many imports are followed, from a changed file on.
_MAX_STEPS = 4
# Files that are read for that, the nearest first.
_MAX_NEAR = 150
_ALL_SECTIONS: tuple[Section, ...] = ("outline", "links", "comments", "tokens")


def _within(known: Container[str], leads: Iterable[Resolution]) -> tuple[Resolution, ...]:
    """Return where imports lead, without files that are not known here."""
    return tuple(
        replace(it, files=tuple(path for path in it.files if path in known)) for it in leads
    )


def is_distinct(name: str) -> bool:
    """Whether a name is hardly an ordinary word: of several words, and long."""
    is_compound = "_" in name.strip("_") or any(it.isupper() for it in name[1:])
    return is_compound and len(name) >= _MIN_CHARS


@dataclass(frozen=True)
class ReviewState:
    """What changed, and everything around it."""

    selection: FileSelection
    files: Sequence[ChangedFile]
    symbols: Sequence[SymbolChange]

    @property
    def job(self) -> Job:
        """The call that this is for."""
        return self.selection.job

    @cached_property
    def others(self) -> list[FileFacts]:
        """The files of the workspace that the change leaves alone."""
        touched = {name for it in self.files for name in (it.delta.path, it.delta.old_path)}
        found = self.selection.workspace().read("links").files
        return [it for it in found if it.path not in touched]

    @cached_property
    def changed(self) -> Mapping[str, FileFacts]:
        """The changed files after the change, by path."""
        return {it.delta.path: it.after for it in self.files if it.after is not None}

    def text_of(self, path: str) -> str:
        """Return the text of a file after the change."""
        for file in self.files:
            if file.delta.path == path:
                return (file.delta.after or b"").decode(errors="replace")
        return (self._read(path) or b"").decode(errors="replace")

    def lines_of(self, path: str) -> list[str]:
        """Return the lines of a file after the change."""
        return self.text_of(path).split("\n")

    @cached_property
    def after(self) -> list[FileFacts]:
        """All files after the change."""
        return [*self.others, *self.changed.values()]

    @cached_property
    def before(self) -> list[FileFacts]:
        """All files before the change."""
        old = files_before(self.files).values()
        return [*self.others, *(it for it in old if it is not None)]

    @cached_property
    def nearby(self) -> CodeIndex:
        """The symbols of the changed files and of what they import, directly or through others.

        That is enough to judge new code, and takes a tenth of the time of an index of everything.
        """
        by_path = {it.path: it for it in self.after}
        resolver = ImportResolver(self.after, self._read)
        leads: dict[str, tuple[Resolution, ...]] = {}
        ahead = list(self.changed)
        for _ in range(_MAX_STEPS):
            new = [by_path[it] for it in ahead if it not in leads][: _MAX_NEAR - len(leads)]
            if not new:
                break
            leads |= {it.path: resolver.leads(it) for it in self.job.each(new, "files")}
            found = (lead for it in new for lead in leads.get(it.path, ()))
            reached = (path for lead in found for path in lead.files)
            beside = (path for it in new for path in self._package_of(it))
            ahead = [it for it in dict.fromkeys((*reached, *beside)) if it in by_path]
        workspace = self.selection.workspace()
        query = replace(workspace.query, paths=frozenset(leads.keys() - self.changed.keys()))
        others = replace(workspace, query=query).read(*_ALL_SECTIONS).files
        files = [it for it in (*others, *self.changed.values()) if it.path in leads]
        known = {it.path for it in files}
        return CodeIndex(
            SymbolTable.of(files, {path: _within(known, leads[path]) for path in known})
        )

    def _package_of(self, file: FileFacts) -> list[str]:
        """Return the files whose names a file sees without importing them."""
        if name_scope_of(file.language) != "package":
            return []
        folder = file.path.rpartition("/")[0]
        return [it.path for it in self.after if it.path.rpartition("/")[0] == folder]

    @cached_property
    def index(self) -> CodeIndex:
        """The symbols of all files after the change."""
        known = index_of(self.selection)
        return known.with_files(files_after(self.files), self._read, self.job)

    def new_lines(self, file: ChangedFile) -> frozenset[int]:
        """Return the lines that a change adds, and those around what it only deletes."""
        found: set[int] = set()
        for hunk in changed_hunks(file.delta.before or b"", file.delta.after or b""):
            deleted = hunk.new_start == hunk.new_end
            found.update(range(hunk.new_start + (not deleted), hunk.new_end + 1 + deleted))
        return frozenset(found)

    @cached_property
    def names(self) -> "WorkspaceNames":
        """The names of all files after the change."""
        files = self.selection.workspace().read("links").files
        whole = self.selection.session.remember(
            self.job,
            "names of the workspace",
            content_digest(files),
            lambda: NameCounts(files),
            room=_ROOM,
        )
        kept = {it.path for it in self.others}
        replaced = NameCounts([it for it in files if it.path not in kept])
        return WorkspaceNames(whole, replaced, NameCounts([*self.changed.values()]))

    @cached_property
    def imports_after(self) -> Mapping[str, tuple[Resolution, ...]]:
        """Where the imports of each file lead after the change."""
        return resolve_imports(self.after, self._read, self.job)

    @cached_property
    def imports_before(self) -> Mapping[str, tuple[Resolution, ...]]:
        """Where they led before it."""
        return resolve_imports(self.before, self._read, self.job)

    def resolved(
        self, files: Iterable[FileFacts], resolutions: Mapping[str, tuple[Resolution, ...]]
    ) -> Iterator[tuple[FileFacts, Import, Resolution]]:
        """Yield every import with where it leads."""
        for file in files:
            leads = resolutions.get(file.path, ())
            for imported, lead in zip(file.links.imports, leads, strict=False):
                yield file, imported, lead

    def with_tokens(self, files: Sequence[FileFacts]) -> dict[str, FileFacts]:
        """Return some files of the state after the change with their tokens."""
        wanted = [it.path for it in files if it.path not in self.changed]
        texts = {path: self._read(path) or b"" for path in wanted}
        language = {it.path: it.language for it in files}
        index = open_index(self.selection.session)
        read = index.read_texts(
            {path: (language[path], text) for path, text in texts.items()},
            ("outline", "tokens"),
            self.job,
        )
        known = {**read, **self.changed}
        return {it.path: known[it.path] for it in files if it.path in known}

    def _read(self, path: str) -> bytes | None:
        return self.selection.read_manifest(path)
