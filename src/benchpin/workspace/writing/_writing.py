"""Write files below a root: completely or not at all, and never through a symbolic link."""

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, BenchpinError, FileChanged, InvalidPath
from benchpin.core.text import sendable
from benchpin.workspace.files import folder_beneath, open_beneath, path_errors, read_in

from ._locking import locked_folder

# An expected hash that says that there must be no file.
NO_FILE = ""

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_NEW_FILE_MODE = 0o666  # less the umask
_PRIVATE = 0o600
_ANY_WRITE = 0o222
_MAX_STEM = 100  # with the suffix still below the 255 bytes of NAME_MAX, for 1-byte characters
_UNFINISHED = re.compile(r"[0-9a-f]{12}\.tmp").fullmatch
_MAX_COMPARED_BYTES = 64 << 20  # as much as read_file reads
_MAX_ATTEMPTS = 5


class Edited(NamedTuple):
    """The content of a file before and after a change."""

    before: bytes
    after: bytes


def sha256_of(content: bytes) -> str:
    """Return the hash by which a caller names the content that it has read."""
    return hashlib.sha256(content).hexdigest()


def write_atomically(
    root: Path,
    path: PurePosixPath,
    content: bytes,
    job: Job,
    *,
    expected_sha256: str | None = None,
    owned_like: os.stat_result | None = None,
) -> bool:
    """Replace a file, or create it and its folders; return whether it is new.

    Readers see the old content or the new one, also after a crash. The mode is kept, or is that of
    `owned_like`, with its owner where the system allows it. A file with several hard links is
    refused: one of them may be outside. One writer at a time: the folder is locked meanwhile.
    `expected_sha256` is the hash of the content to replace, or `NO_FILE`.

    Raises:
        FileChanged: when the present content has another hash.
        InvalidPath: when there is something other than a regular file.
        DiskFull: when there is no room; the old content remains.
        AccessDenied: when the file has several hard links, is read-only, or the system refuses.
        TimeLimitExceeded: when another writer holds the lock until the time of the job is over.
    """
    with (
        path_errors(path),
        _named_obstacle(root, path),
        locked_folder(root, path.parent, job, create=True) as folder,
    ):
        return _replace(folder, path, content, expected_sha256, owned_like)


def remove_file(root: Path, path: PurePosixPath, job: Job, *, expected_sha256: str) -> None:
    """Remove a file whose content has this hash.

    Raises:
        FileChanged: when the present content has another hash.
        PathError: when it must not be removed, or the system refuses.
        TimeLimitExceeded: when another writer holds the lock until the time of the job is over.
    """
    with path_errors(path), locked_folder(root, path.parent, job) as folder:
        file_to_replace(folder, path)
        _require_content(folder, path, expected_sha256)
        os.unlink(path.name, dir_fd=folder)
        os.fsync(folder)


def replace_file(root: Path, path: PurePosixPath, content: bytes) -> bool:
    """Do what `write_atomically` does for a caller that holds the lock of the folder already."""
    with (
        path_errors(path),
        _named_obstacle(root, path),
        folder_beneath(root, path.parent, create=True) as folder,
    ):
        return _replace(folder, path, content, None)


