"""Read files below a root: regular files only, up to a size limit."""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from benchpin.core.calls import Job
from benchpin.core.errors import (
    AccessDenied,
    BenchpinError,
    DiskFull,
    FileMissing,
    FileTooLarge,
    InvalidPath,
    is_disk_full,
)
from benchpin.core.text import sendable

from ._beneath import READ, folder_beneath, open_below, open_beneath, require_openat

_READ = READ | getattr(os, "O_NOCTTY", 0)
_SNIFF_BYTES = 8_192
_DISK_ERRORS = {errno.EIO, errno.EROFS}
# What is wrong with a path, not with the disk: a link, a long name, a socket.
_ODD_PATH = frozenset({errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL, errno.ENXIO})
# A file changed less than this before it was read may change again with the same time stamp, since
# some clocks are coarse (2 s on FAT). Its stamp proves nothing, so it is read again, as git does.
RACY_NS = 2_000_000_000
Stamp = tuple[int, ...]
_CHUNK_BYTES = 1 << 16
MOUNTS = Path("/proc/self/mountinfo")
_LOCAL = frozenset(
    {
        *("bcachefs", "btrfs", "erofs", "ext2", "ext3", "ext4", "f2fs", "overlay", "ramfs"),
        *("squashfs", "tmpfs", "xfs", "zfs"),
    }
)
_ESCAPED = re.compile(r"\\([0-7]{3})")
# The field of a line that holds the mount point.
_POINT = 4


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A regular file, open for reading."""

    file: BinaryIO
    size_bytes: int
    mtime_ns: int

    def read(self, max_bytes: int) -> bytes:
        """Return at most this many bytes, including what was appended since the file was opened."""
        # One byte more than the size shows whether the file has grown, without a second read.
        content = self.file.read(min(self.size_bytes, max_bytes) + 1)
        if len(content) <= self.size_bytes:
            return content
        return (content + self.file.read(max_bytes))[:max_bytes]


def read_whole(root: Path, path: PurePosixPath, max_bytes: int, job: Job) -> bytes:
    """Return the content of a regular file.

    Raises:
        PathError: as `opened` does.
    """
    try:
        descriptor = open_below(root, path, _READ)
        try:
            size_bytes = _checked(descriptor, path, max_bytes).st_size
            job.expect(size_bytes)
            # One byte more than the size shows whether the file has grown, without a second read.
            content = os.read(descriptor, size_bytes + 1)
            if len(content) != size_bytes:
                while len(content) < max_bytes and (
                    more := os.read(descriptor, max_bytes - len(content))
                ):
                    content += more
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        raise path_error(error, path) from error
    return content[:max_bytes]


@contextmanager
def opened(root: Path, path: PurePosixPath, max_bytes: int) -> Iterator[OpenFile]:
    """Open a regular file for reading.

    Raises:
        FileMissing: when it does not exist.
        InvalidPath: when it is not a regular file.
        FileTooLarge: when it is larger than `max_bytes`.
        AccessDenied: when the system refuses it, or the path contains a symbolic link.
    """
    with path_errors(path):
        with folder_beneath(root, PurePosixPath()) as top:
            descriptor = open_beneath(top, path, _READ)
        with _open_file(descriptor, path, max_bytes) as file:
            yield file


def read_in(folder: int, path: PurePosixPath, max_bytes: int) -> bytes:
    """Read the file of that name in an open folder, whatever the rest of the path leads to now.

    Raises:
        OSError: when it cannot be opened.
        PathError: when it is not a regular file, or larger than `max_bytes`.
    """
    descriptor = open_beneath(folder, PurePosixPath(path.name), _READ)
    with _open_file(descriptor, path, max_bytes) as file:
        return file.read(max_bytes + 1)


@contextmanager
def _open_file(descriptor: int, path: PurePosixPath, max_bytes: int) -> Iterator[OpenFile]:
    try:
        status = _checked(descriptor, path, max_bytes)
    except BenchpinError:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "rb") as file:
        yield OpenFile(file, status.st_size, status.st_mtime_ns)


def _checked(descriptor: int, path: PurePosixPath, max_bytes: int) -> os.stat_result:
    status = os.fstat(descriptor)
    data = {"path": sendable(str(path)), "size_bytes": status.st_size}
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise InvalidPath(
            f"{str(path)!r} is {kind}",
            suggestion="Use list_directory for folders; pipes, sockets and devices are not read.",
            data=data,
        )
    if status.st_size > max_bytes:
        raise FileTooLarge(
            f"{str(path)!r} has {status.st_size:,} bytes, more than {max_bytes:,}",
            suggestion="read_file reads text of up to 64 MiB by lines; cut a larger file with "
            "another program, such as split.",
            data=data,
        )
    return status


def looks_binary(head: bytes) -> bool:
    """Whether a file is binary by the rule of git: a NUL among its first bytes."""
    return b"\0" in head[:_SNIFF_BYTES]


@contextmanager
def path_errors(path: PurePosixPath) -> Iterator[None]:
    """Turn an OSError about a path into the PathError that clients get."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise path_error(error, path) from error


