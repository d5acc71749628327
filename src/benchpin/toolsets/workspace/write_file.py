"""Write a file."""

from benchpin.core.calls import Bench, Operation
from benchpin.core.errors import InvalidPath
from benchpin.core.results import Result
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Params, Rare, tool
from benchpin.workspace.writing import sha256_of, write_atomically

from ._texts import Sha256, encoded


class FileWriteParams(Params):
    """Which file, and its new content."""

    path: str
    """File path relative to the workspace; missing folders are created."""
    content: str
    """Content to write to the file; replaces the old content."""
    expected_sha256: Rare[Sha256 | None] = None
    """Write only if the current content has this SHA-256, as read_file returned it."""


class FileWritten(Result):
    """The written file."""

    path: str
    size_bytes: int
    is_new: bool
    sha256: str

    def to_text(self) -> str:
        """Return what was done, in one line."""
        done = "Created" if self.is_new else "Replaced"
        return f"{done} {self.path}, {counted(self.size_bytes, 'byte')}"


@tool(
    title="Write a file",
    effect=Effect.WRITE,
    also=(
        "create a new file, save text, overwrite, replace the content, put into a file, make an "
        "empty file, save as, add a file with this content"
    ),
)
def write_file(params: FileWriteParams, bench: Bench) -> FileWritten:
    """Create or replace a whole file in the workspace.

    The write is atomic: readers see the old content or the new. To change a part, use edit_file.
    """
    place = bench.path(params.path, Operation.WRITE)
    if place == bench.workspace.root:
        raise InvalidPath(f"{params.path!r} is the workspace", suggestion="Name a file in it.")
    path = bench.workspace.relative(place)
    content = encoded(params.content, "content")
    is_new = write_atomically(
        bench.workspace.root, path, content, bench.job, expected_sha256=params.expected_sha256
    )
    return FileWritten(
        path=str(path), size_bytes=len(content), is_new=is_new, sha256=sha256_of(content)
    )
