"""The one way to ask git about a repository that may be hostile.

Nothing that the repository configures runs (`git_confinement`), and it is the folder's own
(`git_repository`).
"""

import os
import signal
import subprocess
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO

from benchpin.core import BenchpinError, Job, TimeLimitExceeded

from .git_confinement import command_line, environment, find_program, search_path_outside
from .git_repository import NotARepository, Repository, find_repository

__all__ = [
    "GET_OBJECTS",
    "GitFailed",
    "NotARepository",
    "Repository",
    "find_head",
    "find_repository",
    "stream",
]

_CHUNK_BYTES = 1 << 17
_MAX_COMPLAINT_BYTES = 4096
_MAX_COMPLAINT_CHARS = 300


GET_OBJECTS = (
    "Check the repository with `git fsck`; where a partial clone lacks objects, get them with "
    "`git fetch --refetch --no-filter`."
)


class GitFailed(BenchpinError):
    """Git ended with an error of its own."""

    kind = "git_failed"


def find_head(repository: Repository, job: Job) -> str | None:
    """Return the id of the commit that is checked out; None when there is no commit yet."""
    try:
        answer = b"".join(stream(repository, "rev-parse", (), ("HEAD",), None, job))
    except GitFailed as error:
        if error.data["exit_code"] != 1:  # 128: git cannot read the repository
            raise
        return None
    return answer.decode("ascii").strip()


def stream(
    repository: Repository,
    command: str,
    options: Sequence[str],
    revisions: Sequence[str],
    paths: Sequence[str] | None,
    job: Job,
) -> Generator[bytes, None, None]:
    """Run a command that reads and give its output in pieces; the child dies with the iterator.

    `options` are ours, never a caller's. `paths` are literal, from the root; None leaves out `--`.

    Raises:
        Cancelled: when the job was.
        DependencyMissing: when git is not installed.
        GitFailed: when git fails, once its output was given.
        TimeLimitExceeded: when the job's time is up.
    """
    search_path = search_path_outside(repository.root)
    arguments = command_line(find_program(search_path), command, options, revisions, paths)
    with (
        start(repository, arguments, search_path) as (child, complaint),
        ended_in_time(child, job),
    ):
        for piece in _pieces(child.stdout):
            check(job)
            yield piece
        code = child.wait()
    job.check()
    if code:
        check(job)
        raise GitFailed(
            f"git failed: {complaint.text() or f'exit code {code}'}",
            suggestion=GET_OBJECTS,
            data={"exit_code": code},
        )


def check(job: Job) -> None:
    """Stop when the caller lost interest, or when the time is up."""
    job.check()
    if job.is_expired:
        raise TimeLimitExceeded(
            "Git did not come to an end in time",
            suggestion="Ask for a shorter period or a smaller folder.",
        )


def _pieces(pipe: IO[bytes] | None) -> Iterator[bytes]:
    while pipe is not None and (piece := pipe.read(_CHUNK_BYTES)):
        yield piece


class Complaint:
    """Reads what a child writes to stderr to the end, and keeps the beginning."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self._pipe = pipe
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        for piece in _pieces(self._pipe):
            self._kept += piece[: _MAX_COMPLAINT_BYTES - len(self._kept)]

    def wait(self) -> None:
        """Wait for the end of the pipe, which is that of the child."""
        self._thread.join()

    def text(self) -> str:
        """Return what was kept as one line without control characters."""
        line = " ".join(self._kept.decode(errors="replace").split())
        return "".join(it if it.isprintable() else "?" for it in line)[:_MAX_COMPLAINT_CHARS]


@contextmanager
def start(
    repository: Repository,
    arguments: Sequence[str],
    search_path: str,
    stdin: int = subprocess.DEVNULL,
) -> Iterator["tuple[subprocess.Popen[bytes], Complaint]"]:
    """Run a command line from `git_confinement`; the child and its children end here."""
    with subprocess.Popen(  # noqa: S603 - no shell, and what callers say is behind --end-of-options
        arguments,
        bufsize=0,
        cwd=repository.root,
        env=environment(repository.root, repository.git_dir, search_path),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # a Ctrl-C is for us, and children of git end with it
    ) as child:
        complaint = Complaint(child.stderr)
        try:
            yield child, complaint
        finally:
            _end(child)
            child.wait()
            complaint.wait()


def _end(child: "subprocess.Popen[bytes]") -> None:
    if child.returncode is None and hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()


@contextmanager
def ended_in_time(child: "subprocess.Popen[bytes]", job: Job) -> Iterator[None]:
    """End a child when the job is cancelled or out of time, even while it says nothing."""
    left = job.time_left_s()
    timer = threading.Timer(min(left or 0, threading.TIMEOUT_MAX), _end, (child,))
    with job.stopping(lambda: _end(child)):
        if left is not None:
            timer.daemon = True
            timer.start()
        try:
            yield
        finally:
            timer.cancel()
