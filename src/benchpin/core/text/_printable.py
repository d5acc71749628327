"""File names, texts and counts in a form that can be sent and shown."""

import unicodedata
from collections.abc import Mapping

from ._file_uri import file_uri


def sendable(path: str) -> str:
    """Return a path that JSON can carry both ways: its `file://` URI if it is not UTF-8."""
    return path if _is_utf8(path) else file_uri(path)


def _is_utf8(path: str) -> bool:
    return path.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in path)


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
