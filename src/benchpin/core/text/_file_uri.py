"""Paths as `file://` URIs, and back.

`file:///…` and `file://localhost/…` are absolute paths, as in RFC 8089. `file://src/main.py` is
accepted for a path relative to the workspace, though URL parsers take `src` for a host. Bytes of a
name that are not UTF-8 are percent-encoded like any others, so every name has a URI.
"""

import re
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from benchpin.core.errors import InvalidParams, InvalidPath

SCHEME = "file://"
_THIS_MACHINE = "localhost/"
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


def absolute_uri(root: Path, path: str) -> str:
    """Return the URI of a path below a root."""
    return SCHEME + quote(f"{root.as_posix().rstrip('/')}/{path}", errors="surrogateescape")


def file_uri(path: str) -> str:
    """Return the short URI of a path that is relative to the workspace."""
    # Without `./`, a folder called localhost would read as the host.
    here = "./" if path[: len(_THIS_MACHINE)].lower() == _THIS_MACHINE else ""
    return f"{SCHEME}{here}{quote(path, errors='surrogateescape')}"


def path_of(uri: str) -> str:
    """Return the path of a URI, percent-decoded once.

    Raises:
        InvalidParams: when it has parts other than a path, or is not a URI.
        InvalidPath: when it contains `..`.
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
            f"{path[:200]!r} contains `..`",
            suggestion="Give a path inside the workspace.",
        )
    return path


def _problem(rest: str) -> str | None:
    authority = rest.partition("/")[0]
    if "?" in rest:
        return "has a query, which file URIs cannot have"
    if "#" in rest:
        return "has a fragment, which file URIs cannot have"
    if "@" in authority:
        return "names a user, which file URIs cannot have"
    if ":" in authority:
        return "names a port or a drive, which is not supported"
    if _STRAY_PERCENT.search(rest):
        return "has a percent sign without two hexadecimal digits"
    if any("\ud800" <= letter <= "\udfff" for letter in rest):
        return "contains a lone surrogate"
    return None
