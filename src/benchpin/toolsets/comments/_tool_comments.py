"""The comments of a workspace for the tools: what callers name, checked, and what they edit."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

from benchpin.comments import SUFFIX, SidecarEditor, WorkspaceComments, is_denied, protocol_errors
from benchpin.comments.anchoring import FOLDER, TrackedText
from benchpin.core.calls import Bench
from benchpin.core.errors import AccessDenied, FileMissing, InvalidPath
from benchpin.core.text import sendable


class ToolComments(WorkspaceComments):
    """The comments of a workspace, by the paths that a caller writes."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self.bench = bench
        self._root = bench.workspace.root

    def resolve(self, file_path: str) -> PurePosixPath:
        """Return the path of a source file, which need not exist."""
        with protocol_errors(file_path, self._root):
            path = self.bench.workspace.relative(self.bench.path(file_path))
            if not path.name or path.name.endswith(SUFFIX) or (self._root / path).is_dir():
                raise InvalidPath(
                    f"{file_path!r} is not a source file", suggestion="Name a source file."
                )
            if sendable(str(path)) != str(path):
                raise InvalidPath(f"{path!r} is not UTF-8", suggestion="Rename the file first.")
            place = self.store.place_of(path)
            if is_denied(self.bench.permissions, place):
                raise AccessDenied(
                    f"A rule denies {place}", suggestion="Ask the operator to change that rule."
                )
            return path

    def existing(self, path: str) -> PurePosixPath:
        """Return the path of an existing file or folder."""
        with protocol_errors(path, self._root):
            return self.bench.found(path)

    def commented(self, file_path: str) -> PurePosixPath:
        """Return the path of a file that exists or has comments; of a folder, that of its notes."""
        path = self._notes_of_folder(file_path) or self.resolve(file_path)
        with protocol_errors(file_path, self._root):
            if not (self._root / path).is_file() and not self.store.exists(path):
                raise FileMissing(f"There is no {path}", suggestion="Check the path.")
        return path

    def _notes_of_folder(self, file_path: str) -> PurePosixPath | None:
        """Return under which name the notes on a folder are stored; None if it is none."""
        with protocol_errors(file_path, self._root):
            path = self.bench.workspace.relative(self.bench.path(file_path))
        return self.resolve(str(path / FOLDER)) if (self._root / path).is_dir() else None

    def source(self, file_path: str) -> tuple[PurePosixPath, TrackedText]:
        """Return the path and the text of an existing source file."""
        path = self.resolve(file_path)
        with protocol_errors(file_path, self._root):
            return path, self.files.text(str(path))

    @contextmanager
    def editing_comment(
        self, file_path: str, comment_id: str
    ) -> Iterator[tuple[str, list[tuple[SidecarEditor, str]]]]:
        """Lock the sidecar of a comment that is shown in a file; yields the path as well.

        A note with several places is a comment in each: all are yielded, that of the file first.
        """
        path = self.commented(file_path)
        stored_for = self.stored_for(path, comment_id)
        known = {it.id: it for it in self.store.read(stored_for).comments}
        linked = known[comment_id].linked if comment_id in known else ()
        places = [(stored_for, comment_id), *((PurePosixPath(it), other) for it, other in linked)]
        text = self.files.read_now(str(stored_for))
        with self.editing(*(it for it, _ in places), text=text) as editors:
            there = [
                (editor, own_id)
                for editor, (_, own_id) in zip(editors, places, strict=True)
                if own_id == comment_id or any(it.id == own_id for it in editor.sidecar.comments)
            ]
            yield sendable(str(path)), there
