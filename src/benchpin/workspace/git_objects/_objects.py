"""Read many objects of a repository through one git process, and what its index says."""

import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import IO, NamedTuple

from benchpin.core.calls import Job
from benchpin.workspace.git import (
    GET_OBJECTS,
    ErrorOutput,
    GitFailed,
    Repository,
    check,
    command_line,
    find_git,
    killed_on_deadline,
    start,
    stream,
)

# A larger object is skipped.
MAX_OBJECT_BYTES = 16 << 20
_CHUNK_BYTES = 1 << 16
# Eight names of at most PATH_MAX bytes fit into a pipe, so that writing them never blocks.
_REQUESTS_AT_ONCE = 8
# An id, or the id of a commit and a path in it.
_NAME = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?(?::[^\n]+)?")
_SHA1_DIGITS = 40
_SECOND_NS = 1_000_000_000
# The lines about a file: times, device, user, size.
_DETAILS = re.compile(
    rb"  ctime: (\d+):(\d+)\n  mtime: (\d+):(\d+)\n[^\n]*\n[^\n]*\n  size: (\d+)\t[^\n]*\n"
)


def is_plain_path(path: str) -> bool:
    """Whether a name of a repository stays inside it: a crafted one may lead out."""
    around = f"/{path}/"  # asked of every file of a commit: faster than to split it
    return not ("//" in around or "/./" in around or "/../" in around)


class TreeEntry(NamedTuple):
    """A file, link or submodule of a commit."""

    mode: str
    object_id: str
    path: str
    """Relative to the workspace."""


def list_tree(repository: Repository, commit: str, job: Job) -> list[TreeEntry]:
    """Return everything that a commit has inside the workspace.

    Raises:
        GitFailed: when git cannot read the commit.
        TimeLimitExceeded: when the time of the job is up.
    """
    listing = b"".join(stream(repository, "ls-tree", (), (commit,), None, job))
    entries = []
    for line in listing.split(b"\0")[:-1]:
        about, _, name = line.partition(b"\t")
        mode, _, object_id = about.decode("ascii").split()
        path = name.decode("utf-8", "surrogateescape")
        if path.startswith(repository.prefix) and is_plain_path(path):
            inside = repository.mount + path.removeprefix(repository.prefix)
            entries.append(TreeEntry(mode, object_id, inside))
    return entries


class ObjectReader:
    """Reads objects while its git process runs."""

    def __init__(
        self, requests: IO[bytes], answers: IO[bytes], errors: ErrorOutput, job: Job
    ) -> None:
        self._requests = requests
        self._answers = answers
        self._errors = errors
        self._job = job
        self.missing: list[str] = []
        """The names that were asked for and are not in this clone."""

    def read(self, name: str) -> bytes | None:
        """Return the content of an object by its id or `commit:path`; None if it cannot be read.

        Raises:
            GitFailed: when git has exited.
            TimeLimitExceeded: when the time of the job is up.
        """
        (content,) = self.read_each([name])
        return content

    def read_each(self, names: Iterable[str]) -> Iterator[bytes | None]:
        """Yield the contents of many objects, in order; several are requested at a time.

        Raises:
            GitFailed: when git has exited.
            TimeLimitExceeded: when the time of the job is up.
        """
        ahead = iter(names)
        while some := list(islice(ahead, _REQUESTS_AT_ONCE)):
            known = [name for name in some if _NAME.fullmatch(name)]
            self._ask(known)
            for name in some:
                yield self._answer(name) if _NAME.fullmatch(name) else None

    def _ask(self, names: Sequence[str]) -> None:
        asked = "".join(f"{name}\n" for name in names)
        try:
            self._requests.write(asked.encode("utf-8", "surrogateescape"))
            self._requests.flush()
        except (BrokenPipeError, ValueError) as error:
            raise self._failure() from error

    def _answer(self, name: str) -> bytes | None:
        try:
            header = self._answers.readline().split()
        except ValueError as error:
            raise self._failure() from error
        if not header:
            raise self._failure()
        if header[-1] == b"missing":
            self.missing.append(name)
            return None
        return self._take(int(header[-1]))

    def _take(self, size: int) -> bytes | None:
        content = self._answers.read(size) if size <= MAX_OBJECT_BYTES else None
        left = 1 if content is not None else size + 1  # the line feed after the content
        while left:
            piece = self._answers.read(min(left, _CHUNK_BYTES))
            if not piece:
                raise self._failure()
            left -= len(piece)
        return content

    def _failure(self) -> GitFailed:
        check(self._job)
        return GitFailed(
            f"git exited while objects were read: {self._errors.text() or 'no message'}",
            suggestion=GET_OBJECTS,
            data={"exit_code": None},
        )


