"""A workspace before and after a change, as the checks see it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from benchpin.code import CodeIndex, index_of
from benchpin.code.changes import ChangedFile, SymbolChange, files_after, files_before
from benchpin.core.calls import Job
from benchpin.facts import FileFacts, FileSelection
from benchpin.project import Project
from benchpin.workspace.diffs import changed_hunks

_MIN_CHARS = 6


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

    def text_of(self, path: str) -> str:
        """Return the text of a file after the change."""
        for file in self.files:
            if file.delta.path == path:
                return (file.delta.after or b"").decode(errors="replace")
        return (self.selection.read_manifest(path) or b"").decode(errors="replace")

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

    def file_after(self, path: str) -> FileFacts | None:
        """Return a file after the change."""
        module = self.index.symbols.modules.get(path)
        return None if module is None else module.facts

    def old_path(self, path: str) -> str:
        """Return the path of a file before the change; empty if it is new."""
        for delta in (it.delta for it in self.files):
            if delta.path == path:
                return "" if delta.before is None else delta.old_path or path
        return path

    def occurrences(self, name: str) -> int:
        """Return how many files have a name after the change; how often, if one file has it."""
        names, modules = self.index.symbols.names, self.index.symbols.modules
        using = names.using(name)
        found = len(using) + len(names.importing(name)) + len(names.mentioning(name))
        return found if found != 1 or not using else modules[using[0]].facts.links.references[name]

    @cached_property
    def index(self) -> CodeIndex:
        """The symbols of all files after the change."""
        return self._index_with(files_after(self.files))

    @cached_property
    def index_before(self) -> CodeIndex:
        """The symbols of all files before the change."""
        return self._index_with(files_before(self.files))

    def _index_with(self, files: Mapping[str, FileFacts | None]) -> CodeIndex:
        return index_of(self.selection).with_files(files, self.selection.read_manifest, self.job)

    def new_lines(self, file: ChangedFile) -> frozenset[int]:
        """Return the lines that a change adds, and those around what it only deletes."""
        found: set[int] = set()
        for hunk in changed_hunks(file.delta.before or b"", file.delta.after or b""):
            deleted = hunk.new_start == hunk.new_end
            found.update(range(hunk.new_start + (not deleted), hunk.new_end + 1 + deleted))
        return frozenset(found)
