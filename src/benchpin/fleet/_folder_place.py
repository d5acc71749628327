"""A place that is a folder. No link in it is followed: a workspace may bring the folder along."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Job
from benchpin.core.errors import FileMissing, FileTooLarge, PathError
from benchpin.workspace.files import READ, folder_beneath, open_below, opened
from benchpin.workspace.writing import write_atomically

from ._place import failure


class FolderPlace:
    """Files by name."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()
        self.url = str(self._root)

    def put(self, name: str, data: bytes) -> None:
        """Write a file, or replace it, by a rename."""
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            write_atomically(self._root, PurePosixPath(name), data, Job())
        except (OSError, PathError) as error:
            raise failure(self, name, str(error)) from error

    def get(self, name: str, most_bytes: int) -> bytes | None:
        """Return a file; None when there is none, or it is larger."""
        try:
            with opened(self._root, PurePosixPath(name), most_bytes) as file:
                return file.read(most_bytes)
        except (FileMissing, FileTooLarge, FileNotFoundError):
            return None
        except (OSError, PathError) as error:
            raise failure(self, name, str(error)) from error

    def get_parts(self, name: str, spans: Sequence[tuple[int, int]]) -> list[bytes] | None:
        """Return parts of a file by offset and length; None when there is none."""
        try:
            descriptor = open_below(self._root, PurePosixPath(name), READ)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise failure(self, name, str(error)) from error
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            return [os.pread(descriptor, length, offset) for offset, length in spans]
        finally:
            os.close(descriptor)

    def listing(self, prefix: str) -> Iterator[tuple[str, float]]:
        """Yield the names of files with a prefix, and when each was written."""
        waiting = [PurePosixPath(prefix)]
        while waiting:
            folder = waiting.pop()
            for name, status in self._entries(folder):
                if stat.S_ISDIR(status.st_mode):
                    waiting.append(folder / name)
                elif stat.S_ISREG(status.st_mode):
                    yield str(folder / name), status.st_mtime

    def _entries(self, folder: PurePosixPath) -> list[tuple[str, os.stat_result]]:
        with suppress(FileNotFoundError, NotADirectoryError):
            try:
                with folder_beneath(self._root, folder) as handle, os.scandir(handle) as entries:
                    return [(it.name, it.stat(follow_symlinks=False)) for it in entries]
            except (FileNotFoundError, NotADirectoryError):
                raise
            except OSError as error:
                raise failure(self, str(folder), str(error)) from error
        return []

    def file_of(self, name: str, cache_folder: Path) -> Path:  # noqa: ARG002 - as declared
        """Return the file itself."""
        try:
            with opened(self._root, PurePosixPath(name), 1 << 40):
                return self._root / name
        except (OSError, PathError) as error:
            raise failure(self, name, str(error)) from error

    def delete(self, names: Iterable[str]) -> None:
        """Remove files."""
        for name in names:
            path = PurePosixPath(name)
            with suppress(FileNotFoundError):
                try:
                    with folder_beneath(self._root, path.parent) as folder:
                        os.unlink(path.name, dir_fd=folder)
                except FileNotFoundError:
                    raise
                except OSError as error:
                    raise failure(self, name, str(error)) from error
