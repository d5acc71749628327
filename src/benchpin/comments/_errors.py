"""The errors of the comment protocol."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchpin.core.errors import (
    AccessDenied,
    BenchpinError,
    DiskFull,
    FileMissing,
    FileTooLarge,
    PathError,
)
from benchpin.core.text import sendable


class CommentNotFound(BenchpinError):
    """No comment of the file has that id."""

    kind = "comment_not_found"


class LineOutOfRange(BenchpinError):
    """The file has no such line."""

    kind = "line_out_of_range"


class SourceNotParsed(BenchpinError):
    """The caller wants an anchor in a symbol, and the line is in none that can be parsed."""

    kind = "source_not_parsed"


class SidecarCorrupt(BenchpinError):
    """The sidecar is damaged or too new, and is not changed."""

    kind = "sidecar_corrupt"
    is_server_fault = True


_MESSAGES: tuple[tuple[type[PathError], str], ...] = (
    (FileMissing, "File not found"),
    (DiskFull, "Disk full"),
    (AccessDenied, "File access denied"),
    (FileTooLarge, "File too large"),
    (PathError, "Invalid file path"),
)


@contextmanager
def protocol_errors(file_path: str, root: Path) -> Iterator[None]:
    """Report a bad path with the messages and data of the comment protocol."""
    try:
        yield
    except PathError as error:
        message = next(it for kind, it in _MESSAGES if isinstance(error, kind))
        is_missing = isinstance(error, FileMissing)
        raise type(error)(
            message,
            suggestion="Check that the file exists in the workspace"
            if is_missing
            else error.suggestion,
            data={
                "filePath": sendable(file_path),
                "workspaceRoot": str(root),
                **({} if is_missing else {"reason": error.message}),
            },
        ) from error
