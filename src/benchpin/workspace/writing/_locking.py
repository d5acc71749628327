"""Locks that all threads and processes of Benchpin share, without lock files among the user's.

A writer locks the folder of its file. The lock belongs to the open folder, so it ends with the
process, also when that is killed.
"""

import errno
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.core.text import sendable
from benchpin.workspace.files import FOLDER, folder_beneath

_MIN_PAUSE_S = 0.001
_MAX_PAUSE_S = 0.02
_MAX_WAIT_S = 60.0
_NOT_LOCKABLE = {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.EOPNOTSUPP}


@contextmanager
def locked(descriptor: int, path: PurePosixPath, job: Job) -> Iterator[bool]:
    """Hold the lock of an open file or folder; yield False where the file system has no locks.

    Raises:
        TimeLimitExceeded: when another writer holds it until the time of the job is over.
        Cancelled: when the job was cancelled while it waited.
    """
    import fcntl  # noqa: PLC0415 - not on Windows

    is_locked = _lock(descriptor, path, job)
    try:
        yield is_locked
    finally:
        if is_locked:
            # Closing is not enough: a child that was forked meanwhile has the descriptor too.
            fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def marked_in_use(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder that is being written, so that `is_abandoned` is false for it."""
    import fcntl  # noqa: PLC0415 - not on Windows

    descriptor = os.open(folder, FOLDER)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def is_abandoned(folder: Path) -> bool:
    """Whether the process that marked a folder has ended; False where there are no locks."""
    import fcntl  # noqa: PLC0415 - not on Windows

    try:
        descriptor = os.open(folder, FOLDER)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


@contextmanager
def locked_folder(
    root: Path, path: PurePosixPath, job: Job, *, create: bool = False
) -> Iterator[int]:
    """Open a folder below the root and hold its lock; `create` creates it if needed.

    A file system without locks does not lock; whoever writes there compares the content only.

    Raises:
        OSError: when it cannot be opened, or is not a folder.
        TimeLimitExceeded: when another writer holds the lock until the time of the job is over.
        Cancelled: when the job was cancelled while it waited.
    """
    while True:
        with (
            folder_beneath(root, path, create=create) as folder,
            locked(folder, path, job),
        ):
            # While it waited, the folder may have been removed or replaced: lock the present one.
            with folder_beneath(root, path, create=create) as present:
                is_present = os.path.samestat(os.fstat(folder), os.fstat(present))
            if is_present:
                yield folder
                return
        job.check()


def _lock(descriptor: int, path: PurePosixPath, job: Job) -> bool:
    import fcntl  # noqa: PLC0415 - not on Windows

    ends, wait_s = time.monotonic() + _MAX_WAIT_S, _MIN_PAUSE_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            job.check()
            if job.is_expired or time.monotonic() > ends:
                shown = sendable(str(path))
                raise TimeLimitExceeded(
                    f"Another process is writing in {shown!r} and does not finish",
                    suggestion="Call again.",
                    data={"path": shown},
                ) from None
            # A random wait keeps several writers from waking up at the same time.
            time.sleep(random.uniform(_MIN_PAUSE_S, wait_s))  # noqa: S311 - no secret
            wait_s = min(2 * wait_s, _MAX_PAUSE_S)
        except OSError as error:
            if error.errno in _NOT_LOCKABLE:
                return False
            raise
        else:
            return True
