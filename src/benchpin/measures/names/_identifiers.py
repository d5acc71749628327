"""The identifiers of a project: functions, types and variables, and where they are."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Links
from benchpin.memory import Inputs, Measure
from benchpin.system.processes import require_extra

from ._similarity import NameIndex, compare_names

NameKind = Literal["function", "type", "variable"]
KINDS: tuple[NameKind, ...] = ("function", "type", "variable")
# Scores are published with this many digits, and ordered by these, not by noise below them.
DIGITS = 3


@dataclass(frozen=True, slots=True)
class Identifier:
    """A name of one kind, however many functions, types or variables have it."""

    name: str
    kind: NameKind
    file: str
    """Where it is first defined; for a variable, where it occurs most."""
    line: int | None
    """None for a variable: only its file is known."""
    definitions: int | None
    """How many functions or types have this name; None for a variable."""
    occurrences: int
    """How often the name occurs in the code, definitions included."""


@dataclass(frozen=True)
class IdentifierIndex:
    """Identifiers by name and kind, and their names in the same order, ready to be searched."""

    identifiers: tuple[Identifier, ...]

    @cached_property
    def names(self) -> NameIndex:
        """The names in the order of the identifiers; not kept on disk, as it is made of arrays."""
        return NameIndex([it.name for it in self.identifiers])


def index_identifiers(files: Sequence[FileFacts], job: Job) -> IdentifierIndex:
    """Return the identifiers of files, which need `links`.

    Raises:
        DependencyMissing: without the extra.
    """
    require_extra("measures", "The search for similar names")
    collector = _Collector()
    for file in job.each(files, "files"):
        collector.add(file)
    found = sorted(collector.identifiers(), key=lambda it: (it.name, it.kind))
    job.check()
    return IdentifierIndex(tuple(found))


IDENTIFIERS = Measure[Inputs, None, IdentifierIndex](
    "identifiers",
    IdentifierIndex,
    lambda inputs, _options: index_identifiers(inputs.read("links").files, inputs.selection.job),
)


class _Collector:
    """Collects the names of files."""

    def __init__(self) -> None:
        self._occurrences: Counter[str] = Counter()
        self._definitions: dict[tuple[str, NameKind], list[tuple[str, int]]] = {}
        # For each name, how often it occurs in the file where it occurs most, and that file.
        self._most: dict[str, tuple[int, str]] = {}
        self._called_or_imported: set[str] = set()

    def add(self, file: FileFacts) -> None:
        for name, kind, line in _definitions(file):
            self._definitions.setdefault((name, kind), []).append((file.path, line))
        links = file.links
        self._occurrences.update(links.references)
        for name, count in links.references.items():
            if count > self._most.get(name, (0, ""))[0]:
                self._most[name] = (count, file.path)
        self._called_or_imported.update(_called(links))
        for imported in links.imports:
            self._called_or_imported.update(imported.names, imported.aliases)

    def identifiers(self) -> Iterator[Identifier]:
        """Yield functions and types, then variables.

        A variable is a name that is neither defined as a function or type nor called or imported:
        also fields, parameters and constants.
        """
        for (name, kind), places in self._definitions.items():
            path, line = min(places)
            count = max(self._occurrences[name], len(places))
            yield Identifier(name, kind, path, line, len(places), count)
        others = self._called_or_imported | {name for name, _ in self._definitions}
        for name, (_, path) in self._most.items():
            if name not in others:
                yield Identifier(name, "variable", path, None, None, self._occurrences[name])


def _definitions(file: FileFacts) -> Iterator[tuple[str, NameKind, int]]:
    for function in file.outline.functions:
        yield function.name.rpartition(".")[2], "function", function.line
    for declared_type in file.outline.types:
        yield declared_type.name.rpartition(".")[2], "type", declared_type.line


def _called(links: Links) -> Iterator[str]:
    return (name.rpartition(".")[2] for called in links.calls for name in called)


# Find the names of a project that are similar to a given one.


@dataclass(frozen=True, slots=True)
class NameMatch:
    """An identifier that is similar to the query."""

    identifier: Identifier
    score: float
    """From 0 to 1, rounded."""


@dataclass(frozen=True, slots=True)
class SimilarName:
    """A name that is similar to the query, and why."""

    name: str
    kind: NameKind
    score: float
    """From 0 to 1: 0.4 · meaning + 0.3 · spelling + 0.3 · words, less a quarter of the contrast."""
    meaning: float | None
    """From 0 to 1, by the words that occur near its words in code; None if no word is known."""
    spelling: float
    """From 0 to 1: one less the share of letters to change; 1 for the same words in any style."""
    words: float
    """From 0 to 1: the share of words that both have; an abbreviation counts as its word."""
    contrast: float
    """From 0 to 1: how often one file has names that differ in just these opposed words."""
    opposed_words: tuple[str, ...] | None
    """Such as min and max, which are near and never mean the same; None if there are none."""
    sounds_alike: bool
    shared_words: tuple[str, ...]
    file: str
    """Where it is first defined; for a variable, where it occurs most."""
    line: int | None
    definitions: int | None
    """How many functions or types have this name; None for a variable."""
    occurrences: int


def find_similar(
    query: str,
    index: IdentifierIndex,
    kinds: Collection[NameKind],
    *,
    min_score: float,
    phonetic: bool,
) -> list[NameMatch]:
    """Return the identifiers similar to a query, most similar first, then by name and kind."""
    scores = index.names.scores(query, phonetic=phonetic)
    near = (scores >= min_score).nonzero()[0].tolist()
    found = [
        NameMatch(index.identifiers[place], round(float(scores[place]), DIGITS))
        for place in near
        if index.identifiers[place].kind in kinds
    ]
    return sorted(found, key=lambda it: (-it.score, it.identifier.name, it.identifier.kind))


def explain(query: str, match: NameMatch) -> SimilarName:
    """Return a match and the parts of its score; compares the names again, so only for a page."""
    identifier = match.identifier
    why = compare_names(query, identifier.name)
    return SimilarName(
        name=identifier.name,
        kind=identifier.kind,
        score=match.score,
        meaning=None if why.meaning is None else round(why.meaning, DIGITS),
        spelling=round(why.spelling, DIGITS),
        words=round(why.words, DIGITS),
        contrast=round(why.contrast, DIGITS),
        opposed_words=why.opposed_words,
        sounds_alike=why.sounds_alike,
        shared_words=why.shared_words,
        file=identifier.file,
        line=identifier.line,
        definitions=identifier.definitions,
        occurrences=identifier.occurrences,
    )
