"""Read many objects of a repository through one git process."""

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