def path_error(error: OSError | ValueError, path: PurePosixPath) -> BenchpinError:
    """Return what clients get for an error about a path."""
    shown = sendable(str(path))
    data = {"path": shown}
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return FileMissing(
            f"File not found: {shown}",
            suggestion="Check the path with list_directory or search_files.",
            data=data,
        )
    if isinstance(error, PermissionError):
        return AccessDenied(
            f"The operating system denies access to {shown}",
            suggestion="Check the owner and the mode of the file.",
            is_server_fault=True,
            data=data,
        )
    if isinstance(error, OSError) and is_disk_full(error):
        return DiskFull(
            f"The disk is full, {shown} was not written: {error.strerror}",
            suggestion="Free some space or raise the quota, then call again.",
            data=data,
        )
    if isinstance(error, OSError) and error.errno in _DISK_ERRORS:
        return AccessDenied(
            f"The disk does not work for {shown}: {error.strerror}",
            suggestion="Check the disk and how it is mounted; what was there is unchanged.",
            is_server_fault=True,
            data=data,
        )
    is_odd_path = isinstance(error, ValueError) or error.errno in _ODD_PATH
    return AccessDenied(
        f"{shown} cannot be opened: {error.strerror if isinstance(error, OSError) else error}",
        suggestion="The path may contain a symbolic link or special file; give the real path.",
        is_server_fault=not is_odd_path,
        data=data,
    )


# Files of a workspace that may change meanwhile: read without following links or blocking.


def stamp_of(status: os.stat_result) -> Stamp:
    """Return the values that differ after a file or a folder was changed or replaced."""
    return (
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_size,
        status.st_ino,
        status.st_dev,
    )


def is_racy(stamp: Stamp, now_ns: int) -> bool:
    """Whether something changed so recently that an equal stamp proves nothing."""
    # Programs can set the modification time, so the change time must be old as well.
    return now_ns - max(stamp[:2]) < RACY_NS


class Unreadable(Exception):
    """A file that cannot be read; the message is the reason."""


def read_regular(root: bytes, path: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """Return the first bytes of a regular file below a root, and its status before the read.

    Raises:
        Unreadable: when it is not a regular file, does not exist or may not be read.
    """
    require_openat()
    try:
        folder = os.open(root, READ)
        try:
            handle = open_beneath(folder, PurePosixPath(path), READ)
        finally:
            os.close(folder)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise Unreadable("not a regular file")
            return _read(handle, max_bytes, status.st_size + 1), status
        finally:
            os.close(handle)
    except OSError as error:
        is_link = error.errno in {errno.ELOOP, errno.EMLINK, errno.ENXIO}
        reason = "not a regular file" if is_link else (error.strerror or "unreadable").lower()
        raise Unreadable(reason) from error


def _read(handle: int, max_bytes: int, room: int) -> bytes:
    """Read until the end or the limit; `room` is the expected size plus one.

    A larger buffer would take longer to allocate than the file to read.
    """
    parts: list[bytes] = []
    left = max_bytes
    while left and (part := os.read(handle, min(left, room))):
        parts.append(part)
        left -= len(part)
        room = _CHUNK_BYTES
    return b"".join(parts)


# A network disk can keep a reader waiting for minutes, where reading a small file takes no time.


def is_local(folder: Path, mounts: Path = MOUNTS) -> bool:
    """Whether a folder, and all that is mounted in it, is on disks that are known to be local.

    Only Linux tells; elsewhere nothing is known.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    kinds: dict[Path, str] = {}
    for line in lines:
        place, _, source = line.partition(" - ")
        point = _ESCAPED.sub(lambda it: chr(int(it[1], 8)), place.split(" ")[_POINT])
        kinds[Path(point)] = source.split(" ")[0]  # the last one of a place hides the others
    own = next((it for it in (folder, *folder.parents) if it in kinds), None)
    inside = (it for it in kinds if it.is_relative_to(folder))
    return own is not None and all(kinds[it] in _LOCAL for it in (own, *inside))
