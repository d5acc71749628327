"""The functions, methods and types of files, and their tokens, loaded when asked for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import overload

from benchpin.facts import FileFacts, Function, Type
from benchpin.facts.liveness import Definition, DefinitionKind, TokenView

from ._columns import Columns

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


# The limit of how many files the definitions are in memory.
_MAX_FILES = 1 << 12
_NAME = re.compile(r"[#@$]{0,2}[^\W\d][\w$]*[?!=]?")


def define_all(files: Sequence[FileFacts]) -> dict[int, list[Definition]]:
    """Return what each file defines, by its number."""
    return {number: define(file, number, 0) for number, file in enumerate(files)}


def define(file: FileFacts, number: int, first_id: int) -> list[Definition]:
    """Return what a file defines, outer before inner, without closures and nameless definitions."""
    parts: list[Function | Type] = [*file.outline.functions, *file.outline.types]
    parts.sort(key=lambda it: (it.first_token, -it.last_token, isinstance(it, Function)))
    found: list[Definition] = []
    around: list[Definition] = []
    for part in parts:
        name = part.name.rpartition(".")[2]
        if part.kind == "closure" or not _NAME.fullmatch(name):
            continue
        while around and around[-1].last_token <= part.first_token:
            around.pop()
        owner = around[-1] if around else None
        definition = _definition(file, number, first_id + len(found), part, owner)
        found.append(definition)
        around.append(definition)
    return found


def _definition(
    file: FileFacts, number: int, new_id: int, part: Function | Type, owner: Definition | None
) -> Definition:
    is_type = isinstance(part, Type)
    is_member = not is_type and (owner is not None and owner.kind == "type")
    kind: DefinitionKind = (
        "type" if is_type else "method" if is_member or part.kind == "method" else "function"
    )
    return Definition(
        id=new_id,
        file=number,
        path=file.path,
        qualified=part.name,
        name=part.name.rpartition(".")[2],
        kind=kind,
        label=part.kind if is_type else kind,
        line=part.line,
        end_line=part.end_line,
        first_token=part.first_token,
        last_token=part.last_token,
        owner=None if owner is None else owner.id,
        is_public=part.is_public,
        signature="" if isinstance(part, Type) else part.signature,
        decorators=part.decorators,
        bases=part.bases if isinstance(part, Type) else (),
    )


class Definitions(Mapping[int, Definition]):
    """The definitions of a program by id, made when they are asked for."""

    def __init__(self, files: Sequence[FileFacts], columns: Columns) -> None:
        self._files = files
        self._columns = columns
        self._of_file = lru_cache(_MAX_FILES)(self._define)

    def _define(self, file: int) -> list[Definition]:
        return define(self._files[file], file, self._columns.first[file] + 1)

    def __getitem__(self, number: int) -> Definition:
        file = self._columns.files[number]
        return self._of_file(file)[number - self._columns.first[file] - 1]

    def __len__(self) -> int:
        """Return how many there are."""
        return sum(self._columns.counts)

    def __iter__(self) -> Iterator[int]:
        """Yield the ids."""
        return self._columns.all_ids()
