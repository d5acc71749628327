"""A JSON value as text for a model: a line for each row, without the brackets and quotes of JSON.

A model pays for every bracket. Lists of rows, which most scripts end with, take a quarter less this
way. What is not a row, a list of rows or an object of such is JSON without spaces.
"""

import json
import re
from collections.abc import Iterator

from pydantic import JsonValue

# Texts that need no quotes: nothing in them could be taken for the end of a cell or of a key.
_BARE = re.compile(r"[^\s\"',\[\]{}]*[^\s\"',\[\]{}:]")
_LITERALS = frozenset({"null", "true", "false"})


def as_text(value: JsonValue) -> str:
    """Return a value as text; a single text as it is."""
    return value if isinstance(value, str) else "\n".join(_lines(value))


def _lines(value: JsonValue) -> Iterator[str]:
    if isinstance(value, list) and value and (rows := _rows(value)) is not None:
        yield from rows
    elif isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _entry(_cell(key), inner)
    else:
        yield _cell(value)


def _entry(key: str, value: JsonValue) -> Iterator[str]:
    rows = _rows(value) if isinstance(value, list) and value else None
    if rows is None:
        yield f"{key}: {_cell(value)}"
        return
    yield f"{key}:"
    yield from rows  # not indented: before a number, a space is a token of its own


def _rows(items: list[JsonValue]) -> list[str] | None:
    """Return a line for each item: a cell, or several; None if one is neither."""
    tables = [it for it in items if isinstance(it, dict)]
    if len(tables) == len(items) and all(it.keys() == tables[0].keys() for it in tables):
        header: list[JsonValue] = [*tables[0]]
        items = [header, *([*it.values()] for it in tables)]
    rows: list[str] = []
    for item in items:
        cells = item if isinstance(item, list) else [item]
        if not cells or any(isinstance(it, list | dict) for it in cells):
            return None
        rows.append(" ".join(map(_cell, cells)))
    return rows


def _cell(value: JsonValue) -> str:
    if isinstance(value, str) and _BARE.fullmatch(value) and not _is_literal(value):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_literal(text: str) -> bool:
    """Whether a text without quotes would be taken for a number, or for true, false or null."""
    try:
        float(text)
    except ValueError:
        return text in _LITERALS
    return True
