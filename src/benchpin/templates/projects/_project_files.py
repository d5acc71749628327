"""The files of a scaffolded project: as they are now, and as they were generated."""

import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path, PurePosixPath

from benchpin.code.changes import MIN_SIMILARITY, similarity
from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, BenchpinError, FileMissing, InvalidParams
from benchpin.workspace.files import opened
from benchpin.workspace.git import Repository, find_head, find_repository
from benchpin.workspace.git_objects import list_commits, open_objects
from benchpin.workspace.walking import SourceFile, WalkOptions, walk

from ._provenance import (
    BASE_PATH,
    MAX_BASE_BYTES,
    MAX_RECORD_BYTES,
    PROVENANCE_PATH,
    ProjectRecord,
    RecordedFile,
    read_base,
    read_record,
)

_MAX_BYTES = 16 << 20
# Files that are read to find one that was moved.
_MAX_COMPARED_FILES = 500
_LOG = ("--no-renames", "--no-merges", "--max-count=1000")


class ProjectFiles:
    """Reads a project in a folder of a workspace.

    `may` says which paths of the workspace may be read; its history may also be in `git_folders`.
    """

    def __init__(
        self,
        root: Path,
        folder: PurePosixPath,
        job: Job,
        *,
        may: Callable[[str], bool] = lambda _path: True,
        git_folders: tuple[Path, ...] = (),
    ) -> None:
        self._root = root
        self._folder = folder
        self._job = job
        self._may = may
        self._git_folders = git_folders

    def path(self, name: str) -> str:
        """Return the path from the root of the workspace."""
        return str(self._folder / name)

    def read(self, name: str, most_bytes: int = _MAX_BYTES) -> bytes | None:
        """Return the content of a file; None when there is none.

        Raises:
            PathError: when it cannot be read, or is not a regular file.
        """
        path = self.path(name)
        if not self._may(path):
            raise AccessDenied(
                f"May not read {path!r}: the permissions deny it",
                suggestion="Allow it in resource_permissions, or move the file away.",
                data={"path": path},
            )
        try:
            with opened(self._root, self._folder / name, most_bytes) as file:
                return file.read(most_bytes)
        except FileMissing:
            return None

    def record(self) -> ProjectRecord:
        """Return what the project was generated from.

        Raises:
            InvalidParams: when there is no record, or it cannot be used.
        """
        content = self.read(PROVENANCE_PATH, MAX_RECORD_BYTES + 1)
        if content is None:
            raise InvalidParams(
                f"{self._folder} has no {PROVENANCE_PATH}, so what it comes from is not known",
                suggestion="Name a folder that scaffold_project has written.",
                data={"path": self.path(PROVENANCE_PATH)},
            )
        record = read_record(content)
        if isinstance(record, str):
            raise InvalidParams(
                f"{self.path(PROVENANCE_PATH)} cannot be used: {record}",
                suggestion="Restore it from version control, or update Benchpin.",
            )
        return record

    def generated(self, file: RecordedFile) -> bytes | None:
        """Return the content that was generated; None when it was not kept.

        Projects of the first format have no copy, but most have committed what was generated.
        """
        found = self._kept.get(file.sha256)
        return found if found is not None else self._committed(file)

    @cached_property
    def _kept(self) -> Mapping[str, bytes]:
        return read_base(self.read(BASE_PATH, MAX_BASE_BYTES))

    @cached_property
    def _repository(self) -> Repository | None:
        try:
            return find_repository(self._root / self._folder, self._root, self._git_folders)
        except BenchpinError:
            return None

    def _committed(self, file: RecordedFile) -> bytes | None:
        repository = self._repository
        if repository is None:
            return None
        inside = repository.prefix + self.path(file.path).removeprefix(repository.mount)
        try:
            head = find_head(repository, self._job)
            if head is None:
                return None
            commits = list_commits(repository, _LOG, (head,), (inside,), self._job)
            ids = [(it.old_id, it.id) for commit in commits for it in commit.raw]
            with open_objects(repository, self._job) as objects:
                names = dict.fromkeys(chain.from_iterable(ids))
                contents = (it for it in objects.read_each(names) if it is not None)
                return next(
                    (it for it in contents if hashlib.sha256(it).hexdigest() == file.sha256), None
                )
        except BenchpinError:  # no git, or a history that may not be read
            return None

    def find_moved(self, file: RecordedFile, known: frozenset[str]) -> str:
        """Return where a file is that is no longer at its path; empty when it is nowhere.

        It is the same content, or a similar one under the same name. Paths in `known` are other
        files of the templates.
        """
        base = self.generated(file)
        if base is None:
            return ""
        name = PurePosixPath(file.path).name
        alike: list[tuple[float, str]] = []
        candidates = [
            it
            for it in self._present
            if it.path not in known
            and (it.size_bytes == len(base) or PurePosixPath(it.path).name == name)
        ]
        for candidate in candidates[:_MAX_COMPARED_FILES]:
            self._job.check()
            try:
                content = self.read(candidate.path) or b""
            except BenchpinError:
                continue
            if content == base:
                return candidate.path
            if PurePosixPath(candidate.path).name == name:
                alike.append((similarity(base, content), candidate.path))
        score, path = max(alike, default=(0.0, ""))
        return path if score >= MIN_SIMILARITY else ""

    @cached_property
    def _present(self) -> list[SourceFile]:
        folder = self._root / self._folder
        return walk(folder, ".", WalkOptions(), self._job).files
