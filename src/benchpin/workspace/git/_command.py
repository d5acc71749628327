"""Run git on a repository that may be hostile.

Nothing that the repository configures is executed (`git_confinement`), and the repository really is
that of the folder (`git_repository`).
"""

import getpass
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, DependencyMissing, InvalidParams, TimeLimitExceeded
from benchpin.core.text import plain, utf8

from ._confinement import command_line, environment, find_git
from ._repository import Repository

_CHUNK_BYTES = 1 << 17
_MAX_ERROR_BYTES = 4096
_MAX_ERROR_CHARS = 300
# The limit on what one git process allocates.
MEMORY_BYTES = 2 << 30
# git merge-file exits with the number of conflicts, at most this one.
_MAX_CONFLICTS = 127
_MERGE_S = 60
GET_OBJECTS = (
    "Check the repository with `git fsck`; if a partial clone lacks objects, fetch them with "
    "`git fetch --refetch --no-filter`."
)
MAX_REVISION = 200
_TIME_LIMIT_S = 5
_MAX_CHARS = 200


class GitFailed(BenchpinError):
    """Git exited with an error."""

    kind = "git_failed"
    is_server_fault = True


class Merged(NamedTuple):
    """The merged text, and how many conflicts are marked in it."""

    content: bytes
    conflicts: int


def merge_texts(
    base: bytes, ours: bytes, theirs: bytes, *, labels: tuple[str, str], untrusted_root: Path
) -> Merged:
    """Return our text with what changed from `base` to `theirs`, as `git merge-file` does it.

    Where both changed the same lines, both versions are in the result between marks;
    `labels` follow the first mark and the last.

    Raises:
        DependencyMissing: when both sides changed, and git is not installed.
        GitFailed: when git does not merge them, such as binary files.
    """
    if ours in (base, theirs):
        return Merged(theirs, 0)
    if base == theirs:
        return Merged(ours, 0)
    program = find_git(untrusted_root)
    with tempfile.TemporaryDirectory(prefix="benchpin-merge-") as name:
        folder = Path(name)
        for file, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            (folder / file).write_bytes(content)
        marks = ("-L", labels[0], "-L", "base", "-L", labels[1])
        try:
            done = subprocess.run(  # noqa: S603 - no shell, and the names are ours
                (program, "merge-file", "-p", "-q", *marks, "ours", "base", "theirs"),
                cwd=folder,
                # There is no such repository, so that none configures the form of the marks.
                env=environment(folder, folder / "none", untrusted_root),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_MERGE_S,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise GitFailed(
                f"git did not merge a file in {_MERGE_S} s", suggestion="Merge it by hand."
            ) from error
    if not 0 <= done.returncode <= _MAX_CONFLICTS:
        said = " ".join(done.stderr.decode(errors="replace").split())
        raise GitFailed(
            f"git cannot merge a file: {said[:_MAX_ERROR_CHARS] or done.returncode}",
            suggestion="Merge it by hand.",
            data={"exit_code": done.returncode},
        )
    return Merged(done.stdout, done.returncode)


def find_head(repository: Repository, job: Job) -> str | None:
    """Return the id of the commit that is checked out; None if there is no commit yet."""
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
    """Run a read-only command and yield its output; closing the iterator kills the child.

    `options` are ours, never a caller's. `paths` are literal, from the root; None leaves out `--`.

    Raises:
        DependencyMissing: when git is not installed.
        GitFailed: when git fails, after its output.
        TimeLimitExceeded: when the time of the job is up.
    """
    program = find_git(repository.untrusted_root)
    arguments = command_line(program, command, options, revisions, paths)
    with (
        start(repository, arguments) as (child, errors),
        killed_on_deadline(child, job),
    ):
        for piece in _pieces(child.stdout):
            check(job)
            yield piece
        code = child.wait()
    job.check()
    if code:
        check(job)
        raise GitFailed(
            f"git failed: {errors.text() or f'exit code {code}'}",
            suggestion=GET_OBJECTS,
            data={"exit_code": code},
        )


def check(job: Job) -> None:
    """Raise if the job was cancelled or is out of time."""
    job.check()
    if job.is_expired:
        raise TimeLimitExceeded(
            "Git did not finish in time",
            suggestion="Ask for a shorter period or a smaller folder.",
        )


def _pieces(pipe: IO[bytes] | None) -> Iterator[bytes]:
    while pipe is not None and (piece := pipe.read(_CHUNK_BYTES)):
        yield piece


class ErrorOutput:
    """Reads the stderr of a child to its end, in a thread, and keeps the beginning."""

    def __init__(self, pipe: IO[bytes] | None) -> None:
        self._pipe = pipe
        self._kept = b""
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        # An interruption may close the pipe before its end is reached.
        with suppress(ValueError, OSError):
            for piece in _pieces(self._pipe):
                self._kept += piece[: _MAX_ERROR_BYTES - len(self._kept)]

    def wait(self) -> None:
        """Wait for the end of the pipe, which comes with that of the child."""
        self._thread.join()

    def text(self) -> str:
        """Return the beginning as one line without control characters."""
        line = " ".join(self._kept.decode(errors="replace").split())
        return "".join(it if it.isprintable() else "?" for it in line)[:_MAX_ERROR_CHARS]


@contextmanager
def start(
    repository: Repository,
    arguments: Sequence[str],
    stdin: int = subprocess.DEVNULL,
) -> Iterator["tuple[subprocess.Popen[bytes], ErrorOutput]"]:
    """Run a command line from `git_confinement`; kill the child and its children afterwards."""
    with subprocess.Popen(  # noqa: S603 - no shell, and input comes after --end-of-options
        arguments,
        bufsize=0,
        cwd=repository.root,
        env=environment(repository.root, repository.git_dir, repository.untrusted_root),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for us; and its children can be killed with it
    ) as child:
        _limit_memory(child.pid)
        errors = ErrorOutput(child.stderr)
        try:
            yield child, errors
        finally:
            _kill(child)
            child.wait()
            errors.wait()


def _limit_memory(pid: int) -> None:
    """Limit what git allocates, since an object of some kilobytes may unpack to gigabytes."""
    # Linux only. Packs are mapped, which does not count. Set from here: code that runs in the
    # child before git can deadlock in a program with threads.
    with suppress(ImportError, AttributeError, OSError):
        import resource  # noqa: PLC0415 - not on every system

        resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))


