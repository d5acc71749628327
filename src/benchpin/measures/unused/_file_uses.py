"""What is kept of a file: its definitions and uses, as numbers."""

from array import array
from collections.abc import Container, Iterable

import msgspec

# How a name is used, combined with `|`.
UseKind = int
BARE: UseKind = 1
# The name is after a dot.
MEMBER: UseKind = 2
# The name is in a string that could be a name or a path.
STRING: UseKind = 4
# The name is in a longer string, such as a docstring, where it looks like code.
TEXT: UseKind = 8
# The file imports the name, or everything from somewhere.
IMPORTED: UseKind = 16
_ANY_KIND = BARE | MEMBER | STRING | TEXT | IMPORTED

# The context of code that is in no definition of its file.
TOP_LEVEL = -1
KIND_BITS = 5

# What kind of code an id is of: one of the first four, and marks combined with `|`.
CodeKind = int
# The code of a file that is in no definition.
TOP: CodeKind = 0
FUNCTION: CodeKind = 1
METHOD: CodeKind = 2
TYPE: CodeKind = 3
KINDS: CodeKind = 3
# A type that declares members of other types.
CONTRACT: CodeKind = 4
PUBLIC: CodeKind = 8
CODE_KINDS = {"function": FUNCTION, "method": METHOD, "type": TYPE}


class FileUses(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a file defines and uses; it does not depend on any other file but for the names.

    Code is given by the number of the definition that it is in, among those of the file, or
    `TOP_LEVEL`; names are given by number.
    """

    language: str
    contexts: bytes
    """For each code that uses names, its number and how many names it uses."""
    entries: bytes
    """The names that code uses, and how, one code after the other."""
    names: bytes
    """For each definition, its name."""
    places: bytes
    """For each definition, a checksum of its qualified name."""
    owners: bytes
    """For each definition, the definition that encloses it, or `TOP_LEVEL`."""
    kinds: bytes
    """For each definition, its `CodeKind`."""
    qualifiers: dict[int, str]
    """The type of a method that is written outside of it."""
    bases: dict[int, list[tuple[str, str | None]]]
    """The bases of each type as written, and the module of an absolute import that each is of."""
    heritage: dict[int, str]
    """For each type, what the rules read of it to judge the types that inherit from it."""
    prefixes: frozenset[str]
    suffixes: frozenset[str]
    """Parts of names that are composed at run time."""
    looked_up: frozenset[str]
    """Prefixes inside the call that looks the name up, such as `getattr(box, "get" + kind)`."""
    self_lookups: frozenset[int]
    """Definitions in which an object looks up its own member by a name that is not a literal."""
    implementing: frozenset[int]
    """Definitions that implement an interface."""
    shared: list[frozenset[str]]
    """What the file adds to each of the names that its rules share."""

    def by_context(self) -> dict[int, "array[int]"]:
        """Return the names that each code uses, in the order of the first use; see `use_of`."""
        entries, at = array("I", self.entries), 0
        found: dict[int, array[int]] = {}
        contexts = array("i", self.contexts)
        for code, count in zip(contexts[::2], contexts[1::2], strict=True):
            found[code] = entries[at : at + count]
            at += count
        return found

    def used(self) -> set[int]:
        """Return all names that the file uses, in whatever way."""
        return {it >> KIND_BITS for it in array("I", self.entries)}

    def used_in_code(self) -> list[int]:
        """Return the names that code uses, once for each code."""
        return [it >> KIND_BITS for it in array("I", self.entries) if it & (BARE | MEMBER)]


def uses_among(entries: Iterable[int], wanted: Container[int]) -> list[tuple[int, UseKind]]:
    """Return those of some names that code uses, and how it uses each."""
    return [(it >> KIND_BITS, it & _ANY_KIND) for it in entries if it >> KIND_BITS in wanted]
