"""How messages to a client are encoded, where they go, and the id that connects them to logs."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

import pydantic_core
from pydantic_core import PydanticSerializationError, to_jsonable_python

_LENGTH = 32
Fallback = Callable[[object], object]


class Channel(Protocol):
    """Takes the messages of a connection, or those about one request."""

    @property
    def can_ask(self) -> bool:
        """Whether requests to the client can be sent."""

    @property
    def release(self) -> Callable[[], Awaitable[None]] | None:
        """Closes the stream of the request; the client comes back for the rest."""

    async def send(self, message: bytes) -> None:
        """Send a notification or a request; wait while the client does not read."""

    async def answer(self, message: bytes) -> None:
        """Send the answer, after which nothing follows."""


def correlate(method: str, params: Mapping[str, object] | None) -> str:
    """Return the id that the client chose, or a hash of the request."""
    chosen = (params or {}).get("correlation_id")
    if isinstance(chosen, str) and chosen:
        return chosen
    return hashlib.sha256(to_json([method, params], fallback=str)).hexdigest()[:_LENGTH]


def to_json(value: object, *, fallback: Fallback | None = None) -> bytes:
    """Encode a value; lone surrogates, from file names that are not UTF-8, become `?`.

    NaN and infinity, which JSON does not have, become null.
    """
    try:
        return pydantic_core.to_json(value, fallback=fallback, inf_nan_mode="null")
    except PydanticSerializationError:
        plain = to_jsonable_python(value, fallback=fallback, inf_nan_mode="null")
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
