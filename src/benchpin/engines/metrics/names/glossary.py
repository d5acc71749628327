"""The names of a project: what is called what, and where."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import is_
from threading import Lock
from typing import Literal

from benchpin.core import Job
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

    def __init__(self, files: Sequence[FileFacts], job: Job) -> None:
        """Collect the names.

        Raises:
            Cancelled: when the job was cancelled.
        """
        self._facts = _facts(files)
        self._paths = [file.path for file in files]
        draft = _Draft()
        for file in job.each(files, "files"):
            draft.add(file)
        self.entries = tuple(sorted(draft.entries(), key=lambda it: (it.name, it.kind)))
        job.check()
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


def glossary_of(files: Sequence[FileFacts], job: Job) -> Glossary:
    """Return the names of files, those from before if the files are as they were.

    Raises:
        Cancelled: when the job was cancelled.
    """
    with _remembering:
        known = list(_glossaries)
    for glossary in known:
        if glossary.holds(files):
            return glossary
    made = Glossary(files, job)
    if not job.missing:
        with _remembering:
            _glossaries.append(made)
    return made


def _facts(files: Iterable[FileFacts]) -> list[AnySection]:
    """Return what names come from; the index keeps these as long as a file does not change."""
    return [section for file in files for section in (file.outline, file.links)]


class _Draft:
    """What was seen so far."""

    def __init__(self) -> None:
        self._occurrences: Counter[str] = Counter()
        self._defined: dict[tuple[str, NameKind], list[tuple[str, int]]] = {}
        self._most: dict[str, tuple[int, str]] = {}
        self._from_elsewhere: set[str] = set()

    def add(self, file: FileFacts) -> None:
        """Add the names of a file."""
        for name, kind, line in _definitions(file):
            self._defined.setdefault((name, kind), []).append((file.path, line))
        links = file.links
        self._occurrences.update(links.references)
        for name, count in links.references.items():
            if count > self._most.get(name, (0, ""))[0]:
                self._most[name] = (count, file.path)
        self._from_elsewhere.update(_called(links))
        for it in links.imports:
            self._from_elsewhere.update(it.names, it.aliases)

    def entries(self) -> Iterator[Entry]:
        """Yield what was defined, and then the other identifiers.

        Without those that are called or imported, these are variables, fields, parameters and
        constants.
        """
        for (name, kind), places in self._defined.items():
            path, line = min(places)
            count = max(self._occurrences[name], len(places))
            yield Entry(name, kind, path, line, len(places), count)
        others = self._from_elsewhere | {name for name, _ in self._defined}
        for name, (_, path) in self._most.items():
            if name not in others:
                yield Entry(name, "variable", path, None, None, self._occurrences[name])


def _definitions(file: FileFacts) -> Iterator[tuple[str, NameKind, int]]:
    for function in file.outline.functions:
        yield function.name.rpartition(".")[2], "function", function.line
    for it in file.outline.types:
        yield it.name.rpartition(".")[2], "type", it.line


def _called(links: Links) -> Iterator[str]:
    return (name.rpartition(".")[2] for called in links.calls for name in called)
