"""Text as files have it."""

from benchpin.core import InvalidParams


def encoded(text: str, name: str) -> bytes:
    """Return a client's text as UTF-8; what stood in a file as other bytes is kept.

    Raises:
        InvalidParams: when it has half of a character that takes two.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise InvalidParams(
            f"{name} has half a character at position {error.start}: {text[error.start]!r}",
            suggestion="Send whole characters; emoji and the like take two \\u escapes in JSON.",
        ) from error


def shown(path: str) -> str:
    """Return a path as JSON can have it; bytes that are not UTF-8 are replaced."""
    return path.encode("utf-8", "surrogateescape").decode(errors="replace")
