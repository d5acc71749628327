"""What every file of a workspace defines and uses, kept so that only what changed is read again.

What a file uses depends on its tokens, and on which names are defined anywhere. After an edit, the
files that changed are read, and those that contain a name which was not defined before.
"""

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.facts import FileFacts
from benchpin.facts.liveness import Definition, rules_of

from ._definitions import TokenViews, define
from ._file_uses import FileUses
from ._uses import NameFinder, find_uses

# Returns the keys of files that are known to contain none of these names, imports included.
KeysLacking = Callable[[Collection[str]], frozenset[bytes]]

# The key of the content of a file, and what it defines and uses.
KnownUses = tuple[bytes, FileUses]
# With more names that were not defined before, every file is read again: each is searched for.
_MAX_NEW_NAMES = 64


@dataclass(frozen=True, slots=True)
class WorkspaceUses:
    """Who uses which name."""

    names: list[str]
    """All names that were searched for; uses have their numbers in this list."""
    files: dict[str, KnownUses]
    """By path."""


def require_time(job: Job, *, lacks_files: bool = False) -> None:
    """Stop unless the whole workspace was read and there is time left: else live code looks dead.

    What another measure left out does not matter here.

    Raises:
        TimeLimitExceeded: when the time is up, or files were left out.
    """
    job.check()
    if job.is_expired or lacks_files:
        raise TimeLimitExceeded(
            "Time ran out before all files were read; without them, used code would look dead",
            suggestion="Call again: the files measured so far are kept. Or allow more time with "
            "tool_timeouts.analyze_dead_code.",
        )


def find_name_uses(
    files: Sequence[FileFacts],
    require_time: Callable[[], None],
    before: WorkspaceUses | None = None,
    lacking: KeysLacking = lambda _names: frozenset(),
) -> WorkspaceUses:
    """Find which names each file uses.

    What `before` knows of files that did not change is taken from it, with its numbers of names,
    unless too many names are new.
    """
    known = before or WorkspaceUses([], {})
    stamps = [(file.path, file.key) for file in files]
    own = {
        number: define(files[number], number, 0)
        for number, (path, key) in enumerate(stamps)
        if known.files.get(path, (b"", None))[0] != key or not key
    }
    defined = set(names_of(own.values()))
    new = defined.difference(known.names)
    kept = [known.files[path][1] for at, (path, _) in enumerate(stamps) if at not in own]
    if kept and (len(new) > _MAX_NEW_NAMES or _are_mostly_unused(known.names, kept, defined)):
        return find_name_uses(files, require_time)
    if new and kept:
        without_new = lacking(new)
        for number, (_, key) in enumerate(stamps):
            if number not in own and key not in without_new:
                own[number] = define(files[number], number, 0)
    names = [*known.names, *sorted(new)]
    read = uses_by_file(files, own, names, sorted(own), require_time)
    return WorkspaceUses(names, {path: read.get(path) or known.files[path] for path, _ in stamps})


def names_of(own: Iterable[Iterable[Definition]]) -> list[str]:
    """Return the names of definitions, sorted."""
    return sorted({it.name for definitions in own for it in definitions})


def uses_by_file(
    files: Sequence[FileFacts],
    own: Mapping[int, Sequence[Definition]],
    names: Sequence[str],
    numbers: Iterable[int],
    require_time: Callable[[], None],
) -> dict[str, KnownUses]:
    """Return which of the names some of the files use: those with these numbers.

    `own` has what these files define.
    """
    finder, views = NameFinder(names), TokenViews(files)
    found: dict[str, KnownUses] = {}
    for number in numbers:
        require_time()
        file = files[number]
        uses = find_uses(file, views[number], own[number], finder, rules_of(file.language))
        found[file.path] = file.key, uses
    return found


def _are_mostly_unused(
    names: Collection[str], kept: Iterable[FileUses], defined: Collection[str]
) -> bool:
    """Whether most names are no longer defined: they do no harm, but take time."""
    numbers: set[int] = set()
    for uses in kept:
        numbers.update(array("I", uses.names))
    return len(names) > 2 * (len(numbers) + len(defined))
