"""JSON that can always be written: a name of a file that is no UTF-8 must not cost an answer."""

import json
from collections.abc import Callable

import pydantic_core
from pydantic_core import PydanticSerializationError, to_jsonable_python

Fallback = Callable[[object], object]


def to_json(value: object, *, fallback: Fallback | None = None) -> bytes:
    """Write a value as JSON; half characters, which UTF-8 cannot have, become question marks."""
    try:
        return pydantic_core.to_json(value, fallback=fallback)
    except PydanticSerializationError:
        plain = to_jsonable_python(value, fallback=fallback)
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
