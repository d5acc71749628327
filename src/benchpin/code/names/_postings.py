"""In which files each name is: sorted names and numbers, as arrays that are kept as they are."""

from array import array
from collections.abc import Iterable, Iterator, Mapping

import msgspec


class Postings(msgspec.Struct, frozen=True, array_like=True):
    """The numbers of each name; a name is found by bisection, and nothing is decoded before."""

    names: bytes
    """All names in order, without anything between them."""
    name_ends: bytes
    """Where each name ends in `names`, 32 bits each, as all numbers here."""
    number_ends: bytes
    """Where the numbers of each name end in `numbers`."""
    numbers: bytes

    @classmethod
    def of(cls, found: Mapping[str, "array[int]"]) -> "Postings":
        """Return the postings of numbers by name."""
        ordered = sorted((_encoded(name), name) for name in found)
        name_ends, number_ends, numbers = array("I"), array("I"), array("I")
        end = 0
        for encoded, name in ordered:
            end += len(encoded)
            name_ends.append(end)
            numbers += found[name]
            number_ends.append(len(numbers))
        return cls(
            b"".join(it for it, _ in ordered),
            name_ends.tobytes(),
            number_ends.tobytes(),
            numbers.tobytes(),
        )

    def get(self, name: str) -> Iterable[int]:
        """Return the numbers of a name."""
        wanted, ends = _encoded(name), memoryview(self.name_ends).cast("I")
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high) // 2
            if self.names[ends[middle - 1] if middle else 0 : ends[middle]] < wanted:
                low = middle + 1
            else:
                high = middle
        start = ends[low - 1] if low else 0
        if low == len(ends) or self.names[start : ends[low]] != wanted:
            return ()
        bounds = memoryview(self.number_ends).cast("I")
        return memoryview(self.numbers).cast("I")[bounds[low - 1] if low else 0 : bounds[low]]

    def __iter__(self) -> Iterator[str]:
        """Yield the names in order."""
        start = 0
        for end in memoryview(self.name_ends).cast("I"):
            yield self.names[start:end].decode(errors="surrogatepass")
            start = end


def _encoded(name: str) -> bytes:
    return name.encode(errors="surrogatepass")
