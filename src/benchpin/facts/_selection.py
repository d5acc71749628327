"""The files that a call is about, and how to read their facts.

Engines take a `FileSelection`: it knows the workspace's session, the caller's permissions, the job
and which files were asked for, so that an engine never calls back into the tool that started it.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

import msgspec

from benchpin.core.calls import Job, Permissions, Workspace, WorkspaceSession
from benchpin.core.errors import PathError
from benchpin.facts.store import Section, manifest_digest
from benchpin.facts.workers import FactOrder
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.walking import PathFilter, SourceFile, WalkOptions, scope_of_path

from ._file_choices import SourceQuery, Sources, kinds_in
from ._file_facts import FileFacts
from ._index import SourceIndex, open_index
from .imports import within

# A manifest is read up to here: none that people write is longer.
_MANIFEST_BYTES = 1 << 20


@dataclass(frozen=True)
class FileSelection:
    """Some files of a workspace, as one call sees them."""

    session: WorkspaceSession
    permissions: Permissions
    job: Job
    query: SourceQuery = field(default_factory=SourceQuery)
    is_fresh: bool = False
    """Whether remembered results are ignored."""
    manifests: dict[str, bytes | None] = field(default_factory=dict, compare=False)
    """The digest of each manifest that was read, for this selection or one derived from it."""
    replaced: Mapping[str, FileFacts | None] = field(default_factory=dict, compare=False)
    """Files in another state than on the disk, with all facts; None for one that is not there."""

    @property
    def root(self) -> Path:
        return self.session.root

    @property
    def index(self) -> SourceIndex:
        return open_index(self.session)

    @cached_property
    def folder(self) -> Path:
        start = self.root / self.query.start
        return start if start.is_dir() else start.parent

    def read(self, *sections: Section, on_demand: tuple[Section, ...] = ()) -> Sources:
        """Return the facts of the selected files: the outline, and these sections.

        Those `on_demand` are loaded each time they are asked for. Generated files are left out and
        counted, unless the query includes them.

        Raises:
            FileMissing: when there is nothing at the start.
        """
        found = self.read_all(*sections, on_demand=on_demand)
        if self.query.options.include_vendored:
            return found
        files = [it for it in found.files if not it.outline.is_generated]
        skipped = Counter(found.skipped)
        if len(files) < len(found.files):
            skipped["generated"] += len(found.files) - len(files)
        return replace(found, files=files, skipped=dict(sorted(skipped.items())))

    def read_all(self, *sections: Section, on_demand: tuple[Section, ...] = ()) -> Sources:
        """Return the facts of the selected files, those of generated files too.

        Raises:
            FileMissing: when there is nothing at the start.
        """
        wanted = tuple(dict.fromkeys(("outline", *sections)))
        return self._read(replace(self.query, sections=wanted, on_demand=on_demand))

    def list_files(self, *on_demand: Section) -> Sources:
        """Return the selected files without facts: what a result is computed from.

        Generated files are among them, as they are recognised by their content. Sections
        `on_demand` are loaded each time they are asked for.

        Raises:
            FileMissing: when there is nothing at the start.
        """
        return self._read(replace(self.query, sections=(), on_demand=on_demand))

    def expect(self, fact: FactOrder) -> None:
        """Have a fact derived from the selected files when new ones are parsed."""
        skips_tests = self.query.scope == "production"
        self.index.expect(msgspec.structs.replace(fact, skips_tests=skips_tests))

    def unparsed(self) -> tuple[dict[str, str], int]:
        """Return the languages of files by path, and how many bytes of them were never parsed."""
        return self.index.unparsed(self.query, self.job, self.permissions.may_read)

    def with_users(self) -> "FileSelection":
        """Return the selection of all files that could use the selected ones, and those."""
        options = WalkOptions(include_vendored=self.query.options.include_vendored)
        query = replace(self.query, start=".", options=options, languages=None, scope="all")
        users = replace(self, query=query)
        known = {file.path for file in users.list_files().files}
        # A selected file may be in a vendor folder, which a walk of the workspace leaves out.
        if all(file.path in known for file in self.list_files().files):
            return users
        files = self.list_files("outline", "links", "tokens").files
        others = {file.path: file for file in files if file.path not in known}
        return replace(users, replaced={**self.replaced, **others})

    def workspace(self) -> "FileSelection":
        """Return the selection of the whole workspace, less what the patterns exclude."""
        options = replace(self.query.options, include_patterns=(), max_depth=None)
        # Where there are only tests here, they are measured; then they are elsewhere too. To find
        # that out, all is read: a question about code of any kind need not wait for it.
        scope = self.query.scope if self.query.scope == "all" else self.list_files().scope
        query = replace(self.query, start=".", options=options, languages=None, scope=scope)
        return replace(self, query=query)

    def only(self, paths: Iterable[str]) -> "FileSelection":
        return replace(self, query=replace(self.query, paths=frozenset(paths)))

    def replacing(self, files: Mapping[str, FileFacts | None]) -> "FileSelection":
        """Return the selection with some files in another state; None for one that is not there.

        Results are kept by content: those of a state with few other files are updated from those
        of the files on the disk.
        """
        on_disk = {it.path: it.key for it in replace(self, replaced={}).list_files().files}
        keys = {path: None if it is None else it.key for path, it in files.items()}
        differing = {path: it for path, it in files.items() if keys[path] != on_disk.get(path)}
        return replace(self, replaced=differing)

    def walk(self) -> list[SourceFile]:
        """Return every selected file, whatever it is in."""
        query = self.query
        walked = self.index.walk(query.options, query.start, self.job)
        return [it for it in walked.files if self.may_read(it.path)]

    def all_paths(self) -> list[str]:
        """Return the paths of all files of the workspace that may be read, whatever is in them."""
        paths = self.index.paths(WalkOptions(include_vendored=True), self.job)
        return [it for it in paths if self.may_read(it)]

    def other_files(self) -> list[SourceFile]:
        """Return the files of the workspace that are in no supported language."""
        return self.index.others(WalkOptions(), self.job, self.permissions.may_read)

    def stamps_of(self, paths: Iterable[str]) -> Iterator[SourceFile]:
        """Yield the sizes and times of files, by path; one that is gone is left out."""
        for path in sorted(paths):
            with suppress(OSError):
                status = (self.root / path).lstat()
                stamp = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
                yield SourceFile(path, *stamp)

    def may_read(self, path: str) -> bool:
        """Whether the permissions allow to read a path, relative to the workspace."""
        return self.permissions.may_read(path)

    def accepts(self, path: str) -> bool:
        """Whether a path of the git history, which need not exist now, is selected."""
        return self._filter.accepts(path) and self.may_read(path)

    def read_manifest(self, path: str) -> bytes | None:
        """Return the beginning of a file of the workspace; None when it cannot be read.

        No link is followed: what it leads to has a name of its own. For a path with a slash at the
        end, return the names of files and links in that folder which may be read, one on a line.
        """
        data = self._read_manifest(path)
        self.manifests[path] = manifest_digest(data)
        return data

    def _read_manifest(self, path: str) -> bytes | None:
        folder, _, name = path.rpartition("/")
        if not name:
            readable = (it for it in self._names_in(folder) if self.may_read(within(folder, it)))
            return os.fsencode("\n".join(sorted(readable)))
        if name not in self._names_in(folder) or not self.may_read(path):
            return None
        try:
            workspace = Workspace(self.root)
            if workspace.relative(workspace.resolve(path)) != PurePosixPath(path):
                return None
            return read_regular(os.fsencode(self.root), path, _MANIFEST_BYTES)[0]
        except (PathError, Unreadable):
            return None

    @cached_property
    def _filter(self) -> PathFilter:
        start, options = self.query.start, self.query.options
        return PathFilter(
            "" if start == "." else start, options.include_patterns, options.exclude_patterns
        )

    @cached_property
    def _names_in(self) -> Callable[[str], frozenset[str]]:
        """List each folder once: most manifests that are asked for do not exist."""
        listed: dict[str, frozenset[str]] = {}

        def names_in(folder: str) -> frozenset[str]:
            if folder not in listed:
                try:
                    with os.scandir(self.root / folder) as entries:
                        listed[folder] = frozenset(
                            it.name for it in entries if not it.is_dir(follow_symlinks=False)
                        )
                except (OSError, ValueError):
                    listed[folder] = frozenset()
            return listed[folder]

        return names_in

    def _read(self, query: SourceQuery) -> Sources:
        found = self.index.read(query, self.job, self.permissions.may_read)
        return self._replace_in(found, query) if self.replaced else found

    def _replace_in(self, found: Sources, query: SourceQuery) -> Sources:
        """Return the files with those in another state in their places."""
        files = {it.path: it for it in found.files if it.path not in self.replaced}
        patterns = query.options.include_patterns, query.options.exclude_patterns
        wanted = PathFilter("" if query.start == "." else query.start, *patterns)
        for path, file in self.replaced.items():
            is_asked_for = query.paths is None or path in query.paths
            is_known = query.languages is None or (file and file.language in query.languages)
            is_of_scope = found.scope == "all" or scope_of_path(path) in kinds_in(found.scope)
            is_wanted = is_asked_for and is_known and is_of_scope and wanted.accepts(path)
            if file and is_wanted and self.may_read(path):
                files[path] = file
        unmeasured = {it: why for it, why in found.unmeasured.items() if it not in self.replaced}
        return replace(found, files=[it for _, it in sorted(files.items())], unmeasured=unmeasured)
