"""Compare an answer with what a document promises of it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "<text>": str,
    "<number>": (int, float),
    "<list>": list,
    "<object>": dict,
    "<flag>": bool,
}


def differences(expected: Any, found: Any, place: str = "") -> Iterator[str]:
    """Yield each thing that is expected and not found."""
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            yield f"{place}: expected an object, found {found!r}"
            return
        for key, value in expected.items():
            if key not in found:
                yield f"{place}.{key} is missing; there are {', '.join(map(str, found))}"
            else:
                yield from differences(value, found[key], f"{place}.{key}")
    elif isinstance(expected, list):
        yield from _of_list(expected, found, place)
    elif not _is_met(expected, found):
        yield f"{place}: expected {expected!r}, found {str(found)[:2_000]!r}"


def _of_list(expected: list[Any], found: Any, place: str) -> Iterator[str]:
    if not isinstance(found, list):
        yield f"{place}: expected a list, found {found!r}"
        return
    for item in expected:
        tried = [list(differences(item, it, f"{place}[]")) for it in found]
        if not any(not it for it in tried):
            nearest = min(tried, key=len, default=["the list is empty"])
            yield f"{place} has no item like {item!r}: {nearest[0]}"


def _is_met(expected: Any, found: Any) -> bool:
    if isinstance(expected, str):
        if expected in _TYPES:
            return isinstance(found, _TYPES[expected])
        if expected.startswith("~"):
            return isinstance(found, str) and re.search(expected[1:], found) is not None
    return bool(expected == found and type(expected) is type(found))
