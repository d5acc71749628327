"""File names, texts and counts in a form that can be sent and shown; paths as `file://` URIs.

`file:///…` and `file://localhost/…` are absolute paths, as in RFC 8089. `file://src/main.py` is
accepted for a path relative to the workspace, though URL parsers take `src` for a host. Bytes of a
name that are not UTF-8 are percent-encoded like any others, so every name has a URI.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from benchpin.core.errors import InvalidParams, InvalidPath

SCHEME = "file://"
_THIS_MACHINE = "localhost/"
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
# An escape sequence that sets a colour; it takes no room.
_COLOR = re.compile(r"\x1b\[[0-9;]*m")
# What a line begins with, under which the rest of it goes: a bullet, or a number of a line of code.
_LEAD = re.compile(r"\s*(?:[-*] |\d+[: ] *)?")
_AFTER_WORD = re.compile(r"(?<=\S)(?=\s)")
_HUNK = "@@ "
# What is typed elsewhere must stay on one line.
_COMMAND = re.compile(r"\s*(?:run: |\$ |benchpin )")
# A smaller terminal is not worth the trouble.
MIN_WIDTH = 40


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


def sendable(path: str) -> str:
    """Return a path that JSON can carry both ways: its `file://` URI if it is not UTF-8."""
    is_utf8 = path.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in path)
    return path if is_utf8 else file_uri(path)


def utf8(text: str) -> str:
    r"""Return a text that JSON can carry: bytes that are not UTF-8 are shown as `\xe9`."""
    if text.isascii():
        return text
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def plain(text: str) -> str:
    r"""Return a name on one line: unprintable characters are shown as `\n`, `\x1b` and so on."""
    if text.isprintable():
        return text
    return "".join(
        it if it.isprintable() else it.encode("unicode_escape").decode() for it in utf8(text)
    )


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text fills; a Chinese character fills two."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(it) in {"W", "F"} for it in text)
    return len(text) + wide - sum(map(bool, map(unicodedata.combining, text)))


def counted(count: float, one: str, many: str | None = None) -> str:
    """Return a count with its noun; the plural adds an `s` unless `many` is given."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def by_reason(counts: Mapping[str, int]) -> str:
    """Return what was left out: "2 symbolic links, 3 generated"."""
    return ", ".join(
        counted(count, reason, f"{reason}s" if reason.endswith(" link") else reason)
        for reason, count in counts.items()
    )


# Texts in the width of a terminal: names are shortened in the middle, lines folded at words.


def shortened(text: str, width: int) -> str:
    """Return a path or a name that fits: its middle is left out, and its last part is kept."""
    if width_of(text) <= width:
        return text
    last = text[text.rfind("/", 0, -1) :] if "/" in text else ""
    room = width - 1 - width_of(last)
    if not last or room < 1:
        ahead = 0 if last else (width - 1) // 2
        return f"{_cut(text, ahead)}…{_cut(text[::-1], width - 1 - ahead)[::-1]}"
    return f"{_cut(text, room)}…{last}"


def _cut(text: str, width: int) -> str:
    """Return as much of the beginning of a text as fits."""
    if text.isascii():
        return text[:width]
    while width_of(text) > width:
        text = text[:-1]
    return text


def folded(text: str, width: int) -> str:
    """Return a text whose lines fit, folded between words; diffs and commands stay as they are.

    A word that is too long, such as an address, stays whole.
    """
    return "\n".join(_folded_lines(text, max(width, MIN_WIDTH)))


def folded_line(line: str, width: int, indent: str = "") -> list[str]:
    """Return a line as lines that fit, folded between words."""
    lines, used = [""], 0
    for part in _AFTER_WORD.split(line.rstrip()):
        room = width_of(_COLOR.sub("", part))
        if lines != [""] and used + room > width:
            lines.append(indent + part.lstrip())
            used = width_of(_COLOR.sub("", lines[-1]))
        else:
            lines[-1] += part
            used += room
    return lines


def _folded_lines(text: str, width: int) -> Iterator[str]:
    is_diff = False
    for line in text.split("\n"):
        is_diff = line.startswith(_HUNK) or (is_diff and line[:1] in {" ", "+", "-", "\\"})
        shown = _COLOR.sub("", line)
        if is_diff or width_of(shown) <= width or _COMMAND.match(shown):
            yield line
        else:
            lead = _LEAD.match(line)
            indent = " " * min(len(lead[0]) if lead else 0, width // 2) or "  "
            yield from folded_line(line, width, indent)
