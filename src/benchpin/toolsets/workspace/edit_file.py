"""Change parts of a file."""

from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench, Operation
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, tool
from benchpin.workspace.diffs import unified_diff
from benchpin.workspace.files import read_whole
from benchpin.workspace.writing import edit_atomically, sha256_of

from ._texts import Edit, changed, lossless

MAX_BYTES = 16 << 20


class FileEditParams(Params):
    """Which file, and what to change."""

    path: str
    """File path relative to the workspace."""
    edits: Annotated[tuple[Edit, ...], Field(min_length=1)]
    """Replacements, applied in order; if one fails, the file stays unchanged."""
    dry_run: bool = False
    """Only show the diff; write nothing."""


class FileEdited(Result):
    """What changed."""

    path: str
    diff: str
    """Unified diff."""
    is_written: bool
    sha256: str
    """Of the content after the edits, also when nothing was written."""

    def to_text(self) -> str:
        """Return the diff."""
        if not self.diff:
            return f"{self.path} is unchanged"
        return self.diff if self.is_written else f"{self.diff}\n[dry run: nothing was written]"


@tool(
    title="Edit a file",
    effect=Effect.WRITE,
    also=(
        "change, modify, patch, fix, update, replace lines, refactor text, apply a diff, set a "
        "value, rename a variable in a file, correct a line, bump a number, change a value or a "
        "setting in a file"
    ),
)
def edit_file(params: FileEditParams, bench: Bench) -> FileEdited:
    """Replace exact pieces of text in a file, all or none, and return the unified diff.

    Each old_text must occur in the file exactly once. With dry_run, nothing is written.
    """
    bench.path(params.path, Operation.READ)
    path = bench.relative(params.path, Operation.WRITE)
    root = bench.workspace.root

    def change(content: bytes) -> bytes:
        return changed(content, params.edits, str(path), bench.job)

    if params.dry_run:
        before = read_whole(root, path, MAX_BYTES, bench.job)
        after = change(before)
    else:
        before, after = edit_atomically(root, path, change, bench.job, max_bytes=MAX_BYTES)
    return FileEdited(
        path=str(path),
        diff=unified_diff(lossless(before), lossless(after), str(path))
        .encode(errors="replace")
        .decode(),
        is_written=not params.dry_run and after != before,
        sha256=sha256_of(after),
    )