def write_cache(place: Path, content: bytes) -> bool:
    """Replace a file of the cache, where the disk allows it; return whether it was written."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place.parent, PurePosixPath(place.name), content, Job())
    except (OSError, BenchpinError):
        return False
    return True


def edit_atomically(
    root: Path,
    path: PurePosixPath,
    change: Callable[[bytes], bytes],
    job: Job,
    *,
    max_bytes: int,
) -> Edited:
    """Replace the content of a file by what `change` makes of it, and lose no other change.

    Programs that do not take the lock may write too. When one has, `change` is called again with
    the new content, a few times.

    Raises:
        FileChanged: when another program changed the file every time.
        PathError: when the file cannot be read or written.
        TimeLimitExceeded: when another writer holds the lock until the time of the job is over.
    """
    with path_errors(path), locked_folder(root, path.parent, job) as folder:
        for attempt in range(1, _MAX_ATTEMPTS + 1):
            job.check()
            before = read_in(folder, path, max_bytes)
            after = change(before)
            if after == before:
                break
            try:
                _replace(folder, path, after, sha256_of(before))
                break
            except FileChanged:
                if attempt == _MAX_ATTEMPTS:
                    raise
        return Edited(before, after)


def _replace(
    folder: int,
    path: PurePosixPath,
    content: bytes,
    expected_sha256: str | None,
    owned_like: os.stat_result | None = None,
) -> bool:
    before = file_to_replace(folder, path)
    stem = f".{path.name[:_MAX_STEM]}."
    _remove_unfinished(folder, stem)
    temporary = PurePosixPath(f"{stem}{secrets.token_hex(6)}.tmp")
    try:
        create_file(folder, temporary, content, owned_like or before)
        if expected_sha256 is not None:  # as late as possible: not all programs take the lock
            _require_content(folder, path, expected_sha256)
        os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)  # or a crash may undo the rename
    finally:
        with suppress(FileNotFoundError):  # the rename has removed it
            os.unlink(temporary, dir_fd=folder)
    return before is None


def create_file(
    folder: int, name: PurePosixPath, content: bytes, model: os.stat_result | None
) -> None:
    """Create a file that is on the disk, with the owner and mode of `model` if there is one.

    Raises:
        OSError: when the system refuses, or the disk is full.
    """
    mode = _NEW_FILE_MODE if model is None else _PRIVATE
    with os.fdopen(open_beneath(folder, name, _NEW, mode), "wb") as file:
        file.write(content)
        if model is not None:
            _copy_owner_and_mode(file.fileno(), model)
        file.flush()
        os.fsync(file.fileno())


def sync_folders(top: Path) -> None:
    """Have the names of all files below a folder on the disk, as their contents are already.

    Raises:
        OSError: when the system refuses.
    """
    for folder, _, _ in os.walk(top):
        sync_folder(Path(folder))


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk.

    Raises:
        OSError: when the system refuses.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _require_content(folder: int, path: PurePosixPath, expected_sha256: str) -> None:
    try:
        present = sha256_of(read_in(folder, path, _MAX_COMPARED_BYTES))
    except FileNotFoundError:
        present = NO_FILE
    if present != expected_sha256.lower():
        shown = sendable(str(path))
        now = f"its SHA-256 is {present} now" if present else "it does not exist now"
        raise FileChanged(
            f"{shown} has changed since it was read: {now}; nothing was written",
            suggestion="Read the file again and repeat the change on its present content.",
            data={"path": shown, "expected_sha256": expected_sha256, "sha256": present or None},
        )


def _remove_unfinished(folder: int, stem: str) -> None:
    """Remove what a killed writer of the same file left; under the lock no other one is alive."""
    for name in os.listdir(folder):
        if name.startswith(stem) and _UNFINISHED(name, len(stem)):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)


@contextmanager
def folder_to_write(root: Path, path: PurePosixPath, job: Job) -> Iterator[int]:
    """Open a folder, created if needed, and hold its lock.

    Raises:
        PathError: when it cannot be created or opened.
        TimeLimitExceeded: when another writer holds the lock until the time of the job is over.
    """
    with (
        path_errors(path),
        _named_obstacle(root, path),
        locked_folder(root, path, job, create=True) as folder,
    ):
        yield folder


@contextmanager
def _named_obstacle(root: Path, path: PurePosixPath) -> Iterator[None]:
    """Name the file that is where a folder has to be created."""
    try:
        yield
    except NotADirectoryError as error:
        above = (*reversed(path.parents), path)
        blocking = next((it for it in above if (root / it).is_file()), None)
        if blocking is None:
            raise
        raise InvalidPath(
            f"{str(path)!r} cannot be created: {str(blocking)!r} is a file, not a folder",
            suggestion="Choose another path, or another folder.",
            data={"path": str(path)},
        ) from error


def file_to_replace(folder: int, path: PurePosixPath) -> os.stat_result | None:
    """Return the status of a file that may be replaced; None if there is none.

    Raises:
        PathError: when it must not be replaced.
    """
    try:
        status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    data = {"path": str(path)}
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise InvalidPath(f"{str(path)!r} is {kind}", suggestion="Choose another path.", data=data)
    if status.st_nlink > 1:
        raise AccessDenied(
            f"{str(path)!r} has {status.st_nlink} hard links; one may be outside the workspace",
            suggestion="Copy the file and rename the copy over it, which leaves one link.",
            data=data,
        )
    if not status.st_mode & _ANY_WRITE:
        raise AccessDenied(
            f"{str(path)!r} is read-only",
            suggestion="Make it writable first, if it should be changed.",
            data=data,
        )
    return status


def _copy_owner_and_mode(descriptor: int, before: os.stat_result) -> None:
    with suppress(OSError):  # only root may give a file to another user
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
