"""Keep files of comments: whole or not at all, one writer at a time, and nothing left lying about.

A writer locks the folder itself, which needs no file for the purpose and ends with its process.
What somebody left unfinished who died while writing is removed by the next writer.
"""

import errno
import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from benchpin.core import AccessDenied, FileMissing, Job, TimeLimitExceeded
from benchpin.engines.beneath import folder_beneath
from benchpin.engines.files.reading import opened, path_errors
from benchpin.engines.files.writing import write_atomically

from .draft import Draft
from .errors import SidecarCorrupt
from .sidecar import MAX_BYTES, NEWER, SUFFIX, Sidecar, parse

_HERE = PurePosixPath()
_SHORTEST_WAIT_S = 0.001
_LONGEST_WAIT_S = 0.02
_MOST_WAIT_S = 60.0
_UNFINISHED = re.compile(rf"\..*{re.escape(SUFFIX)}\.[0-9a-f]{{12}}\.tmp").fullmatch
_NOT_LOCKABLE = {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.EOPNOTSUPP}


class Store:
    """The files of comments beneath a folder, each named as what it is about."""

    def __init__(self, root: Path, prefix: PurePosixPath = _HERE) -> None:
        """Use a folder beneath a root; both are made when they are needed."""
        self.root = root
        self.prefix = prefix

    def place_of(self, path: PurePosixPath) -> PurePosixPath:
        """Return where the comments of a file stand, from the root."""
        return self.prefix / path.with_name(path.name + SUFFIX)

    def read(self, path: PurePosixPath) -> Sidecar:
        """Return the comments of a file; none when nobody wrote any.

        Raises:
            PathError: when what stands there cannot be read.
        """
        try:
            with opened(self.root, self.place_of(path), MAX_BYTES) as file:
                return parse(file.read(MAX_BYTES))
        except FileMissing:
            return Sidecar()

    def exists(self, path: PurePosixPath) -> bool:
        """Whether somebody wrote comments about a file."""
        return (self.root / self.place_of(path)).is_file()

    @contextmanager
    def editing(self, path: PurePosixPath, job: Job) -> Iterator[Draft]:
        """Hold the comments of a file; what is changed is written at the end.

        Raises:
            SidecarCorrupt: when they are damaged.
            PathError: when they cannot be written.
        """
        with self.editing_both((path, path), job) as (draft, _):
            yield draft

    @contextmanager
    def editing_both(
        self, paths: tuple[PurePosixPath, PurePosixPath], job: Job
    ) -> Iterator[tuple[Draft, Draft]]:
        """Hold the comments of two files, which may be one, at once.

        The second is written first: a comment that is moved may be there twice after a crash, and
        is never gone.
        """
        folders = sorted({self.place_of(path).parent for path in paths})
        with ExitStack() as held:
            for folder in folders:
                held.enter_context(self._locked(folder, job))
            drafts = {path: self._draft(path) for path in paths}
            yield drafts[paths[0]], drafts[paths[1]]
            for path, draft in reversed(drafts.items()):
                self._write(path, draft)

    def _draft(self, path: PurePosixPath) -> Draft:
        found = self.read(path)
        if found.problem:
            raise corrupt(path, self.place_of(path), found)
        return Draft(str(path), found)

    def _write(self, path: PurePosixPath, draft: Draft) -> None:
        if not draft.is_changed:
            return
        place = self.place_of(path)
        if draft.is_blank:
            with path_errors(place), folder_beneath(self.root, place.parent) as folder:
                with suppress(FileNotFoundError):
                    os.unlink(place.name, dir_fd=folder)
                os.fsync(folder)
            return
        content = draft.encode()
        if len(content) > MAX_BYTES:
            raise AccessDenied(
                f"The comments of {path} would take more than {MAX_BYTES:,} bytes",
                suggestion="Delete comments that are done with.",
                data={"filePath": str(path)},
            )
        write_atomically(self.root, place, content)

    @contextmanager
    def _locked(self, path: PurePosixPath, job: Job) -> Iterator[None]:
        self.root.mkdir(parents=True, exist_ok=True)
        with path_errors(path), folder_beneath(self.root, path, create=True) as folder:
            _lock(folder, path, job)
            _sweep(folder)
            yield


def corrupt(path: PurePosixPath, place: PurePosixPath, found: Sidecar) -> SidecarCorrupt:
    """Say that comments are damaged, or too new, and which of them can be read."""
    readable = [comment.id for comment in found.comments]
    is_newer = found.problem.startswith(NEWER)
    advice = "Upgrade Benchpin" if is_newer else f"Repair {place}, from version control for one"
    shown = " get_file_comments still shows the comments that are whole." if readable else ""
    return SidecarCorrupt(
        "Comment file of a newer Benchpin" if is_newer else "Comment file corrupted",
        suggestion=f"{advice}; the file is left as it is.{shown}",
        data={
            "filePath": str(path),
            "commentFile": str(place),
            "parseError": found.problem,
            "readableComments": readable[:100],
        },
    )


def _lock(folder: int, path: PurePosixPath, job: Job) -> None:
    """Wait for the lock of a folder, no longer than somebody is interested."""
    import fcntl  # noqa: PLC0415 - not on Windows

    ends, wait_s = time.monotonic() + _MOST_WAIT_S, _SHORTEST_WAIT_S
    while True:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            job.check()
            if job.is_expired or time.monotonic() > ends:
                raise TimeLimitExceeded(
                    f"Somebody else writes comments in {str(path)!r} and does not come to an end",
                    suggestion="Call again.",
                    data={"path": str(path)},
                ) from None
            time.sleep(random.uniform(_SHORTEST_WAIT_S, wait_s))  # noqa: S311 - no secret
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
        except OSError as error:
            if error.errno in _NOT_LOCKABLE:
                raise AccessDenied(
                    f"The file system of {str(path)!r} cannot lock a folder",
                    suggestion='Set comments.store = "central" and data_dir to a local disk.',
                ) from error
            raise
        else:
            return


def _sweep(folder: int) -> None:
    """Remove what was left unfinished; under the lock nobody else is at it."""
    for name in os.listdir(folder):
        if _UNFINISHED(name):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
