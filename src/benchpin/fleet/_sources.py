"""What a member is read from: a git repository at a commit, or a folder as it is.

A folder without git has no commits: what is measured is named by a hash of its content, and a file
by the id that git would give it, so that the same content is measured once wherever it is.
"""

import hashlib
import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, PathError
from benchpin.facts import May
from benchpin.facts.languages import detect_language, is_candidate, is_in_doubt
from benchpin.repository import is_licence
from benchpin.repository.manifests import is_manifest
from benchpin.workspace.files import read_whole
from benchpin.workspace.git import (
    GitFiles,
    NotARepository,
    Repository,
    check,
    find_head,
    find_repository,
)
from benchpin.workspace.git_objects import (
    MAX_OBJECT_BYTES,
    ObjectReader,
    TreeEntry,
    blob_id,
    list_tree,
    open_objects,
)
from benchpin.workspace.walking import (
    MAX_BYTES,
    FolderFilter,
    IgnoreRules,
    WalkOptions,
    byte_key,
    read_rules,
    walk,
)

from ._members import is_bare, is_repository

_IGNORE_FILE = ".gitignore"
_SUBMODULE = "160000"
_REGULAR = frozenset({"100644", "100755"})
# Begins the kind of a file whose language its content decides.
_IN_DOUBT = "*"


class TreeFile(NamedTuple):
    """A file of a commit."""

    path: str
    blob: str
    """The git id of its content."""
    kind: str
    """Its language, or how its name ends where the content decides: `*.h`, `*.ts`, `*`."""

    @property
    def key(self) -> str:
        """What its facts are kept under: the same content of the same kind is measured once."""
        return f"{self.kind}:{self.blob}"


@dataclass(frozen=True, slots=True)
class MemberTree:
    """One commit."""

    commit: str
    code: tuple[TreeFile, ...]
    manifests: tuple[TreeFile, ...]
    licences: tuple[TreeFile, ...]
    paths: tuple[str, ...] = ()
    """Every file and link, whatever it is in."""

    def names_in(self, folder: str) -> list[str]:
        """Return the names of files in a folder, which ends with a slash unless it is the root."""
        first = bisect_left(self.paths, folder)
        below = takewhile(lambda it: it.startswith(folder), islice(self.paths, first, None))
        return [name for it in below if "/" not in (name := it.removeprefix(folder))]


def open_member(folder: Path) -> Repository:
    """Return the repository of a work tree or a bare mirror.

    Raises:
        BenchpinError: when git would read something outside it, or it is none.
    """
    if not is_bare(folder):
        return find_repository(folder, folder)
    if os.path.lexists(folder / "commondir"):
        raise NotARepository(
            f"{folder.name!r} keeps its objects in another repository",
            suggestion="Name that repository; a bare one has no `commondir`.",
        )
    GitFiles(folder, (folder,)).check({folder})
    return Repository(folder, folder, folder, folder)


