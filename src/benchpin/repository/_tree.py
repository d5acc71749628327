"""The files of one repository: which there are, where they are, and how they are read."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from benchpin.core.calls import Job, Operation, Permissions, WorkspaceSession
from benchpin.facts import SourceQuery, Sources, open_index
from benchpin.facts.store import Section
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.walking import IgnoreRules, SourceFile, read_rules

# How much is read of a manifest or a document.
MAX_TEXT_BYTES = 1 << 20


@dataclass(frozen=True)
class RepositoryTree:
    """The files of a repository, which may be a folder of the workspace."""

    session: WorkspaceSession
    base: str
    """The folder of the repository with a trailing slash; empty for the workspace itself."""
    files: list[SourceFile]
    skipped: dict[str, int]
    permissions: Permissions = field(default_factory=Permissions)
    is_whole: bool = True
    """Whether there was time to look into all folders."""

    @property
    def root(self) -> Path:
        """The root of the workspace; all paths are relative to it."""
        return self.session.root

    def may(self, path: str) -> bool:
        """Whether a path of the workspace may be read."""
        return self.permissions.may(path, Operation.READ)

    @cached_property
    def by_path(self) -> dict[str, SourceFile]:
        """The files by path."""
        return {file.path: file for file in self.files}

    @cached_property
    def by_folded_path(self) -> dict[str, str]:
        """The paths by their lower-case form; the first of several wins."""
        return {path.lower(): path for path in reversed(self.by_path)}

    @cached_property
    def folders(self) -> frozenset[str]:
        """All folders that contain files, except the repository itself."""
        found: set[str] = set()
        for file in self.files:
            folder = file.path.rpartition("/")[0]
            while len(folder) >= len(self.base) and folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        found.discard(self.base.rstrip("/"))
        return frozenset(found)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The names of all files without their endings."""
        return frozenset(path.rpartition("/")[2].partition(".")[0] for path in self.by_path)

    def local(self, path: str) -> str:
        """Return a path relative to the repository."""
        return path.removeprefix(self.base)

    def named(self, *locals_: str) -> Iterator[SourceFile]:
        """Yield the files that exist at some paths relative to the repository."""
        for local in locals_:
            file = self.by_path.get(self.base + local)
            if file is not None:
                yield file

    def exists(self, path: str) -> bool:
        """Whether a path of the workspace exists and may be read, ignored by git or not."""
        if path in self.by_path or path in self.folders:
            return True
        is_there = "\0" not in path and self.may(path) and os.path.lexists(f"{self.root}/{path}")
        return is_there and not self.leads_out(path)

    def leads_out(self, path: str) -> bool:
        """Whether a symbolic link on the path leads out of the workspace."""
        if "\0" in path:
            return False
        return not Path(os.path.realpath(self.root / path)).is_relative_to(self._real_root)

    @cached_property
    def _real_root(self) -> Path:
        return Path(os.path.realpath(self.root))

    def is_ignored(self, path: str) -> bool:
        """Whether git would ignore a file at a path, so that a build may create it."""
        rules, folder = IgnoreRules(), ""
        *folders, name = path.split("/")
        for part in folders:
            rules = self._with_gitignore(rules, folder)
            if rules.match_folder(part):
                return True
            rules, folder = rules.enter(part), f"{folder}{part}/"
        rules = self._with_gitignore(rules, folder)
        return rules.match_folder(name) or rules.match_file(name)

    def _with_gitignore(self, rules: IgnoreRules, folder: str) -> IgnoreRules:
        file = f"{folder}.gitignore"
        return (
            rules.joined_by(read_rules(self.read(file) or b"")) if file in self.by_path else rules
        )

    def read(self, path: str, max_bytes: int = MAX_TEXT_BYTES) -> bytes | None:
        """Return the beginning of a file; None when it cannot be read."""
        try:
            return read_regular(os.fsencode(self.root), path, max_bytes)[0]
        except Unreadable:
            return None

    def read_permitted(self, path: str) -> bytes | None:
        """Return the beginning of any file of the workspace; None when it may not be read."""
        return self.read(path) if self.may(path) else None

    def read_sources(self, job: Job, *sections: Section) -> Sources:
        """Return the facts of the files that are in a supported language."""
        query = SourceQuery(start=self.base.rstrip("/"), sections=("outline", *sections))
        return open_index(self.session).read(query, job, self.may)
