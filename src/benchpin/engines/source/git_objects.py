"""Read many objects of a repository through one git that stays."""

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import IO

from benchpin.core import Job

from .git import GET_OBJECTS, Complaint, GitFailed, Repository, check, ended_in_time, start
from .git_confinement import command_line, find_program, search_path_outside

MAX_OBJECT_BYTES = 16 << 20
"""A larger object is passed over."""
_CHUNK_BYTES = 1 << 16
_ASKED_AT_ONCE = 8
"""So many names, each shorter than any path can be, fit into a pipe."""
_NAME = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?(?::[^\n]+)?")
"""An id, or that of a commit and a path in it."""


class ObjectReader:
    """Answers with the content of objects, for as long as its git runs."""

    def __init__(
        self, requests: IO[bytes], answers: IO[bytes], complaint: Complaint, job: Job
    ) -> None:
        self._requests = requests
        self._answers = answers
        self._complaint = complaint
        self._job = job

    def read(self, name: str) -> bytes | None:
        """Return what an object says, by its id or `commit:path`; None when there is none to read.

        Raises:
            Cancelled: when the job was.
            GitFailed: when git has ended.
            TimeLimitExceeded: when the job's time is up.
        """
        (content,) = self.read_each([name])
        return content

    def read_each(self, names: Iterable[str]) -> Iterator[bytes | None]:
        """Give what many objects say, in their order; they are asked for some at a time.

        Raises:
            Cancelled: when the job was.
            GitFailed: when git has ended.
            TimeLimitExceeded: when the job's time is up.
        """
        ahead = iter(names)
        while some := list(islice(ahead, _ASKED_AT_ONCE)):
            known = [name for name in some if _NAME.fullmatch(name)]
            self._ask(known)
            for name in some:
                yield self._answer() if _NAME.fullmatch(name) else None

    def _ask(self, names: Sequence[str]) -> None:
        asked = "".join(f"{name}\n" for name in names)
        try:
            self._requests.write(asked.encode("utf-8", "surrogateescape"))
            self._requests.flush()
        except (BrokenPipeError, ValueError) as error:
            raise self._failure() from error

    def _answer(self) -> bytes | None:
        try:
            header = self._answers.readline().split()
        except ValueError as error:
            raise self._failure() from error
        if not header:
            raise self._failure()
        return None if header[-1] == b"missing" else self._take(int(header[-1]))

    def _take(self, size: int) -> bytes | None:
        content = self._answers.read(size) if size <= MAX_OBJECT_BYTES else None
        left = 1 if content is not None else size + 1  # a line feed follows
        while left:
            piece = self._answers.read(min(left, _CHUNK_BYTES))
            if not piece:
                raise self._failure()
            left -= len(piece)
        return content

    def _failure(self) -> GitFailed:
        check(self._job)
        return GitFailed(
            f"git ended while objects were read: {self._complaint.text() or 'it said nothing'}",
            suggestion=GET_OBJECTS,
            data={"exit_code": None},
        )


@contextmanager
def open_objects(repository: Repository, job: Job) -> Iterator[ObjectReader]:
    """Start git, and end it with the block, or when the job ends.

    Raises:
        DependencyMissing: when git is not installed.
    """
    search_path = search_path_outside(repository.root)
    arguments = command_line(find_program(search_path), "cat-file", (), (), None)
    with (
        start(repository, arguments, search_path, subprocess.PIPE) as (child, complaint),
        ended_in_time(child, job),
    ):
        requests, answers = child.stdin, child.stdout
        if requests is None or answers is None:
            raise GitFailed("git has no pipes", suggestion="Call again.", data={"exit_code": None})
        with requests, open(answers.fileno(), "rb", closefd=False) as buffered:
            yield ObjectReader(requests, buffered, complaint, job)
