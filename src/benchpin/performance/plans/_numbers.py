"""Numbers and names from a plan, which anyone may have written."""

from collections.abc import Mapping

_MAX_NUMBER = 1 << 53
_MAX_NAME_CHARS = 200
_US_PER_MS = 1_000


def number(members: Mapping[str, object], *names: str) -> float | None:
    """Return the first member of these names as a number; MySQL writes some as text."""
    found = next((members[name] for name in names if name in members), None)
    if isinstance(found, str) and len(found) <= 40:  # noqa: PLR2004 - no number is longer
        try:
            found = float(found)
        except ValueError:
            return None
    is_number = isinstance(found, int | float) and not isinstance(found, bool)
    return float(found) if is_number and 0 <= found <= _MAX_NUMBER else None  # type: ignore[arg-type, operator]  # checked before


def whole(value: float | None, factor: float | None = 1) -> int | None:
    """Return a number times a factor as a whole one; None where one of them is unknown."""
    product = None if value is None or factor is None else value * factor
    # Not a number compares false: nothing times an infinite number of rows.
    return round(product) if product is not None and product <= _MAX_NUMBER else None


def microseconds(members: Mapping[str, object], *names: str, loops: float = 1) -> int | None:
    """Return milliseconds of each loop as microseconds of all of them."""
    found = number(members, *names)
    return None if found is None else whole(found * _US_PER_MS, loops)


def name(members: Mapping[str, object], key: str) -> str | None:
    """Return the name of a table, an index or an operation."""
    found = members.get(key)
    return found[:_MAX_NAME_CHARS] if isinstance(found, str) and found else None
