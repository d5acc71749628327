"""Which files changed since an earlier search, and what was known of the others."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from benchpin.facts import FileFacts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._corpus import Places

    T = TypeVar("T", bound=np.generic)

# The path of a file, and the key of its content.
FileKey = tuple[str, bytes]


@dataclass(frozen=True, slots=True)
class KnownSearch:
    """What a search found in some files."""

    files: list[FileKey] = field(default_factory=list)


class FileChanges:
    """How files differ from those of an earlier search; files are named by their numbers.

    Those that did not change are in the same order in both.
    """

    def __init__(self, before: Sequence[FileKey], files: list[FileKey]) -> None:
        import numpy as np

        self.files = files
        numbers = {file: at for at, file in enumerate(before)}
        earlier = np.array([numbers.get(it, -1) for it in self.files], np.int64)
        self._is_changed = earlier < 0
        self.changed: Places = np.flatnonzero(self._is_changed)
        """The numbers of files that are new or changed."""
        self.now = np.full(len(before), -1)
        """The number of each earlier file now; below zero for one that is gone or changed."""
        self.now[earlier[~self._is_changed]] = np.flatnonzero(~self._is_changed)

    def merged(self, before: "NDArray[T]", changed: "NDArray[T]") -> "NDArray[T]":
        """Return a number for each file, from those before and those of the changed files.

        There may be fewer of these, if time ran out; the others get 0.
        """
        import numpy as np

        numbers = np.zeros(len(self.files), changed.dtype)
        numbers[~self._is_changed] = before[self.now >= 0]
        numbers[self.changed[: len(changed)]] = changed
        return numbers

    def merged_rows(
        self,
        before: "NDArray[T]",
        before_counts: "NDArray[np.integer]",
        changed: "NDArray[T]",
        changed_counts: "NDArray[np.integer]",
    ) -> "NDArray[T]":
        """Return the numbers of all files, some for each, one file after the other."""
        import numpy as np

        counts = self.merged(before_counts, changed_counts)
        rows = np.empty((int(counts.sum()), *changed.shape[1:]), changed.dtype)
        is_changed = np.repeat(self._is_changed, counts)
        rows[~is_changed] = before[np.repeat(self.now >= 0, before_counts)]
        rows[is_changed] = changed
        return rows


class CurrentFiles:
    """The files that are searched, and how they differ from those of earlier searches."""

    def __init__(self, files: Sequence[FileFacts]) -> None:
        self.files = files
        self._keys: list[FileKey] = [(file.path, file.key) for file in files]
        self._last: tuple[Sequence[FileKey], FileChanges] | None = None

    def since(self, before: Sequence[FileKey]) -> FileChanges:
        """Return the changes since a search; those of all types mostly had the same files."""
        if self._last is None or self._last[0] != before:
            self._last = before, FileChanges(before, self._keys)
        return self._last[1]
