"""Read a text that is named on a command line rather than typed."""

import sys
from pathlib import Path

from benchpin.core.errors import FileMissing, InvalidParams

STDIN = "-"
# More than any tool takes; it refuses what is too long for it by its own limit.
_MAX_BYTES = 64 << 20


def read_text(typed: str, flag: str) -> str:
    """Return the text of a file, or of standard input for `-`.

    What has several lines is no name of a file: it is the text itself.

    Raises:
        FileMissing: when there is no such file.
        InvalidParams: when it cannot be read, is too large or is not UTF-8.
    """
    if "\n" in typed:
        return typed
    try:
        if typed == STDIN:
            content = sys.stdin.buffer.read(_MAX_BYTES + 1) if sys.stdin is not None else b""
        else:
            with Path(typed).open("rb") as file:  # a pipe, such as <(git diff), has no size
                content = file.read(_MAX_BYTES + 1)
    except FileNotFoundError as error:
        hint = f"Give {flag} the name of a file, or - for standard input."
        raise FileMissing(f"There is no file {typed!r}", suggestion=hint) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidParams(
            f"{flag} {typed!r} cannot be read: {reason}", suggestion="Give a text file."
        ) from error
    if len(content) > _MAX_BYTES:
        raise InvalidParams(
            f"{flag} {typed!r} has more than {_MAX_BYTES:,} bytes", suggestion="Split it."
        )
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidParams(
            f"{flag} {typed!r} is not UTF-8: {error.reason} at byte {error.start:,}",
            suggestion="Convert it to UTF-8.",
        ) from error
