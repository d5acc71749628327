"""What a commit of a repository has: paths and git ids. Nothing is checked out."""

import os
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple

from benchpin.core.calls import Job
from benchpin.facts import May
from benchpin.facts.languages import detect_language, is_candidate, is_in_doubt
from benchpin.repository import is_licence
from benchpin.repository.manifests import is_manifest
from benchpin.workspace.git import GitFiles, NotARepository, Repository, find_repository
from benchpin.workspace.git_objects import TreeEntry, list_tree, open_objects
from benchpin.workspace.walking import (
    MAX_BYTES,
    FolderFilter,
    IgnoreRules,
    WalkOptions,
    byte_key,
    read_rules,
)

from ._members import is_bare

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
