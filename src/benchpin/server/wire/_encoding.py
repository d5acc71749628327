"""Encode JSON, whatever file names it holds."""

import json
from collections.abc import Callable

import pydantic_core
from pydantic_core import PydanticSerializationError, to_jsonable_python

Fallback = Callable[[object], object]


def to_json(value: object, *, fallback: Fallback | None = None) -> bytes:
    """Encode a value; lone surrogates, from file names that are not UTF-8, become `?`.

    NaN and infinity, which JSON does not have, become null.
    """
    try:
        return pydantic_core.to_json(value, fallback=fallback, inf_nan_mode="null")
    except PydanticSerializationError:
        plain = to_jsonable_python(value, fallback=fallback, inf_nan_mode="null")
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
