"""Which files use which names, and of which parts names are composed at run time."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from ._columns import Columns
from ._file_uses import FileUses

_MIN_PREFIX_CHARS = 3


@dataclass(frozen=True, slots=True)
class ComposedNames:
    """Parts of names that are composed at run time, each with a file that does so."""

    prefixes: dict[str, str]
    suffixes: dict[str, str]
    looked_up: dict[str, str]
    """Prefixes in the call that looks the name up: they may end in the middle of a word."""

    def find(self, name: str) -> tuple[str, str] | None:
        """Return a part of a name, and the file that composes names with it."""
        for at in range(1, len(name)):
            first, last = name[:at], name[at:]
            if first in self.looked_up and at >= _MIN_PREFIX_CHARS:
                return first, self.looked_up[first]
            if name[at].isupper() or "_" in name[at - 1 : at + 1]:
                if first in self.prefixes:
                    return first, self.prefixes[first]
                if last in self.suffixes:
                    return last, self.suffixes[last]
        return None


class UseIndex(msgspec.Struct, frozen=True, gc=False):
    """Which files use each name, and how often code does; by the number of the name."""

    files: list[bytes]
    """The ids at which the code of the files begins; those of files that changed since, too."""
    counts: bytes
    """How many pieces of code use it, other than in strings."""

    def updated(
        self, names: int, gone: Iterable[FileUses], added: Mapping[int, FileUses]
    ) -> "UseIndex":
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
        return UseIndex(files, counts.tobytes())

    def files_with(self, names: Iterable[int], columns: Columns) -> list[int]:
        """Return the files that use one of some names, in their order."""
        firsts = {it for name in names for it in array("I", self.files[name])}
        return sorted({file for it in firsts if columns.first[file := columns.files[it]] == it})
