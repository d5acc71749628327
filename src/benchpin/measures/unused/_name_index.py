"""Which files use which names."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from ._columns import Columns
from ._file_uses import FileUses


class NameIndex(msgspec.Struct, frozen=True, gc=False):
    """Which files use each name, and how often code does; by the number of the name."""

    files: list[bytes]
    """The ids at which the code of the files begins; those of files that changed since, too."""
    counts: bytes
    """How many pieces of code use it, other than in strings."""

    def updated(
        self, names: int, gone: Iterable[FileUses], added: Mapping[int, FileUses]
    ) -> "NameIndex":
        """Return the index of so many names without some files, and with others by first id."""
        files = [*self.files, *[b""] * (names - len(self.files))]
        counts = array("I", self.counts)
        counts.extend([0] * (names - len(counts)))
        changes: Counter[int] = Counter()
        for uses in gone:
            changes.subtract(uses.used_in_code())
        for first, uses in added.items():
            changes.update(uses.used_in_code())
            packed = array("I", (first,)).tobytes()
            for name in uses.used():
                files[name] += packed
        for name, change in changes.items():
            counts[name] += change
        return NameIndex(files, counts.tobytes())

    def files_with(self, names: Iterable[int], columns: Columns) -> list[int]:
        """Return the files that use one of some names, in their order."""
        firsts = {it for name in names for it in array("I", self.files[name])}
        return sorted({file for it in firsts if columns.first[file := columns.files[it]] == it})
