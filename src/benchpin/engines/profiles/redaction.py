"""Take out of URLs, headers and command lines what may be secret, before anything is kept."""

import re
from collections.abc import Collection, Mapping
from functools import lru_cache

HIDDEN = "[REDACTED]"
LONGEST_TEXT = 2048
LONGEST_MESSAGE = 300
_AUTHORITY = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*:)?[/\\]{2}([^/\\]*)(.*)", re.DOTALL)
_HOST = re.compile(r"(\[[0-9A-Za-z:.%]*\]|[^\[\]:@\s]*)(:[0-9]*)?")
_PATH_PARAMETER = re.compile(r"(;[^/;=]*)=[^/;]*")
_NAME = re.compile(r"(?![^=&]{16,}$)[\w.\-~$:+%\[\]]+|[A-Za-z_.\-~$:+%\[\]]{16,32}")
"""What is long and has digits, or is longer, is a value without a name, such as a token."""
_URL_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://[^\s\"'<>]+")
_USERINFO_IN_TEXT = re.compile(r"[^\s/@:]+:[^\s/@]+@")
_SECRET_HEADER = re.compile(
    r"auth|cookie|credential|csrf|key|passw|secret|sess|sid$|signature|token", re.IGNORECASE
)


def redact_url(url: str, *, strip_query: bool = True, strip_userinfo: bool = True) -> str:
    """Return a URL, or the path of one, without values of parameters, userinfo and fragment.

    Names of parameters are kept, each once: `/?s=x` and `/?p=50` are different pages.
    """
    return _redacted(url[:LONGEST_TEXT], strip_query, strip_userinfo)


def redact_text(text: str) -> str:
    """Return a message with the URLs in it redacted, cut to a length that can be shown."""
    shorter = _URL_IN_TEXT.sub(lambda found: redact_url(found[0]), text[:LONGEST_TEXT])
    shorter = _USERINFO_IN_TEXT.sub("", shorter)
    return shorter if len(shorter) <= LONGEST_MESSAGE else shorter[: LONGEST_MESSAGE - 1] + "…"


def redact_command(command: str) -> str:
    """Return a command line with the program and the names of options; the rest is `?`."""
    program, *arguments = command[:LONGEST_TEXT].split() or [""]
    return " ".join([program, *map(_argument, arguments)])


def redact_headers(headers: Mapping[str, str], allowed: Collection[str]) -> dict[str, str]:
    """Return the headers that are allowed, by name in lower case.

    Of those whose name speaks of a secret, the value is hidden even so.
    """
    permitted = {name.lower() for name in allowed}
    return {
        name.lower(): HIDDEN if _SECRET_HEADER.search(name) else value
        for name, value in headers.items()
        if name.lower() in permitted
    }


@lru_cache(maxsize=1024)  # a file of timings names the same few pages again and again
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
    if not parts:  # a path, or a host as people type it, without a scheme
        first, slash, rest = location.partition("/")
        return first.rpartition("@")[2] + slash + rest
    scheme, authority, path = parts.groups(default="")
    host = authority.rpartition("@")[2]
    if not _HOST.fullmatch(host):  # such as a password with a slash in it, whose end is unknown
        return f"{scheme}//{HIDDEN}"
    return f"{scheme}//{host}{path}"


def _names(query: str) -> list[str]:
    names = (part.partition("=")[0] for part in query.split("&"))
    return list(dict.fromkeys(it if _NAME.fullmatch(it) else "?" for it in names if it))


def _argument(word: str) -> str:
    name = word.partition("=")[0]
    return name if name.startswith("--") and _NAME.fullmatch(name) else "?"
