"""How values of any type become bytes for the cache, and are read again."""

from functools import cached_property
from typing import Any, Generic, TypeVar

import msgspec
from pydantic import BaseModel

T = TypeVar("T")


class Encoded(Generic[T]):
    """Something whose values are kept as bytes.

    Their type is made of dataclasses, msgspec structs, models of pydantic and plain values. The
    bytes are data, read by a typed decoder: nothing in them is run.
    """

    type: Any  # a type such as `list[FileCycle]`, which is no `type[T]` to a type checker

    @cached_property
    def _decoder(self) -> "msgspec.msgpack.Decoder[Any]":
        return msgspec.msgpack.Decoder(self.type, dec_hook=_to_model)

    def encode(self, value: T) -> bytes | None:
        """Return a value as bytes; None for one that has no such form."""
        try:
            return msgspec.msgpack.encode(value, enc_hook=_of_model)
        except (TypeError, ValueError):  # such as a path that is not UTF-8
            return None

    def decode(self, data: bytes | None) -> tuple[T] | None:
        """Return a value in a tuple; None where the bytes are not one."""
        try:
            return None if data is None else (self._decoder.decode(data),)
        except (msgspec.MsgspecError, TypeError, ValueError):
            return None


def _of_model(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.__dict__
    if isinstance(value, frozenset):
        return sorted(value)
    message = f"{type(value)} cannot be stored"
    raise TypeError(message)


def _to_model(kind: type, value: object) -> object:
    if issubclass(kind, BaseModel):
        return kind.model_validate(value)
    message = f"{kind} cannot be read"
    raise TypeError(message)
