"""Change parts of a file."""

import difflib
from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench, Job, Operation
from benchpin.core.errors import InvalidParams, TimeLimitExceeded
from benchpin.core.results import Item, Result
from benchpin.core.tools import Effect, Params, tool
from benchpin.workspace.diffs import unified_diff
from benchpin.workspace.files import looks_binary, read_whole
from benchpin.workspace.writing import edit_atomically, sha256_of

from ._encoding import encoded

MAX_BYTES = 16 << 20
MAX_LINES_COMPARED = 5_000  # difflib takes 70 ms for this many
# The part of each line that is compared: difflib takes time by the square of its length.
_CHARS_COMPARED = 200


class Edit(Item):
    """One replacement."""

    old_text: Annotated[str, Field(min_length=1)]
    """Text that occurs exactly once, white space included."""
    new_text: str
    """The new text."""


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
        diff=unified_diff(_text(before), _text(after), str(path)).encode(errors="replace").decode(),
        is_written=not params.dry_run and after != before,
        sha256=sha256_of(after),
    )


def changed(content: bytes, edits: Sequence[Edit], path: str, job: Job) -> bytes:
    """Return the content after edits.

    Raises:
        InvalidParams: when it is not text, or one of them does not fit.
        TimeLimitExceeded: when there is no time for all of them.
    """
    if looks_binary(content):
        raise InvalidParams(
            f"{path} is binary", suggestion="Only text can be edited; replace it with write_file."
        )
    text = _text(content)
    for number, edit in enumerate(edits, start=1):
        job.check()
        if job.is_expired:
            raise TimeLimitExceeded(
                f"The time ran out at edit {number} of {len(edits)}; nothing was changed",
                suggestion="Send fewer edits in a call, or raise --tool-timeout.",
            )
        text = _applied(text, edit, number, path)
    return encoded(text, "new_text")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _applied(text: str, edit: Edit, number: int, path: str) -> str:
    old, new = edit.old_text, edit.new_text
    # Clients send LF; a file with CRLF must match, and must keep its line ends.
    if "\r\n" in text and "\r\n" not in old:
        old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
    count = text.count(old)
    if count == 1:
        return text.replace(old, new)
    shown = f"edit {number}: {edit.old_text[:60]!r}"
    if count:
        raise InvalidParams(
            f"{shown} occurs {count} times in {path}; nothing was changed",
            suggestion="Add the lines around it to old_text, so that it is unique.",
            data={"edit": number, "count": count},
        )
    near = _nearest(text, edit.old_text)
    raise InvalidParams(
        f"{shown} does not occur in {path}; nothing was changed",
        suggestion=f"Copy it from the file exactly, white space included.{near}",
        data={"edit": number, "count": 0},
    )


def _nearest(text: str, old: str) -> str:
    """Return a hint with the line of the file that is most similar to the first wanted line."""
    first = next((line.strip() for line in old.splitlines() if line.strip()), "")
    lines = text.splitlines()
    if not first or len(lines) > MAX_LINES_COMPARED:
        return ""
    stripped = [line.strip()[:_CHARS_COMPARED] for line in lines]
    close = difflib.get_close_matches(first[:_CHARS_COMPARED], stripped, n=1, cutoff=0.6)
    if not close:
        return ""
    at = stripped.index(close[0])
    return f" The nearest is line {at + 1}: {lines[at][:120]!r}."