@contextmanager
def open_objects(repository: Repository, job: Job) -> Iterator[ObjectReader]:
    """Start git; it is killed at the end of the block, or when the job ends.

    Raises:
        DependencyMissing: when git is not installed.
    """
    program = find_git(repository.untrusted_root)
    arguments = command_line(program, "cat-file", (), (), None)
    with (
        start(repository, arguments, subprocess.PIPE) as (child, errors),
        killed_on_deadline(child, job),
    ):
        requests, answers = child.stdin, child.stdout
        if requests is None or answers is None:
            raise GitFailed("git has no pipes", suggestion="Call again.", data={"exit_code": None})
        with requests, open(answers.fileno(), "rb", closefd=False) as buffered:
            yield ObjectReader(requests, buffered, errors, job)


# What is staged: the files of git's index, and how they were on the disk when it was written.
#
# `git status` would run the filters that a repository configures; listing the index runs nothing. A
# file whose time and size are still those in the index has the content that the index names.


class IndexEntry(NamedTuple):
    """A file in the index."""

    path: str
    """Relative to the workspace."""
    mode: str
    object_id: str
    mtime_ns: int
    ctime_ns: int
    size_bytes: int

    def describes(self, size_bytes: int, mtime_ns: int, ctime_ns: int) -> bool:
        """Whether a file is as it was when it was staged."""
        staged = self.size_bytes, self.mtime_ns, self.ctime_ns
        return staged == (size_bytes, mtime_ns, ctime_ns)


def read_index(repository: Repository, job: Job) -> list[IndexEntry]:
    """Return the files of the index that are inside the workspace; conflicts have several.

    Raises:
        GitFailed: when git cannot read the index.
        TimeLimitExceeded: when the time of the job is up.
    """
    listing = b"".join(stream(repository, "ls-files", (), (), None, job))
    prefix, mount = repository.prefix, repository.mount
    entries = []
    head, *rest = listing.split(b"\0")
    for piece in rest:
        about, _, name = head.partition(b"\t")
        details = _DETAILS.match(piece)
        head = b"" if details is None else piece[details.end() :]
        path = name.decode("utf-8", "surrogateescape")
        if path.startswith(prefix) and is_plain_path(path) and details is not None:
            mode, object_id, _stage = about.decode("ascii").split(" ")
            ctime_s, ctime_ns, mtime_s, mtime_ns, size = map(int, details.groups())
            times = mtime_s * _SECOND_NS + mtime_ns, ctime_s * _SECOND_NS + ctime_ns
            inside = mount + path.removeprefix(prefix)
            entries.append(IndexEntry(inside, mode, object_id, *times, size))
    return entries


def index_time_ns(repository: Repository) -> int:
    """Return when the index was written: what changed in that moment may not be in it."""
    try:
        return os.lstat(repository.git_dir / "index").st_mtime_ns
    except OSError:
        return 0


def blob_id(content: bytes, like: str) -> str:
    """Return the id that git gives a content, in the format of another id."""
    algorithm = "sha1" if len(like) == _SHA1_DIGITS else "sha256"
    digest = hashlib.new(algorithm, b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()
