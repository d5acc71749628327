"""Write files beneath a root: whole or not at all, and never through a link."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core import AccessDenied, InvalidPath
from benchpin.engines.beneath import folder_beneath, open_beneath

from .reading import refusals

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_MODE_OF_NEW_FILES = 0o666
"""The system takes the user's umask off."""
_PRIVATE = 0o600
_ANY_WRITE = 0o222
_MAX_STEM = 100


@dataclass(frozen=True, slots=True)
class Written:
    """What a write did."""

    is_new: bool
    size_bytes: int


def write_atomically(root: Path, path: PurePosixPath, content: bytes) -> Written:
    """Replace a file, or make it and the folders that it lies in.

    Whoever reads meanwhile sees the old content or the new, and after a crash one of them is
    there. The mode is kept. A file with several names is not written: one of them may lie outside.

    Raises:
        InvalidPath: when something else than a regular file stands there.
        AccessDenied: when the file has several names, may not be written, or the system refuses.
    """
    with refusals(path), _folder_of(root, path) as folder:
        before = _existing(folder, path)
        temporary = PurePosixPath(f".{path.name[:_MAX_STEM]}.{secrets.token_hex(6)}.tmp")
        mode = _MODE_OF_NEW_FILES if before is None else _PRIVATE
        descriptor = open_beneath(folder, temporary, _NEW, mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                if before is not None:
                    _take_over(file.fileno(), before)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):  # it is gone when it was renamed
                os.unlink(temporary, dir_fd=folder)
        os.fsync(folder)
    return Written(is_new=before is None, size_bytes=len(content))


@contextmanager
def _folder_of(root: Path, path: PurePosixPath) -> Iterator[int]:
    """Hold the folder of a file open, and make it when it is missing."""
    with ExitStack() as held:
        try:
            folder = held.enter_context(folder_beneath(root, path.parent, makes=True))
        except NotADirectoryError as error:
            blocking = next((it for it in reversed(path.parents) if (root / it).is_file()), None)
            if blocking is None:
                raise
            raise InvalidPath(
                f"{str(path)!r} cannot be made: {str(blocking)!r} is a file, not a folder",
                suggestion="Choose another path, or another folder.",
                data={"path": str(path)},
            ) from error
        yield folder


def _existing(folder: int, path: PurePosixPath) -> os.stat_result | None:
    """Return the file that would be replaced, if that may be done."""
    try:
        status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    data = {"path": str(path)}
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise InvalidPath(f"{str(path)!r} is {kind}", suggestion="Choose another path.", data=data)
    if status.st_nlink > 1:
        raise AccessDenied(
            f"{str(path)!r} has {status.st_nlink} names; one of them may lie outside",
            suggestion="Make it a file of its own first: copy it, and rename the copy over it.",
            data=data,
        )
    if not status.st_mode & _ANY_WRITE:
        raise AccessDenied(
            f"{str(path)!r} is read-only",
            suggestion="Change its mode first, if that is meant.",
            data=data,
        )
    return status


def _take_over(descriptor: int, before: os.stat_result) -> None:
    """Give the new file the owner and the mode of the old one."""
    with suppress(OSError):
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
