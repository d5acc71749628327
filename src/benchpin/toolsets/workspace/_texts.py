"""Texts of clients and files: their encoding and MIME type, pages of lines, edits."""

import difflib
import mimetypes
from collections.abc import Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams, TimeLimitExceeded
from benchpin.core.results import Item
from benchpin.core.text import counted
from benchpin.workspace.files import looks_binary

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-fA-F]{64}$")]
Errors = Literal["strict", "surrogateescape"]
PAGE_LINES = 2_000
MAX_LINES_COMPARED = 5_000  # difflib takes 70 ms for this many
# The part of each line that is compared: difflib takes time by the square of its length.
_CHARS_COMPARED = 200


def encoded(text: str, name: str, errors: Errors = "surrogateescape") -> bytes:
    """Return a client's text as UTF-8; unless strict, escaped bytes that are not UTF-8 are kept.

    Raises:
        InvalidParams: when it has a lone surrogate, half of a UTF-16 pair.
    """
    try:
        return text.encode("utf-8", errors)
    except UnicodeEncodeError as error:
        raise InvalidParams(
            f"{name} has a lone surrogate at position {error.start}: {text[error.start]!r}",
            suggestion="Send whole characters; emoji and the like take two \\u escapes in JSON.",
        ) from error


# Types that `mimetypes` does not know, or names differently from machine to machine.
_MIME_TYPES = {
    ".go": "text/x-go",
    ".java": "text/x-java",
    ".md": "text/markdown",
    ".php": "text/x-php",
    ".py": "text/x-python",
    ".rb": "text/x-ruby",
    ".rs": "text/x-rust",
    ".sh": "application/x-sh",
    ".toml": "application/toml",
    ".ts": "text/typescript",
    ".tsx": "text/typescript",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


@lru_cache(maxsize=1024)
def mime_type_of(path: str, *, is_binary: bool = False) -> str:
    """Return the MIME type of a file, by the ending of its name."""
    ending = PurePosixPath(path).suffix.lower()
    known = _MIME_TYPES.get(ending) or mimetypes.guess_type(path)[0]
    return known or ("application/octet-stream" if is_binary else "text/plain")


def require_runnable(text: str, name: str, max_bytes: int, suggestion: str) -> None:
    """Check a command or script before it is run.

    Raises:
        InvalidParams: when the program could not receive it unchanged.
    """
    size = len(encoded(text, name, "strict"))
    if "\0" in text:
        raise InvalidParams(
            f"{name} has a NUL byte at position {text.index(chr(0))}",
            suggestion="Write it as an escape of the language, such as \\0.",
        )
    if size > max_bytes:
        raise InvalidParams(
            f"{name} has {size:,} bytes, more than {max_bytes:,}",
            suggestion=suggestion,
            data={"size_bytes": size, "most_bytes": max_bytes},
        )


class TextPage(NamedTuple):
    """The lines that are shown."""

    text: str
    is_lossy: bool = False
    first: int | None = None
    last: int | None = None
    total: int | None = None
    next_first: int | None = None


def page_of(path: str, content: bytes, first: int, end: int | None) -> TextPage:
    """Return the lines from `first` to `end`, or as many as a page has.

    Raises:
        InvalidParams: when the file has no such line.
    """
    total = content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
    if first > max(total, 1):
        raise InvalidParams(
            f"start_line {first} is past the end: {path} has {counted(total, 'line')}",
            suggestion=f"Give a line from 1 to {max(total, 1)}.",
            data={"path": path, "total_lines": total},
        )
    wanted = total if end is None else min(end, total)
    last = min(wanted, first + PAGE_LINES - 1)
    is_whole = first == 1 and last == total
    part = content if is_whole else b"\n".join(content.split(b"\n", last)[first - 1 : last])
    text = part.decode(errors="replace")
    is_lossy = "\ufffd" in text and text.encode() != part
    return TextPage(text, is_lossy, first, last, total, last + 1 if last < wanted else None)


class Edit(Item):
    """One replacement."""

    old_text: Annotated[str, Field(min_length=1)]
    """Text that occurs exactly once, white space included."""
    new_text: str
    """The new text."""


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
    text = lossless(content)
    for number, edit in enumerate(edits, start=1):
        job.check()
        if job.is_expired:
            raise TimeLimitExceeded(
                f"Time ran out at edit {number} of {len(edits)}; nothing was changed",
                suggestion="Send fewer edits in a call, or raise --tool-timeout.",
            )
        text = _applied(text, edit, number, path)
    return encoded(text, "new_text")


def lossless(content: bytes) -> str:
    """Return bytes as text; those that are not UTF-8 are escaped, and kept when it is written."""
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
