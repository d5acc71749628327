"""Write a file."""

from benchpin.core import Bench, Effect, InvalidPath, Operation, Params, Result, tool
from benchpin.engines.files.writing import write_atomically

from ._text import encoded


class WriteParams(Params):
    """Which file, and what to put there."""

    path: str
    """File path relative to the workspace; folders that are missing are made."""
    content: str
    """Content to write to the file; replaces what is there."""


class FileWritten(Result):
    """What was written."""

    path: str
    size_bytes: int
    is_new: bool

    def to_text(self) -> str:
        """Say what was done."""
        return f"{'Made' if self.is_new else 'Replaced'} {self.path}, {self.size_bytes:,} bytes"


@tool(title="Write a file", effect=Effect.WRITE)
def write_file(params: WriteParams, bench: Bench) -> FileWritten:
    """Write a whole file in the workspace, making or replacing it.

    All or nothing: readers see the old content or the new. To change a part, use edit_file.
    """
    place = bench.path(params.path, Operation.WRITE)
    if place == bench.workspace.root:
        raise InvalidPath(f"{params.path!r} is the workspace", suggestion="Name a file in it.")
    path = bench.workspace.relative(place)
    written = write_atomically(bench.workspace.root, path, encoded(params.content, "content"))
    return FileWritten(path=str(path), size_bytes=written.size_bytes, is_new=written.is_new)
