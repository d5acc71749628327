"""A workspace before and after a change, as the checks see it."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from benchpin.code import CodeIndex, index_of
from benchpin.code.changes import ChangedFile, SymbolChange, files_after, files_before
from benchpin.code.names import SymbolTable
from benchpin.core.calls import Job
from benchpin.facts import FileFacts, FileSelection, Import, open_index
from benchpin.facts.imports import ImportResolver, Resolution, resolve_imports
from benchpin.facts.languages import name_scope_of
from benchpin.facts.store import Section
from benchpin.project import Project
from benchpin.workspace.diffs import changed_hunks

_MIN_CHARS = 6
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


def last_part(name: str) -> str:
    """Return a name without its containers."""
    return name.rpartition(".")[2]


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
    now: datetime

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
    def project_after(self) -> Project:
        """The measures of all files after the change."""
        return self._project(files_after(self.files))

    @cached_property
    def project_before(self) -> Project:
        """The measures of all files before the change."""
        return self._project(files_before(self.files))

    def _project(self, files: Mapping[str, FileFacts | None]) -> Project:
        selection = self.selection.workspace().replacing(files)
        return Project(selection, self.now, skip_when_late=True)

    @cached_property
    def _by_path(self) -> Mapping[str, FileFacts]:
        return {it.path: it for it in self.after}

    def file_after(self, path: str) -> FileFacts | None:
        """Return a file after the change."""
        return self._by_path.get(path)

    def old_path(self, path: str) -> str:
        """Return the path of a file before the change; empty if it is new."""
        for delta in (it.delta for it in self.files):
            if delta.path == path:
                return "" if delta.before is None else delta.old_path or path
        return path

    def occurrences(self, name: str) -> int:
        """Return how often a name is written after the change: in code, strings and imports."""
        found = 0
        for links in (it.links for it in self.after):
            found += links.references.get(name, 0) + (name in links.mentions)
            found += sum(name in it.names for it in links.imports) + (name in links.exports)
        return found

    def is_defined(self, name: str) -> bool:
        """Whether a function or type has a name after the change."""
        return name in self._defined

    @cached_property
    def _defined(self) -> frozenset[str]:
        found: set[str] = set()
        for outline in (it.outline for it in self.after):
            found.update(last_part(it.name) for it in outline.functions)
            found.update(last_part(it.name) for it in outline.types)
        return frozenset(found)

    @cached_property
    def nearby(self) -> CodeIndex:
        """The symbols of the changed files and of what they import, directly or through others.

        That is enough to judge new code, and takes a tenth of the time of an index of everything.
        """
        by_path = self._by_path
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
