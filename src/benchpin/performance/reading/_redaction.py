"""Remove what may be secret from URLs, headers and command lines, before anything is stored."""

import re
from collections.abc import Mapping
from functools import lru_cache

HIDDEN = "[REDACTED]"
MAX_TEXT_CHARS = 2048
MAX_MESSAGE_CHARS = 300
_AUTHORITY = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*:)?[/\\]{2}([^/\\]*)(.*)", re.DOTALL)
_HOST = re.compile(r"(\[[0-9A-Za-z:.%]*\]|[^\[\]:@\s]*)(:[0-9]*)?")
_PATH_PARAMETER = re.compile(r"(;[^/;=]*)=[^/;]*")
# A plausible parameter name; a long word with digits is a value, such as a token.
_NAME = re.compile(r"(?![^=&]{16,}$)[\w.\-~$:+%\[\]]+|[A-Za-z_.\-~$:+%\[\]]{16,32}")
_URL_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,20}://[^\s\"'<>]+")
_USERINFO_IN_TEXT = re.compile(r"[^\s/@:]+:[^\s/@]+@")
_SECRET_HEADER = re.compile(
    r"auth|cookie|credential|csrf|key|passw|secret|sess|sid$|signature|token", re.IGNORECASE
)


def redact_url(url: str, *, strip_query: bool = True, strip_userinfo: bool = True) -> str:
    """Return a URL or path without parameter values, userinfo and fragment.

    Each parameter name is kept once: `/?s=x` and `/?p=50` are different pages.
    """
    return _redacted(url[:MAX_TEXT_CHARS], strip_query, strip_userinfo)


def redact_text(text: str) -> str:
    """Return a message with redacted URLs, shortened for display."""
    shorter = _URL_IN_TEXT.sub(lambda found: redact_url(found[0]), text[:MAX_TEXT_CHARS])
    shorter = _USERINFO_IN_TEXT.sub("", shorter)
    return shorter if len(shorter) <= MAX_MESSAGE_CHARS else shorter[: MAX_MESSAGE_CHARS - 1] + "…"


def redact_command(command: str) -> str:
    """Return a command line with the program and option names; the rest is `?`."""
    program, *arguments = command[:MAX_TEXT_CHARS].split() or [""]
    return " ".join([program, *map(_argument, arguments)])


def redact_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers by lower-case name; values of secret-sounding names are hidden."""
    return {
        name.lower(): HIDDEN if _SECRET_HEADER.search(name) else value
        for name, value in headers.items()
    }


@lru_cache(maxsize=1024)  # a file of timings has the same few URLs in thousands of records
def _redacted(url: str, strip_query: bool, strip_userinfo: bool) -> str:  # noqa: FBT001, a key
    location, has_query, query = url.partition("#")[0].partition("?")
    if strip_userinfo:
        location = _without_userinfo(location)
        if location.endswith(HIDDEN):
            return location
    if not strip_query:
        return location + has_query + query
    names = _names(query)
    return _PATH_PARAMETER.sub(r"\1", location) + ("?" + "&".join(names) if names else "")


def _without_userinfo(location: str) -> str:
    parts = _AUTHORITY.match(location)
    if not parts:  # a path, or a host without a scheme
        first, slash, rest = location.partition("/")
        return first.rpartition("@")[2] + slash + rest
    scheme, authority, path = parts.groups(default="")
    host = authority.rpartition("@")[2]
    if not _HOST.fullmatch(host):  # such as a password with a slash, where the host cannot be found
        return f"{scheme}//{HIDDEN}"
    return f"{scheme}//{host}{path}"


def _names(query: str) -> list[str]:
    names = (part.partition("=")[0] for part in query.split("&"))
    return list(dict.fromkeys(it if _NAME.fullmatch(it) else "?" for it in names if it))


def _argument(word: str) -> str:
    name = word.partition("=")[0]
    return name if name.startswith("--") and _NAME.fullmatch(name) else "?"
