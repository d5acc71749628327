"""Parse TOML and JSON with comments from untrusted sources, and sort many names.

TOML is read within limits, and with a single kind of error: `tomllib` raises several kinds, and
needs memory and time quadratic in the length of a dotted key: 160 KB can exhaust a machine.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence

# The deepest nesting of tables and lists; people write a dozen levels.
MAX_DEPTH = 100
_TOO_DEEP = f"nested more than {MAX_DEPTH} deep"
# TOML 1.0 guarantees 64-bit integers; longer ones are slow to print.
_NUMBERS = range(-(2**63), 2**63)
_TOO_LONG = "a number needs more than 64 bits"
_STRINGS_AND_COMMENTS = re.compile(
    r'"""(?:\\.|[^\\])*?(?:"{3,5}|\\?\Z)'
    r"|'''.*?(?:'{3,5}|\Z)"
    r'|(?<!\\)"(?:\\.|[^"\\\n])*+"'
    r"|'[^'\n]*+'"
    r"|\#[^\n]*",
    re.DOTALL,
)
_BLANKS = re.compile(r"[ \t]+")
_LONG_KEY = re.compile(rf"(?<![\w.-])(?:[\w-]*+\.){{{MAX_DEPTH}}}")
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

# An open string or comment reaches to the end, so that the next is not looked for inside it.
_STRING = r'("(?:\\.|[^"\\])*+(?:"|\\?\Z))'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*+[}}\]])", re.DOTALL)
_PIECE = 4_096


class NotToml(Exception):
    """A text that is not TOML, or exceeds the limits."""

    def __init__(self, reason: str) -> None:
        """Say what is wrong."""
        super().__init__(reason)
        found = re.search(r"at line (\d+)", reason)
        self.line = int(found[1]) if found else None


def parse_toml(text: str | bytes) -> dict[str, object]:
    """Parse a TOML document.

    Raises:
        NotToml: when it is not TOML, or exceeds the limits.
    """
    try:
        content = text.decode() if isinstance(text, bytes) else text
        tables = None if _has_long_key(content) else tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise NotToml(str(error)) from error
    except UnicodeDecodeError as error:
        reason = "not UTF-8"
        raise NotToml(reason) from error
    except RecursionError as error:
        raise NotToml(_TOO_DEEP) from error
    except ValueError as error:  # Python refuses integers of more than 4,300 digits
        raise NotToml(_TOO_LONG) from error
    if tables is None:
        raise NotToml(_TOO_DEEP)
    _refuse_excess(tables)
    return tables


def masked_toml(text: str) -> str:
    """Return a text of the same length, with an underscore for each character of its strings.

    Comments are masked after their `#`, so the brackets and line ends that remain are syntax.
    """
    return _STRINGS_AND_COMMENTS.sub(_mask, text)


def _mask(found: re.Match[str]) -> str:
    length = len(found[0])
    return "#" + "_" * (length - 1) if found[0].startswith("#") else "_" * length


def _has_long_key(text: str) -> bool:
    bare = _BLANKS.sub("", _STRINGS_AND_COMMENTS.sub("_", text))
    return _LONG_KEY.search(bare) is not None


def _refuse_excess(tables: dict[str, object]) -> None:
    level: list[object] = [tables]
    for _ in range(MAX_DEPTH):
        level = [inner for it in level for inner in _within(it)]
        if any(isinstance(it, int) and it not in _NUMBERS for it in level):
            raise NotToml(_TOO_LONG)
        if not level:
            return
    raise NotToml(_TOO_DEEP)


def _within(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


# JSON with comments and trailing commas, as configuration files contain it.


def parse_object(data: bytes | None) -> dict[str, Json]:
    """Return the object in a file; an empty one when the file has none or is not valid."""
    if data is None:
        return {}
    text = data.decode("utf-8-sig", errors="replace")
    try:
        for extra in (_COMMENT, _TRAILING_COMMA):
            text = extra.sub(lambda part: part[1] or "", text)
        value: Json = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def as_object(value: object) -> dict[str, Json]:
    """Return a JSON object unchanged, and an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_strings(value: Json) -> list[str]:
    """Return a string or the strings in a list."""
    values = value if isinstance(value, list) else [value]
    return [it for it in values if isinstance(it, str)]


# Sort many names without blocking other threads.
#
# `sorted` holds the GIL until it is done: with 200,000 paths, other threads and so the event loop
# of the server wait for a fifth of a second. Sorted in pieces, they wait a few milliseconds.


def sorted_names(names: Sequence[str]) -> list[str]:
    """Return distinct names, sorted."""
    return sorted(names) if len(names) <= _PIECE else list(_in_pieces(names))


def _in_pieces(names: Sequence[str]) -> Iterator[str]:
    if len(names) <= _PIECE:
        yield from sorted(names)
        return
    # A radix step: split by the first character in which the names differ.
    at = _common_length(min(names), max(names))
    pieces: dict[str, list[str]] = {}
    for name in names:
        pieces.setdefault(name[at : at + 1], []).append(name)
    for character in sorted(pieces):
        yield from _in_pieces(pieces[character])


def _common_length(first: str, last: str) -> int:
    """Return the length of the common prefix of two names, and so of all names between them."""
    pairs = enumerate(zip(first, last, strict=False))
    return next((at for at, (one, other) in pairs if one != other), len(first))
