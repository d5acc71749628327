"""The index of names: which files define, use and import each name, without reading the files.

It is made of one state of the project and kept. Files that changed since are indexed on top of it,
and hide what the table says of them.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

import msgspec

from benchpin.facts import FileFacts

from ._module import Module, Symbol

# What is said of a name in a file: of a type, of a method whose type is elsewhere, or only a part
# of a qualified name.
IS_TYPE, IS_DETACHED, _IS_PART = 1, 2, 4
_BITS = 3


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

    def get(self, name: str) -> Sequence[int]:
        wanted, ends = _encoded(name), memoryview(self.name_ends).cast("I")
        low = self._place_of(wanted, ends)
        start = ends[low - 1] if low else 0
        if low == len(ends) or self.names[start : ends[low]] != wanted:
            return ()
        bounds = memoryview(self.number_ends).cast("I")
        return memoryview(self.numbers).cast("I")[bounds[low - 1] if low else 0 : bounds[low]]

    def starting(self, beginning: str) -> Iterator[str]:
        """Yield the names that begin so, in order."""
        wanted, ends = _encoded(beginning), memoryview(self.name_ends).cast("I")
        for at in range(self._place_of(wanted, ends), len(ends)):
            name = self.names[ends[at - 1] if at else 0 : ends[at]]
            if not name.startswith(wanted):
                return
            yield name.decode(errors="surrogatepass")

    def _place_of(self, wanted: bytes, ends: "memoryview[int]") -> int:
        """Return the number of the first name that does not come before another."""
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high) // 2
            if self.names[ends[middle - 1] if middle else 0 : ends[middle]] < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def __iter__(self) -> Iterator[str]:
        start = 0
        for end in memoryview(self.name_ends).cast("I"):
            yield self.names[start:end].decode(errors="surrogatepass")
            start = end


def _encoded(name: str) -> bytes:
    return name.encode(errors="surrogatepass")


class UsedNames(msgspec.Struct, frozen=True, array_like=True):
    """The names that files use; the numbers are positions in `paths`."""

    paths: list[str]
    references: Postings
    """Of identifiers in the code."""
    imported: Postings
    """Of names that are imported from somewhere, and of types whose members are."""
    mentioned: Postings
    """Of strings that are nothing but a name, and of names that are exported by a list of them."""
    aliases: dict[str, list[str]]
    """What imported names are called where that is another name."""


class NameTable:
    """Which files define, use and import each name."""

    def __init__(
        self,
        paths: Sequence[str],
        defined: Postings,
        used: Callable[[], UsedNames],
        changed: Mapping[str, Module | None] = MappingProxyType({}),
    ) -> None:
        """Take names of files by number; `changed` are those that differ from it since."""
        self._paths = paths
        self._defined = defined
        self._used = used
        self._changed = changed

    def with_modules(self, changed: Mapping[str, Module | None]) -> "NameTable":
        """Return the table after some files changed; None for one that is gone."""
        return NameTable(self._paths, self._defined, self._used, {**self._changed, **changed})

    @cached_property
    def _own(self) -> dict[str, list[tuple[str, int]]]:
        found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for path, module in self._changed.items():
            for name, flags in () if module is None else names_of(module):
                found[name].append((path, flags))
        return dict(found)

    def defining(self, name: str) -> list[tuple[str, int]]:
        """Return the files with a symbol of a name, and what is said of each symbol."""
        numbers = self._defined.get(name)
        found = [(self._paths[it >> _BITS], it & ((1 << _BITS) - 1)) for it in numbers]
        if self._changed:
            found = [it for it in found if it[0] not in self._changed]
            found += self._own.get(name, ())
        return [it for it in found if not it[1] & _IS_PART]

    def defining_part(self, lowered: str) -> set[str]:
        """Return the files with a symbol that has these lower-case letters in its name."""
        names = (name for name in self._defined if lowered in name.lower())
        files = {self._paths[it >> _BITS] for name in names for it in self._defined.get(name)}
        own = (it for name, it in self._own.items() if lowered in name.lower())
        return files.difference(self._changed) | {path for places in own for path, _ in places}

    def defined(self) -> set[str]:
        """Return the last parts of the names of all symbols."""
        return {name for name in {*self._defined, *self._own} if self.defining(name)}

    def using(self, name: str) -> list[str]:
        return self._files(
            self._used().references.get(name), lambda it: name in it.links.references
        )

    def importing(self, name: str) -> list[str]:
        """Return the files that import a name, or a member of a type of that name."""
        return self._files(self._used().imported.get(name), lambda it: name in _in_imports(it))

    def mentioning(self, name: str) -> list[str]:
        """Return the files with a string that is nothing but a name, or that export it so."""
        return self._files(self._used().mentioned.get(name), lambda it: name in _mentioned(it))

    def aliases(self, name: str) -> set[str]:
        """Return what files that import a name call it."""
        changed = (it.facts for it in self._changed.values() if it is not None)
        own = {alias for it in changed for one, alias in imported_names(it) if one == name}
        return own.union(self._used().aliases.get(name, ()))

    def _files(self, numbers: Iterable[int], has: Callable[[FileFacts], bool]) -> list[str]:
        """Return files by number, less those that changed, and changed ones that `has` accepts."""
        paths = self._used().paths
        found = [paths[it] for it in numbers]
        if self._changed:
            found = [path for path in found if path not in self._changed]
            changed = self._changed.items()
            found += [path for path, it in changed if it is not None and has(it.facts)]
        return found


def imported_names(file: FileFacts) -> Iterator[tuple[str, str]]:
    """Yield the names that a file imports, and what it calls them."""
    for imported in file.links.imports:
        yield from zip(imported.names, imported.aliases or imported.names, strict=False)


_WORD = re.compile(r"\w++")


def _in_imports(file: FileFacts) -> set[str]:
    """Return the names that a file imports, and the types that its imports may go through."""
    found = set(dict(imported_names(file)))
    for imported in file.links.imports:
        # What is last on the path may be a type, and so may what is spelt like one.
        *outer, last = _WORD.findall(imported.module) or [""]
        found.update((last, *(it for it in outer if it[:1].isupper())))
    return found


def _mentioned(file: FileFacts) -> set[str]:
    return {*file.links.mentions, *file.links.exports}


def names_of(module: Module) -> Iterator[tuple[str, int]]:
    """Yield the name of each symbol of a file and what it is; also the other parts of its name."""
    for symbol in module.symbols.values():
        *outer, name = symbol.qualified.split(".")
        yield name, symbol.is_type * IS_TYPE | is_detached(symbol, module) * IS_DETACHED
        for part in outer:
            yield part, _IS_PART


def is_detached(method: Symbol, module: Module) -> bool:
    """Whether a method is written in another file than its type."""
    return method.kind == "method" and method.owner not in module.symbols


def defined_in(modules: Iterable[Module]) -> Postings:
    """Return which of some files define each name, by their positions."""
    found: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    for number, module in enumerate(modules):
        seen: set[str] = set()
        for name, flags in names_of(module):
            if flags != _IS_PART or name not in seen:
                found[name].append(number << _BITS | flags)
            if flags == _IS_PART:
                seen.add(name)
    return Postings.of(found)


def used_in(modules: Mapping[str, Module]) -> UsedNames:
    references: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    imported: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    mentioned: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    aliases: defaultdict[str, set[str]] = defaultdict(set)
    for number, module in enumerate(modules.values()):
        for name in module.facts.links.references:
            references[name].append(number)
        for name in _in_imports(module.facts):
            imported[name].append(number)
        for name in _mentioned(module.facts):
            mentioned[name].append(number)
        for name, alias in imported_names(module.facts):
            if alias != name:
                aliases[name].add(alias)
    return UsedNames(
        list(modules),
        Postings.of(references),
        Postings.of(imported),
        Postings.of(mentioned),
        {name: sorted(it) for name, it in sorted(aliases.items())},
    )
