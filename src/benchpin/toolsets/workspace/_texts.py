"""Encoding of a client's text, and MIME types."""

import mimetypes
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core.errors import InvalidParams

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-fA-F]{64}$")]
Errors = Literal["strict", "surrogateescape"]


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
