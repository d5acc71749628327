"""Read and write sidecars: atomically, one writer at a time.

A writer locks the folder itself; that needs no lock file, and the lock ends with the process. The
next writer removes temporary files of one that died while writing.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, FileMissing
from benchpin.workspace.files import folder_beneath, opened, path_errors
from benchpin.workspace.writing import locked, replace_file

from ._errors import SidecarCorrupt
from ._places import SUFFIX, SidecarFolder
from ._sidecar import MAX_BYTES, MAX_COMMENTS, NEWER, Sidecar, parse
from ._sidecar_edit import SidecarEditor

_HERE = PurePosixPath()
_UNFINISHED = re.compile(rf"\..*{re.escape(SUFFIX)}\.[0-9a-f]{{12}}\.tmp").fullmatch


class CommentStore:
    """The sidecars in a folder, each named after its source file."""

    def __init__(self, root: Path, prefix: PurePosixPath = _HERE) -> None:
        """Use a folder below a root; both are created on the first write."""
        self.root = root
        self.prefix = prefix

    def place_of(self, path: PurePosixPath) -> PurePosixPath:
        """Return the sidecar of a file, relative to the root."""
        return SidecarFolder(self.root, self.prefix).place_of(path)

    def read(self, path: PurePosixPath) -> Sidecar:
        """Return the comments of a file; an empty sidecar when there is none.

        Raises:
            PathError: when the sidecar cannot be read.
        """
        try:
            with opened(self.root, self.place_of(path), MAX_BYTES) as file:
                return parse(file.read(MAX_BYTES), str(path))
        except FileMissing:
            return Sidecar(str(path))

    def exists(self, path: PurePosixPath) -> bool:
        """Whether a file has a sidecar."""
        return (self.root / self.place_of(path)).is_file()

    @contextmanager
    def editing(self, paths: Sequence[PurePosixPath], job: Job) -> Iterator[list[SidecarEditor]]:
        """Lock the sidecars of files, which may be the same file, and write those that changed.

        The last is written first: after a crash a moved comment may be in both, but never lost.

        Raises:
            SidecarCorrupt: when one of them is damaged.
            PathError: when one of them cannot be written.
        """
        folders = sorted({self.place_of(path).parent for path in paths})  # one order: no deadlock
        with ExitStack() as locks:
            for folder in folders:
                locks.enter_context(self._locked(folder, job))
            editors = {path: self._editor(path) for path in paths}
            yield [editors[path] for path in paths]
            for path, editor in reversed(editors.items()):
                self._write(path, editor)

    def _editor(self, path: PurePosixPath) -> SidecarEditor:
        sidecar = self.read(path)
        if sidecar.problem:
            raise self.corrupt(sidecar)
        return SidecarEditor(str(path), sidecar)

    def _write(self, path: PurePosixPath, editor: SidecarEditor) -> None:
        if not editor.is_changed:
            return
        place = self.place_of(path)
        if editor.is_blank:
            with path_errors(place), folder_beneath(self.root, place.parent) as folder:
                with suppress(FileNotFoundError):
                    os.unlink(place.name, dir_fd=folder)
                os.fsync(folder)
            return
        content = editor.encode()
        count = len(editor.sidecar.entries)
        if len(content) > MAX_BYTES or count > MAX_COMMENTS:
            limit = f"{MAX_COMMENTS:,} comments or {MAX_BYTES:,} bytes"
            raise AccessDenied(
                f"{path} would have {count:,} comments of {len(content):,} bytes; the limit is "
                f"{limit}",
                suggestion="Delete comments that are no longer needed.",
                data={"filePath": str(path)},
            )
        replace_file(self.root, place, content)

    @contextmanager
    def _locked(self, path: PurePosixPath, job: Job) -> Iterator[None]:
        self.root.mkdir(parents=True, exist_ok=True)
        with (
            path_errors(path),
            folder_beneath(self.root, path, create=True) as folder,
            locked(folder, path, job) as is_locked,
        ):
            if not is_locked:
                raise AccessDenied(
                    f"The file system of {str(path)!r} cannot lock a folder",
                    suggestion='Set comments.store = "central" and data_dir to a local disk.',
                    is_server_fault=True,
                )
            _remove_unfinished(folder)
            yield

    def corrupt(self, sidecar: Sidecar) -> SidecarCorrupt:
        """Return the error for a damaged or too new sidecar, with the comments that are intact."""
        place = str(self.place_of(PurePosixPath(sidecar.path)))
        readable = [comment.id for comment in sidecar.comments]
        is_newer = sidecar.problem.startswith(NEWER)
        advice = "Upgrade Benchpin" if is_newer else f"Repair {place} or restore it from git"
        intact = " get_file_comments still shows the comments that are intact." if readable else ""
        return SidecarCorrupt(
            "Comment file of a newer Benchpin" if is_newer else "Comment file corrupted",
            suggestion=f"{advice}; the file was not changed.{intact}",
            data={
                "filePath": sidecar.path,
                "commentFile": place,
                "parseError": sidecar.problem,
                "readableComments": readable[:100],
            },
        )


def _remove_unfinished(folder: int) -> None:
    """Remove temporary files of dead writers; under the lock no other writer is alive."""
    for name in os.listdir(folder):
        if _UNFINISHED(name):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