def _kill(child: "subprocess.Popen[bytes]") -> None:
    if child.returncode is None and hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()


@contextmanager
def killed_on_deadline(child: "subprocess.Popen[bytes]", job: Job) -> Iterator[None]:
    """Kill a child when the job is cancelled or out of time, even while it writes nothing."""
    left = job.time_left_s()
    timer = threading.Timer(min(left or 0, threading.TIMEOUT_MAX), _kill, (child,))
    with job.stopping(lambda: _kill(child)):
        if left is not None:
            timer.daemon = True
            timer.start()
        try:
            yield
        finally:
            timer.cancel()


def find_commit(repository: Repository, revision: str, job: Job) -> str:
    """Return the id of the commit that a revision names.

    Raises:
        InvalidParams: when the repository has no such revision.
    """
    unknown = InvalidParams(
        f"The repository has no revision {plain(revision[:MAX_REVISION])!r}",
        suggestion="Give a commit, branch or tag that is here; a shallow clone lacks older ones: "
        "`git fetch --unshallow`.",
        data={"revision": revision[:MAX_REVISION]},
    )
    is_plain = revision.isprintable() and not revision.startswith("^")
    if not is_plain or not 0 < len(revision) <= MAX_REVISION:
        raise unknown
    wanted = (f"{revision}^{{commit}}",)
    try:
        answer = b"".join(stream(repository, "rev-parse", (), wanted, None, job))
    except GitFailed as error:
        raise unknown from error
    return answer.decode("ascii").strip()


def merge_base(repository: Repository, one: str, other: str, job: Job) -> str | None:
    """Return the newest commit that is in the history of both; None if there is none."""
    try:
        answer = b"".join(stream(repository, "merge-base", (), (one, other), None, job))
    except GitFailed as error:
        if error.data["exit_code"] != 1:
            raise
        return None
    return answer.decode("ascii").split("\n")[0].strip() or None


def git_user(folder: Path) -> str:
    """Return the name that git would record for a commit in a folder, or else the login name.

    Unlike other calls of git, this one reads the user's own settings, where the name is.
    """
    name = os.environ.get("GIT_AUTHOR_NAME") or _configured(folder) or _login()
    return "".join(it for it in utf8(name) if it.isprintable()).strip()[:_MAX_CHARS] or "user"


def _configured(folder: Path) -> str:
    try:
        found = subprocess.run(  # noqa: S603 - git itself, which only prints a setting
            [find_git(folder), "-C", str(folder), "config", "--get", "user.name"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIME_LIMIT_S,
            check=False,
        )
    except (DependencyMissing, OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.decode("utf-8", "replace").strip()


def _login() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # a user id without a name, as in many containers
        return ""
