"""Compare the files of two searches."""

from collections.abc import Hashable
from dataclasses import dataclass

from ._columns import match_keys
from ._file_uses import KINDS, TYPE, FileUses
from ._name_uses import WorkspaceUses


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The files that are different from those of a search before."""

    old: dict[str, FileUses]
    """By path, what was in those that changed or are gone."""
    new: frozenset[str]
    """The paths of those that changed or are new."""


def changed_files(before: WorkspaceUses, now: WorkspaceUses) -> ChangedFiles:
    """Compare the files of two searches."""
    old = {path: it[1] for path, it in before.files.items() if now.files.get(path) != it}
    new = frozenset(path for path, it in now.files.items() if before.files.get(path) != it)
    return ChangedFiles(old, new)


def has_same_types(old: FileUses, new: FileUses) -> bool:
    """Whether the types of a file have the same names and bases."""
    return _types_in(old) == _types_in(new)


def _types_in(uses: FileUses) -> list[tuple[Hashable, object]]:
    return [
        (key, uses.bases.get(at))
        for at, (key, kind) in enumerate(zip(match_keys(uses), uses.kinds, strict=True))
        if kind & KINDS == TYPE
    ]


def has_same_parts(old: FileUses, new: FileUses) -> bool:
    """Whether two versions of a file compose names with the same parts."""
    return (old.prefixes, old.suffixes, old.looked_up) == (
        new.prefixes,
        new.suffixes,
        new.looked_up,
    )
