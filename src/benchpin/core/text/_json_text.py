"""JSON as text that every reader accepts."""

import json
import math


def json_text(
    value: object,
    *,
    indent: int | None = None,
    ensure_ascii: bool = False,
    separators: tuple[str, str] | None = None,
) -> str:
    """Return a value as JSON; NaN and infinity, which JSON does not have, become null."""
    try:
        return json.dumps(
            value,
            indent=indent,
            ensure_ascii=ensure_ascii,
            separators=separators,
            allow_nan=False,
        )
    except ValueError:  # also a cycle, which _finite cannot leave either: RecursionError
        return json.dumps(
            _finite(value), indent=indent, ensure_ascii=ensure_ascii, separators=separators
        )


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value
