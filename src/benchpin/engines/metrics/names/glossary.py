"""The names of a project: what is called what, and where."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import is_
from threading import Lock
from typing import Literal

from benchpin.engines.source.facts import Links
from benchpin.engines.source.index import AnySection, FileFacts

from .similarity import NameIndex

NameKind = Literal["function", "type", "variable"]
KINDS: tuple[NameKind, ...] = ("function", "type", "variable")
_MOST_GLOSSARIES = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """One name for one kind of thing, however many there are."""

    name: str
    kind: NameKind
    file: str
    """Where it is first defined; a variable, where it occurs most."""
    line: int | None
    """None for a variable: only its file is known."""
    definitions: int | None
    """How many functions or types have this name; None for a variable."""
    occurrences: int
    """How often the name stands in the code, definitions included."""


class Glossary:
    """The names of some files, by name and kind, ready to be searched."""

    def __init__(self, files: Sequence[FileFacts]) -> None:
        self._facts = _facts(files)
        self._paths = [file.path for file in files]
        self.entries = tuple(sorted(_entries(files), key=lambda it: (it.name, it.kind)))
        self.index = NameIndex([entry.name for entry in self.entries])

    def holds(self, files: Sequence[FileFacts]) -> bool:
        """Whether these files still have the same names."""
        facts = _facts(files)
        return (
            len(facts) == len(self._facts)
            and all(map(is_, facts, self._facts))
            and [file.path for file in files] == self._paths
        )


_glossaries: deque[Glossary] = deque(maxlen=_MOST_GLOSSARIES)
_remembering = Lock()


def glossary_of(files: Sequence[FileFacts]) -> Glossary:
    """Return the names of files, those from before if the files are as they were."""
    with _remembering:
        known = list(_glossaries)
    for glossary in known:
        if glossary.holds(files):
            return glossary
    made = Glossary(files)
    with _remembering:
        _glossaries.append(made)
    return made


def _facts(files: Iterable[FileFacts]) -> list[AnySection]:
    """Return what names come from; the index keeps these as long as a file does not change."""
    return [section for file in files for section in (file.outline, file.links)]


def _entries(files: Sequence[FileFacts]) -> Iterator[Entry]:
    occurrences: Counter[str] = Counter()
    for file in files:
        occurrences.update(file.links.references)
    defined: dict[tuple[str, NameKind], list[tuple[str, int]]] = {}
    for file in files:
        for name, kind, line in _definitions(file):
            defined.setdefault((name, kind), []).append((file.path, line))
    for (name, kind), places in defined.items():
        path, line = min(places)
        count = max(occurrences[name], len(places))
        yield Entry(name, kind, path, line, len(places), count)
    yield from _variables(files, occurrences, {name for name, _ in defined})


def _definitions(file: FileFacts) -> Iterator[tuple[str, NameKind, int]]:
    for function in file.outline.functions:
        yield function.name.rpartition(".")[2], "function", function.line
    for it in file.outline.types:
        yield it.name.rpartition(".")[2], "type", it.line


def _variables(
    files: Sequence[FileFacts], occurrences: Counter[str], defined: set[str]
) -> Iterator[Entry]:
    """Yield the other identifiers, but for what is called or imported anywhere.

    What is left are variables, fields, parameters and constants.
    """
    others = {name for file in files for name in _from_elsewhere(file.links)}
    most: dict[str, tuple[int, str]] = {}
    for file in files:
        for name, count in file.links.references.items():
            if name not in defined and name not in others and count > most.get(name, (0, ""))[0]:
                most[name] = (count, file.path)
    for name, (_, path) in most.items():
        yield Entry(name, "variable", path, None, None, occurrences[name])


def _from_elsewhere(links: Links) -> Iterator[str]:
    for called in links.calls:
        for name in called:
            yield name.rpartition(".")[2]
    for it in links.imports:
        yield from it.names
        yield from it.aliases
