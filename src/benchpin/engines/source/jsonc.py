"""JSON with comments and trailing commas, as configuration files contain it."""

import json
import re

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

_EXTRAS = re.compile(
    r"""("(?:\\.|[^"\\])*")  # a string is kept
    | //[^\n]* | /\*.*?\*/   # a comment is not
    | ,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])  # nor is a comma before a closing bracket""",
    re.DOTALL | re.VERBOSE,
)


def parse_object(data: bytes | None) -> dict[str, Json]:
    """Return the object in a file; an empty one when the file has none or is not valid."""
    if data is None:
        return {}
    text = data.decode("utf-8-sig", errors="replace")
    try:
        value: Json = json.loads(_EXTRAS.sub(lambda part: part[1] or "", text))
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
