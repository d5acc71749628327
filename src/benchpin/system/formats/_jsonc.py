"""JSON with comments and trailing commas, as configuration files contain it."""

import json
import re

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

# An open string or comment reaches to the end, so that the next is not looked for inside it.
_STRING = r'("(?:\\.|[^"\\])*+(?:"|\\?\Z))'
_COMMENT = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"{_STRING}|,(?=\s*+[}}\]])", re.DOTALL)


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
