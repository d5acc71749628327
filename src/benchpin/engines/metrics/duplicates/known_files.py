"""Which files changed since an earlier search, and what was known of the others."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from benchpin.engines.source.index import FileFacts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .corpus import Places

    T = TypeVar("T", bound=np.generic)

FileKey = tuple[str, bytes]
"""The path of a file, and the key of its content."""


@dataclass(frozen=True, slots=True)
class KnownSearch:
    """What a search found in some files."""

    files: list[FileKey] = field(default_factory=list)
    unsaved: int = 0
    """How many files changed since this was saved."""


class FileChanges:
    """How files differ from those of an earlier search; files are named by their numbers.

    Those that did not change are in the same order in both.
    """

    def __init__(self, before: Sequence[FileKey], files: Sequence[FileFacts]) -> None:
        import numpy as np

        self.files: list[FileKey] = [(file.path, file.key) for file in files]
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
