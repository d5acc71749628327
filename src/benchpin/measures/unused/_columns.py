"""The definitions of a program as columns of numbers, by id.

The code of each file has consecutive ids: first the code that is in no definition, then the
definitions in their order. An id stays as long as its file does not change; a file that changed
gets new ids at the end.
"""

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterator, Sequence

import msgspec

from ._file_uses import KINDS, METHOD, TOP, TYPE, FileUses

# No owner.
NONE = -1
_NO_NAME = 0xFFFF_FFFF


class StoredColumns(msgspec.Struct, frozen=True, gc=False):
    """The columns as bytes."""

    first: dict[str, int]
    """By path, the id of the code of a file that is in no definition."""
    names: bytes
    owners: bytes
    kinds: bytes


class Columns:
    """What is known of each definition, by id."""

    def __init__(
        self,
        paths: Sequence[str],
        uses: Sequence[FileUses],
        before: StoredColumns | None = None,
        changed: Collection[str] = (),
    ) -> None:
        """Take over the ids of files that did not change."""
        self.paths = paths
        self.counts = [len(it.kinds) for it in uses]
        self.names = array("I", before.names if before else b"")
        self.owners = array("i", before.owners if before else b"")
        self.kinds = bytearray(before.kinds if before else b"")
        known = before.first if before else {}
        self.first: list[int] = []
        """For each file, the id of its code that is in no definition."""
        for path, its in zip(paths, uses, strict=True):
            is_kept = path in known and path not in changed
            self.first.append(known[path] if is_kept else self._append(its))
        self.files = array("I", bytes(4 * len(self.kinds)))
        for file, (first, count) in enumerate(zip(self.first, self.counts, strict=True)):
            self.files[first : first + count + 1] = array("I", (file,)) * (count + 1)

    def _append(self, uses: FileUses) -> int:
        first = len(self.kinds)
        self.kinds += bytes((TOP,)) + uses.kinds
        self.names.append(_NO_NAME)
        self.names.frombytes(uses.names)
        self.owners.append(NONE)
        self.owners.extend([NONE if it < 0 else first + 1 + it for it in array("i", uses.owners)])
        return first

    def stored(self) -> StoredColumns:
        """Return the columns as bytes."""
        return StoredColumns(
            dict(zip(self.paths, self.first, strict=True)),
            self.names.tobytes(),
            self.owners.tobytes(),
            bytes(self.kinds),
        )

    def ids_of(self, file: int) -> range:
        """Return the definitions of a file."""
        first = self.first[file] + 1
        return range(first, first + self.counts[file])

    def all_ids(self) -> Iterator[int]:
        """Yield all definitions, in their order."""
        for file in range(len(self.first)):
            yield from self.ids_of(file)

    def kind(self, number: int) -> int:
        """Return what kind of definition an id is of."""
        return self.kinds[number] & KINDS

    def is_type(self, number: int) -> bool:
        """Whether an id is that of a type."""
        return self.kinds[number] & KINDS == TYPE

    def is_method(self, number: int) -> bool:
        """Whether an id is that of a method."""
        return self.kinds[number] & KINDS == METHOD

    def is_within(self, code: int, definition: int) -> bool:
        """Whether some code is inside a definition."""
        at = code
        while at >= 0:
            if at == definition:
                return True
            at = self.owners[at]
        return False

    def members(self) -> dict[int, list[int]]:
        """Return what each definition encloses."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        owners = self.owners
        for number in self.all_ids():
            if owners[number] >= 0:
                found[owners[number]].append(number)
        return found


def match(old: FileUses, old_first: int, new: FileUses | None, new_first: int) -> dict[int, int]:
    """Return the new id of each old one of a file; `NONE` for what is gone.

    Definitions are the same if they have the same qualified name, kind and owner; of several, in
    their order.
    """
    now = {} if new is None else {key: at for at, key in enumerate(match_keys(new), new_first + 1)}
    found = {at: now.get(key, NONE) for at, key in enumerate(match_keys(old), old_first + 1)}
    found[old_first] = NONE if new is None else new_first
    return found


def match_keys(uses: FileUses) -> list[Hashable]:
    """Return what each definition of a file is matched with."""
    keys: list[Hashable] = []
    seen: Counter[Hashable] = Counter()
    places, owners = array("I", uses.places), array("i", uses.owners)
    for place, owner, kind in zip(places, owners, uses.kinds, strict=True):
        key = (keys[owner] if owner >= 0 else None, place, kind & KINDS)
        keys.append((key, seen[key]))
        seen[key] += 1
    return keys
