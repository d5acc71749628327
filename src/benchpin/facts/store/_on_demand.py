"""How facts are encoded and decoded, and how to load a section only when it is used.

The tokens of a large project take a gigabyte. An engine that looks at a few files, or at one after
the other, names them in `on_demand` of a query: they are then loaded each time they are asked for,
and it is the caller that keeps what it made of them.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

import msgspec

from benchpin.core.errors import BenchpinError
from benchpin.facts import Comments, Links, Outline, Tokens

T = TypeVar("T")
Section = Literal["outline", "links", "comments", "tokens"]
AnySection = Outline | Links | Comments | Tokens

DECODERS: dict[str, Callable[[bytes], AnySection]] = {
    "outline": msgspec.msgpack.Decoder(Outline).decode,
    "links": msgspec.msgpack.Decoder(Links).decode,
    "comments": msgspec.msgpack.Decoder(Comments).decode,
    "tokens": msgspec.msgpack.Decoder(Tokens).decode,
}


class FactsGone(BenchpinError):
    """The cache lost the facts of a file that has changed since: they cannot be computed again."""

    kind = "facts_gone"
    is_server_fault = True


class OnDemandSections(dict[str, AnySection]):
    """The sections of one file, of which some are loaded when they are asked for."""

    __slots__ = ("_load", "_names")

    def __init__(
        self,
        known: dict[str, AnySection],
        names: tuple[Section, ...],
        load: Callable[[str], AnySection],
    ) -> None:
        super().__init__(known)
        self._names = names
        self._load = load

    def __contains__(self, section: object) -> bool:
        return super().__contains__(section) or section in self._names

    def __missing__(self, section: str) -> AnySection:
        """Load a section; it is not kept.

        Raises:
            FactsGone: when the cache has lost it, and the file has changed.
        """
        if section not in self._names:
            raise KeyError(section)
        return self._load(section)

    def holding(self, *sections: str) -> "OnDemandSections":
        """Return these with some sections in memory.

        Raises:
            FactsGone: when the cache has lost one, and the file has changed.
        """
        held = {section: self[section] for section in sections}
        return OnDemandSections({**self, **held}, self._names, self._load)


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
        except (TypeError, ValueError, RecursionError):
            return None


# Models are recognised by what they have: with pydantic a worker takes 0.10 s to start, not 0.07.


def _of_model(value: object) -> object:
    if hasattr(value, "model_fields_set"):
        return value.__dict__
    if isinstance(value, frozenset):
        return sorted(value)
    message = f"{type(value)} cannot be stored"
    raise TypeError(message)


def _to_model(kind: type, value: object) -> object:
    validate: Callable[[object], object] | None = getattr(kind, "model_validate", None)
    if validate is not None:
        return validate(value)
    message = f"{kind} cannot be read"
    raise TypeError(message)
