"""The uses of names in every file of a workspace, kept so that only what changed is read again.

What a file uses depends on its tokens, and on which names are defined anywhere. After an edit, the
files that changed are read, and those that contain a name which was not defined before.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.liveness import rules_of
from benchpin.engines.source.program import Definition

from .token_views import TokenViews
from .uses import FileUses, NameFinder, find_uses

KeysLacking = Callable[[Collection[str]], frozenset[bytes]]
"""Returns the keys of files that are known to contain none of these names in any token."""

KnownUses = tuple[bytes, FileUses]
"""The key of the content of a file, and what it uses."""
_MOST_NEW_NAMES = 16
"""With more names that were not defined before, every file is read again: each is searched for."""


@dataclass(frozen=True, slots=True)
class NameUses:
    """Who uses which name."""

    names: list[str]
    """All names that were searched for; uses have their numbers in this list."""
    files: dict[str, KnownUses]
    """By path."""

    def has_most(self, names: Collection[str]) -> bool:
        """Whether few of these names were not searched for, and most of those that were are in use.

        Names that are no longer defined do no harm, but take time.
        """
        return (
            len(self.names) <= 2 * len(names)
            and len(set(names).difference(self.names)) <= _MOST_NEW_NAMES
        )


def find_name_uses(
    files: Sequence[FileFacts],
    own: Sequence[Sequence[Definition]],
    require_time: Callable[[], None],
    before: NameUses | None = None,
    lacking: KeysLacking = lambda _names: frozenset(),
) -> NameUses:
    """Find which names each file uses; `own` are the definitions of each file.

    What `before` knows of files that did not change is taken from it.
    """
    defined = {it.name for definitions in own for it in definitions}
    known = before if before is not None and before.has_most(defined) else NameUses([], {})
    new = defined.difference(known.names)
    names = [*known.names, *sorted(new)]
    without_new = lacking(new) if new and known.files else frozenset()
    stale: list[int] = []
    for number, file in enumerate(files):
        key, uses = known.files.get(file.path, (b"", None))
        is_same = uses is not None and key == file.key
        if not is_same or (new and not _lacks(file, new, without_new)):
            stale.append(number)
    read = uses_by_file(files, own, names, stale, require_time)
    found = {it.path: read.get(it.path) or known.files[it.path] for it in files}
    return NameUses(names, found)


def names_of(own: Iterable[Iterable[Definition]]) -> list[str]:
    """Return the names of definitions, sorted."""
    return sorted({it.name for definitions in own for it in definitions})


def uses_by_file(
    files: Sequence[FileFacts],
    own: Sequence[Sequence[Definition]],
    names: Sequence[str],
    numbers: Iterable[int],
    require_time: Callable[[], None],
) -> dict[str, KnownUses]:
    """Return which of the names some of the files use: those with these numbers."""
    finder, views = NameFinder(names), TokenViews(files)
    found: dict[str, KnownUses] = {}
    for number in numbers:
        require_time()
        file = files[number]
        uses = find_uses(file, views[number], own[number], finder, rules_of(file.language))
        found[file.path] = file.key, uses
    return found


def _lacks(file: FileFacts, names: set[str], lacking: frozenset[bytes]) -> bool:
    """Whether a file surely uses none of the names; those of imports are no tokens."""
    return file.key in lacking and not any(
        name in names for it in file.links.imports for name in it.names
    )
