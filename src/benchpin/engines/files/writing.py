"""Write files below a root: completely or not at all, and never through a symbolic link."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from benchpin.core import AccessDenied, InvalidPath
from benchpin.engines.beneath import folder_beneath, open_beneath

from .reading import path_errors

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_NEW_FILE_MODE = 0o666  # less the umask
_PRIVATE = 0o600
_ANY_WRITE = 0o222
_MAX_STEM = 100  # with the suffix still below the 255 bytes of NAME_MAX, for 1-byte characters


def write_atomically(root: Path, path: PurePosixPath, content: bytes) -> bool:
    """Replace a file, or create it and its folders; return whether it is new.

    Readers see the old content or the new one, also after a crash. The mode is kept. A file with
    several hard links is refused: one of them may be outside.

    Raises:
        InvalidPath: when there is something other than a regular file.
        AccessDenied: when the file has several hard links, is read-only, or the system refuses.
    """
    with path_errors(path), _folder_of(root, path) as folder:
        before = _existing(folder, path)
        temporary = PurePosixPath(f".{path.name[:_MAX_STEM]}.{secrets.token_hex(6)}.tmp")
        mode = _NEW_FILE_MODE if before is None else _PRIVATE
        descriptor = open_beneath(folder, temporary, _NEW, mode)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                if before is not None:
                    _copy_owner_and_mode(file.fileno(), before)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):  # the rename has removed it
                os.unlink(temporary, dir_fd=folder)
        os.fsync(folder)  # or a crash may undo the rename
    return before is None


@contextmanager
def _folder_of(root: Path, path: PurePosixPath) -> Iterator[int]:
    """Open the folder of a file, and create it if needed."""
    with ExitStack() as held:
        try:
            folder = held.enter_context(folder_beneath(root, path.parent, create=True))
        except NotADirectoryError as error:
            blocking = next((it for it in reversed(path.parents) if (root / it).is_file()), None)
            if blocking is None:
                raise
            raise InvalidPath(
                f"{str(path)!r} cannot be created: {str(blocking)!r} is a file, not a folder",
                suggestion="Choose another path, or another folder.",
                data={"path": str(path)},
            ) from error
        yield folder


def _existing(folder: int, path: PurePosixPath) -> os.stat_result | None:
    """Return the status of the file to replace, or None; refuse what must not be replaced."""
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
