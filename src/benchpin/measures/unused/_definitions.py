"""The functions, methods and types of a file, and the tokens of files, loaded when asked for."""

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import overload

from benchpin.facts import FileFacts, Function, Type
from benchpin.facts.liveness import Definition, DefinitionKind, TokenView

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


_NAME = re.compile(r"[#@$]{0,2}[^\W\d][\w$]*[?!=]?")


def define(file: FileFacts) -> list[Definition]:
    """Return what a file defines, outer before inner, without closures and nameless definitions.

    Their ids are their numbers in the file, and the file has number 0.
    """
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
        definition = _definition(file, len(found), part, owner)
        found.append(definition)
        around.append(definition)
    return found


def _definition(
    file: FileFacts, new_id: int, part: Function | Type, owner: Definition | None
) -> Definition:
    is_type = isinstance(part, Type)
    is_member = not is_type and (owner is not None and owner.kind == "type")
    kind: DefinitionKind = (
        "type" if is_type else "method" if is_member or part.kind == "method" else "function"
    )
    return Definition(
        id=new_id,
        file=0,
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
