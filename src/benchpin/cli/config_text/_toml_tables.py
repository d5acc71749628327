"""Edit an entry of a TOML document, which is a table with lines of its own."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from benchpin.system.formats import NotToml, masked_toml, parse_toml

_NESTING_OR_LINE_END = re.compile(r"[\[\]{}\n]")


def with_entry(text: str, keys: Sequence[str], entry: Mapping[str, object]) -> str:
    """Return a document with a new table at its end."""
    head = f"[{'.'.join(keys)}]\n"
    block = head + "".join(f"{key} = {_dumped(it)}\n" for key, it in entry.items())
    if not text:
        return block
    return text + ("" if text.endswith("\n") else "\n") + "\n" + block


def with_members(text: str, keys: Sequence[str], changed: Mapping[str, object]) -> str:
    """Return a document with some members of a table set.

    Raises:
        ValueError: when the entry is not a table of its own.
    """
    pieces = list(_statements(text))
    head = next((at for at, path in _headers(pieces, keys[-1]) if path == [*keys]), None)
    if head is None:
        message = f"{'.'.join(keys)} is not a table of its own"
        raise ValueError(message)
    end = next((at for at in range(head + 1, len(pieces)) if _is_header(pieces[at])), len(pieces))
    for key, value in changed.items():
        at = next((it for it in range(head + 1, end) if _key_of(pieces[it]) == key), None)
        if at is None:
            pieces[head] += ("" if pieces[head].endswith("\n") else "\n") + _member(key, value)
        else:
            indent = pieces[at][: len(pieces[at]) - len(pieces[at].lstrip())]
            pieces[at] = indent + _member(key, value, _comment_of(pieces[at]))
    return "".join(pieces)


def without_entry(text: str, keys: Sequence[str]) -> str:
    """Return a document without a table and those inside it.

    Comments after the last line of the table stay: they belong to what follows.
    """
    pieces = list(_statements(text))
    own = {at: path[: len(keys)] == [*keys] for at, path in _headers(pieces, keys[-1])}
    cut: set[int] = set()
    is_own = False
    for at, piece in enumerate(pieces):
        if not _is_header(piece):
            continue
        is_own = own.get(at, False)
        if is_own:
            end = next(
                (it for it in range(at + 1, len(pieces)) if _is_header(pieces[it])), len(pieces)
            )
            last = next(it for it in range(end - 1, at - 1, -1) if _says_something(pieces[it]))
            cut.update(range(at, last + 1))
            if at and not pieces[at - 1].strip():
                cut.add(at - 1)  # the blank line that `with_entry` puts above it
    return "".join(it for at, it in enumerate(pieces) if at not in cut)


def _statements(text: str) -> Iterator[str]:
    """Yield the lines of a document; a value that spans several is one."""
    start = depth = 0
    for found in _NESTING_OR_LINE_END.finditer(masked_toml(text)):
        if found[0] == "\n":
            if not depth:
                yield text[start : found.end()]
                start = found.end()
        else:
            depth += 1 if found[0] in "[{" else -1
    if start < len(text):
        yield text[start:]


def _dumped(value: object) -> str:
    # Strings and lists of strings are written alike in JSON and in TOML.
    return json.dumps(value, ensure_ascii=False)


def _member(key: str, value: object, comment: str = "\n") -> str:
    return f"{key} = {_dumped(value)}{comment}"


def _is_header(piece: str) -> bool:
    return piece.lstrip().startswith("[")


def _says_something(piece: str) -> bool:
    return bool(piece.strip()) and not piece.lstrip().startswith("#")


def _headers(pieces: Sequence[str], name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield where headers with a name are, and the keys of each."""
    for at, piece in enumerate(pieces):
        if _is_header(piece) and name in piece:
            value: object = parse_toml(piece)
            path: list[str] = []
            while isinstance(value, dict) and value:
                ((key, value),) = value.items()
                path.append(key)
            yield at, path


def _key_of(piece: str) -> str | None:
    try:
        return next(iter(parse_toml(piece)), None)
    except NotToml:
        return None


def _comment_of(piece: str) -> str:
    """Return what is after the value of a statement, with the line end."""
    masked = masked_toml(piece)
    end = masked.find("#")
    bare = piece if end < 0 else piece[:end]
    return piece[len(bare.rstrip()) :]