def read_tree(repository: Repository, job: Job, commit: str, may: May) -> MemberTree:
    """Return what a commit has of which the paths may be read.

    Raises:
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    listed = [it for it in list_tree(repository, commit, job) if may(it.path)]
    entries = [it for it in listed if it.mode in _REGULAR]
    walked = _Walk(_ignore_files(repository, entries, job))
    files = [
        TreeFile(it.path, it.object_id, kind_of(it.path))
        for it in entries
        if is_measured(it.path) and not walked.skips(it.path)
    ]
    return tree_of(commit, files, (it.path for it in listed if it.mode != _SUBMODULE))


def is_measured(path: str) -> bool:
    """Whether the content of a file is read: of code, manifests and licences."""
    return bool(kind_of(path)) or is_manifest(path) or _is_own_licence(path)


def _is_own_licence(path: str) -> bool:
    return "/" not in path and is_licence(path)


def tree_of(commit: str, files: Iterable[TreeFile], paths: Iterable[str]) -> MemberTree:
    """Return a commit with files that are measured, and the paths of all."""
    known = sorted(files)
    return MemberTree(
        commit,
        code=tuple(it for it in known if it.kind),
        manifests=tuple(it for it in known if is_manifest(it.path)),
        licences=tuple(it for it in known if _is_own_licence(it.path)),
        paths=tuple(sorted(paths)),
    )


def _ignore_files(
    repository: Repository, entries: Iterable[TreeEntry], job: Job
) -> dict[str, bytes]:
    """Return the .gitignore files of a commit by folder."""
    found = {
        it.path.removesuffix(_IGNORE_FILE): it.object_id
        for it in entries
        if it.path.rpartition("/")[2] == _IGNORE_FILE
    }
    if not found:
        return {}
    with open_objects(repository, job) as objects:
        read = zip(found, objects.read_each(found.values()), strict=True)
        return {folder: text for folder, text in read if text and len(text) <= MAX_BYTES}


class _Walk:
    """What a walk of the work tree would leave out: vendored, generated, ignored names."""

    def __init__(self, ignore_files: Mapping[str, bytes]) -> None:
        """Take the .gitignore files by their folders, which end with a slash."""
        self._ignore_files = ignore_files
        outer = FolderFilter.at((), WalkOptions(), IgnoreRules(byte_key))
        self._filters: dict[str, FolderFilter | None] = {"": self._joined("", outer)}

    def skips(self, path: str) -> bool:
        """Whether a file is left out."""
        folder, _, name = path.rpartition("/")
        rules = self._filter(f"{folder}/" if folder else "")
        return rules is None or bool(rules.skip_file(name))

    def _filter(self, folder: str) -> FolderFilter | None:
        """Return the rules of a folder; None when it is left out itself."""
        if folder not in self._filters:
            parent, _, name = folder[:-1].rpartition("/")
            outer = self._filter(f"{parent}/" if parent else "")
            is_out = outer is None or bool(outer.skip_folder(name))
            self._filters[folder] = (
                None if outer is None or is_out else self._joined(folder, outer.enter(name))
            )
        return self._filters[folder]

    def _joined(self, folder: str, outer: FolderFilter) -> FolderFilter:
        content = self._ignore_files.get(folder)
        if content is None:
            return outer
        return outer.with_ignore(outer.ignore.joined_by(read_rules(content)))


def kind_of(path: str) -> str:
    """Return the kind of a file; empty when it is in no language that is known here."""
    name = path.rpartition("/")[2]
    if not is_candidate(name):
        return ""
    if is_in_doubt(path):
        _, dot, ending = name.rpartition(".")
        return _IN_DOUBT + (f".{ending.lower()}" if dot else "")
    return detect_language(path, bytes) or ""


def language_of(kind: str, head: bytes) -> str | None:
    """Return the language of a content of a kind."""
    if not kind.startswith(_IN_DOUBT):
        return kind
    return detect_language(kind.replace(_IN_DOUBT, "content"), lambda: head)


_HASH_BYTES = 20
# Ids are those of repositories with SHA-1, which nearly all are.
_LIKE = "0" * 40


class MemberChanged(BenchpinError):
    """A folder is not any more what was measured of it."""

    kind = "member_changed"


class Contents(Protocol):
    """Reads files of a member."""

    @property
    def missing(self) -> Sequence[str]:
        """The ids of contents that were asked for and are not in this clone."""

    def read_each(self, files: Iterable[TreeFile]) -> Iterator[bytes | None]:
        """Yield the content of each; None if it is too large or not there.

        Raises:
            BenchpinError: when the member cannot be read, or has changed.
        """

    def read_path(self, commit: str, path: str) -> bytes | None:
        """Return a file of a commit by its path; None if it cannot be read."""


class MemberSource(Protocol):
    """One member; every method raises `BenchpinError` when it cannot be read."""

    @property
    def repository(self) -> Repository | None:
        """The git repository; None without git."""

    def head(self, may: May, job: Job) -> str | None:
        """Return the newest commit, or the hash of the content; None if there is nothing."""

    def tree(self, commit: str, may: May, job: Job) -> MemberTree:
        """Return what a commit has of which the paths may be read."""

    def opened(self, job: Job) -> AbstractContextManager[Contents]:
        """Open it for reading."""


def open_source(folder: Path) -> MemberSource:
    """Open a member by its folder.

    Raises:
        BenchpinError: when git would read something outside it.
    """
    if is_repository(folder):
        return GitSource(open_member(folder))
    return FolderSource(folder)


@dataclass(frozen=True, slots=True)
class GitSource:
    """A work tree or a bare mirror."""

    repository: Repository

    def head(self, may: May, job: Job) -> str | None:  # noqa: ARG002 - as declared
        return find_head(self.repository, job)

    def tree(self, commit: str, may: May, job: Job) -> MemberTree:
        """Return what a commit has of which the paths may be read."""
        return read_tree(self.repository, job, commit, may)

    @contextmanager
    def opened(self, job: Job) -> Iterator[Contents]:
        with open_objects(self.repository, job) as objects:
            yield _Objects(objects)


@dataclass(frozen=True, slots=True)
class _Objects:
    objects: ObjectReader

    @property
    def missing(self) -> Sequence[str]:
        return self.objects.missing

    def read_each(self, files: Iterable[TreeFile]) -> Iterator[bytes | None]:
        return self.objects.read_each(it.blob for it in files)

    def read_path(self, commit: str, path: str) -> bytes | None:
        return self.objects.read(f"{commit}:{path}")


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A folder without git; no link in it is followed."""

    folder: Path
    repository: None = None

    def head(self, may: May, job: Job) -> str | None:
        """Return a hash of the paths and contents of what is measured; None if there is nothing."""
        return self._now(may, job).commit or None

    def tree(self, commit: str, may: May, job: Job) -> MemberTree:
        """Return what it has.

        Raises:
            MemberChanged: when that is something else now.
        """
        now = self._now(may, job)
        if now.commit != commit:
            raise _changed(self.folder.name)
        return now

    def opened(self, job: Job) -> AbstractContextManager[Contents]:
        return nullcontext(_Files(self.folder, job))

    def _now(self, may: May, job: Job) -> MemberTree:
        walked = walk(self.folder, "", WalkOptions(), job)
        check(job)  # a walk that was cut short is not the folder
        paths = [it.path for it in walked.files if may(it.path)]
        reader = _Files(self.folder, job)
        digest = hashlib.blake2b(digest_size=_HASH_BYTES)
        files: list[TreeFile] = []
        for path in filter(is_measured, paths):
            content = reader.read(path)
            if content is not None:
                files.append(TreeFile(path, _id(content), kind_of(path)))
                digest.update(f"{path}\0{files[-1].blob}\0".encode("utf-8", "surrogateescape"))
        return tree_of(digest.hexdigest() if files else "", files, paths)


@dataclass(frozen=True, slots=True)
class _Files:
    folder: Path
    job: Job
    missing: tuple[str, ...] = ()

    def read_each(self, files: Iterable[TreeFile]) -> Iterator[bytes | None]:
        for file in files:
            content = self.read(file.path)
            if content is None or _id(content) != file.blob:
                raise _changed(file.path)
            yield content

    def read_path(self, commit: str, path: str) -> bytes | None:  # noqa: ARG002 - as declared
        return self.read(path)

    def read(self, path: str) -> bytes | None:
        check(self.job)
        try:
            return read_whole(self.folder, PurePosixPath(path), MAX_OBJECT_BYTES, self.job)
        except PathError:
            return None


def _id(content: bytes) -> str:
    return blob_id(content, _LIKE)


def _changed(name: str) -> MemberChanged:
    return MemberChanged(
        f"{name!r} has changed since it was measured", suggestion="Measure it again."
    )
