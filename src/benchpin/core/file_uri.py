"""Paths as `file://` URIs, and back.

`file://src/main.py` is relative to the workspace; `file:///…` and `file://localhost/…` are whole
paths, as RFC 8089 has them. Bytes of a name that are no UTF-8 are percent-encoded like any others,
so every name has a URI.
"""

import re
from urllib.parse import quote, unquote_to_bytes

from .errors import InvalidParams, InvalidPath

SCHEME = "file://"
_THIS_MACHINE = "localhost/"
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def file_uri(path: str) -> str:
    """Return the URI of a path that is relative to the workspace."""
    here = "./" if path[: len(_THIS_MACHINE)].lower() == _THIS_MACHINE else ""
    return f"{SCHEME}{here}{quote(path, errors='surrogateescape')}"


def path_of(uri: str) -> str:
    """Return the path that a URI means; percent signs are decoded once.

    Raises:
        InvalidParams: when it says more than a path, or is no URI.
        InvalidPath: when it goes up with `..`.
    """
    rest = uri.removeprefix(SCHEME)
    problem = _problem(rest)
    if problem is not None:
        raise InvalidParams(
            f"{uri[:200]!r} {problem}",
            suggestion="Write file:// and a path of the workspace; in names, percent-encode "
            "% ? # and, before the first slash, : and @.",
            data={"uri": uri[:200]},
        )
    if rest.lower().startswith(_THIS_MACHINE):
        rest = rest[len(_THIS_MACHINE) - 1 :]
    path = unquote_to_bytes(rest).decode("utf-8", "surrogateescape")
    if ".." in path.replace("\\", "/").split("/"):
        raise InvalidPath(
            f"{path[:200]!r} goes up", suggestion="Give a path inside the workspace, without `..`."
        )
    return path


def _problem(rest: str) -> str | None:
    authority = rest.partition("/")[0]
    if "?" in rest:
        return "has a query, which a file has not"
    if "#" in rest:
        return "has a fragment, which a file has not"
    if "@" in authority:
        return "names a user, which a file has not"
    if ":" in authority:
        return "names a port or a drive, which files here have not"
    if _STRAY_PERCENT.search(rest):
        return "has a percent sign without two hexadecimal digits"
    if any("\ud800" <= letter <= "\udfff" for letter in rest):
        return "has half a character"
    return None
