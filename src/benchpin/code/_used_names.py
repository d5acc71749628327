"""Which files use and import each name, known without reading the files."""

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from benchpin.code.names import Module, Postings
from benchpin.facts import FileFacts


class UsedNames(msgspec.Struct, frozen=True, array_like=True):
    """The names in the files of a project; the numbers are positions in `paths`."""

    paths: list[str]
    references: Postings
    """Of identifiers in the code."""
    imported: Postings
    """Of names that are imported from somewhere."""
    aliases: dict[str, list[str]]
    """What imported names are called where that is another name."""


def used_in(modules: Mapping[str, Module]) -> UsedNames:
    """Return the names in files."""
    references: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    imported: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
    aliases: defaultdict[str, set[str]] = defaultdict(set)
    for number, module in enumerate(modules.values()):
        for name in module.facts.links.references:
            references[name].append(number)
        names = dict(imported_names(module.facts))
        for name in names:
            imported[name].append(number)
        for name, alias in imported_names(module.facts):
            if alias != name:
                aliases[name].add(alias)
    return UsedNames(
        list(modules),
        Postings.of(references),
        Postings.of(imported),
        {name: sorted(it) for name, it in sorted(aliases.items())},
    )


def imported_names(file: FileFacts) -> Iterator[tuple[str, str]]:
    """Yield the names that a file imports, and what it calls them."""
    for imported in file.links.imports:
        yield from zip(imported.names, imported.aliases or imported.names, strict=False)
