"""Files of which only some are looked into: their facts are loaded when they are asked for."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import overload

import msgspec

from benchpin.facts.store import AnySection

from ._file_facts import FileFacts

Load = Callable[[FileFacts, str], AnySection]

# The limit of how many files the facts are kept.
_MAX_FILES = 256


class _Sections(dict[str, AnySection]):
    __slots__ = ("_load",)

    def __init__(self, load: Callable[[str], AnySection]) -> None:
        super().__init__()
        self._load = load

    def __missing__(self, section: str) -> AnySection:
        found = self[section] = self._load(section)
        return found


class FactsOnDemand(Sequence[FileFacts]):
    """Some files: by number with facts, but without any when iterated over."""

    def __init__(self, files: Sequence[FileFacts], load: Load) -> None:
        self._files = files
        # Not a bound method: a cycle would keep the facts until the collector finds it.
        self._file = lru_cache(_MAX_FILES)(partial(_with_facts, files, load))

    def __len__(self) -> int:
        return len(self._files)

    def __iter__(self) -> Iterator[FileFacts]:
        return iter(self._files)

    @overload
    def __getitem__(self, number: int) -> FileFacts: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[FileFacts]: ...
    def __getitem__(self, number: int | slice) -> FileFacts | Sequence[FileFacts]:
        if isinstance(number, slice):
            return [self._file(it) for it in range(len(self))[number]]
        return self._file(number)


def _with_facts(files: Sequence[FileFacts], load: Load, number: int) -> FileFacts:
    file = files[number]
    return msgspec.structs.replace(file, sections=_Sections(partial(load, file)))
