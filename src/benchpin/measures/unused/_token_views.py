"""The tokens of the files of a program, without holding all of them in memory."""

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import overload

from benchpin.facts import FileFacts
from benchpin.facts.liveness import TokenView

# Rules ask for the files in their order: few are needed again after the others.
_MAX_VIEWS = 256


class TokenViews(Sequence[TokenView]):
    """The tokens of each file; only those of the files that were looked at last are in memory."""

    def __init__(self, files: Sequence[FileFacts]) -> None:
        self._files = files
        # Not a bound method: a cycle would keep the views until the collector finds it.
        self._view = lru_cache(_MAX_VIEWS)(partial(_view_of, files))

    def __len__(self) -> int:
        """Return the number of files."""
        return len(self._files)

    @overload
    def __getitem__(self, number: int) -> TokenView: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[TokenView]: ...
    def __getitem__(self, number: int | slice) -> TokenView | Sequence[TokenView]:
        """Return the tokens of a file, or of some files."""
        if isinstance(number, slice):
            return [self._view(it) for it in range(len(self))[number]]
        return self._view(number)


def _view_of(files: Sequence[FileFacts], number: int) -> TokenView:
    return TokenView.of(files[number], number)
