"""The sections of a file's facts: how each is decoded, and how to load one only when it is used.

The tokens of a large project take a gigabyte. An engine that looks at a few files, or at one after
the other, names them in `on_demand` of a query: they are then loaded each time they are asked for,
and it is the caller that keeps what it made of them.
"""

from collections.abc import Callable
from typing import Literal

import msgspec

from benchpin.core.errors import BenchpinError
from benchpin.facts import Comments, Links, Outline, Tokens

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
        """Whether there is a section, loaded or not."""
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
