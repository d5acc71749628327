"""Read files beneath a root: regular ones only, and never more than a bound."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from benchpin.core import (
    AccessDenied,
    BenchpinError,
    FileMissing,
    FileTooLarge,
    InvalidPath,
    sendable,
)
from benchpin.engines.beneath import folder_beneath, open_beneath

_READ = os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOCTTY", 0)
_SNIFF_BYTES = 8_192


@dataclass(frozen=True, slots=True)
class OpenFile:
    """A regular file that is open for reading."""

    file: BinaryIO
    size_bytes: int
    mtime_ns: int

    def read(self, most: int) -> bytes:
        """Return the content, no more than so many bytes; also what came since it was opened."""
        content = self.file.read(min(self.size_bytes, most) + 1)
        if len(content) <= self.size_bytes:
            return content
        return (content + self.file.read(most))[:most]


@contextmanager
def opened(root: Path, path: PurePosixPath, max_bytes: int) -> Iterator[OpenFile]:
    """Hold a regular file open.

    Raises:
        FileMissing: when it is not there.
        InvalidPath: when it is no regular file.
        FileTooLarge: when it is larger than the bound.
        AccessDenied: when the system refuses it, or a link stands in the way.
    """
    with refusals(path):
        with folder_beneath(root, PurePosixPath()) as top:
            descriptor = open_beneath(top, path, _READ)
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
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise InvalidPath(
            f"{str(path)!r} is {kind}",
            suggestion="Use list_directory for folders; pipes, sockets and devices are not read.",
            data=data,
        )
    if status.st_size > max_bytes:
        raise FileTooLarge(
            f"{str(path)!r} has {status.st_size:,} bytes, more than {max_bytes:,}",
            suggestion="read_file takes text of up to 64 MiB by lines; cut what is larger into "
            "pieces with another program, such as split.",
            data=data,
        )
    return status


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes of a file are not text, as git tells: by a NUL."""
    return b"\0" in head[:_SNIFF_BYTES]


@contextmanager
def refusals(path: PurePosixPath) -> Iterator[None]:
    """Turn what the system says of a path into errors that tell a way out."""
    shown = sendable(str(path))
    data = {"path": shown}
    try:
        yield
    except BenchpinError:
        raise
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileMissing(
            f"File not found: {shown}",
            suggestion="Check the path with list_directory or search_files.",
            data=data,
        ) from error
    except PermissionError as error:
        raise AccessDenied(
            f"The system does not allow it: {shown}",
            suggestion="Check who owns the file and its mode.",
            data=data,
        ) from error
    except (OSError, ValueError) as error:
        raise AccessDenied(
            f"{shown} cannot be opened: {error.strerror if isinstance(error, OSError) else error}",
            suggestion="A link or a special file may stand in the way; give the real path.",
            data=data,
        ) from error
