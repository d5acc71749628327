"""The files of a project by language, and how to look at them."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from benchpin.engines.source.imports import ProjectFiles, ReadFile, nearest
from benchpin.engines.source.index import FileFacts

from .model import Place
from .texts import Texts

C_FAMILY = ("c", "cpp")
JAVASCRIPT = ("javascript", "typescript", "tsx")
JVM = ("java", "kotlin")
_WORDS = re.compile(r"[a-z0-9]{3,}")


class Scan:
    """What finders of references look at."""

    def __init__(self, files: Sequence[FileFacts], read: ReadFile) -> None:
        self._files = files
        self._read = read
        self.texts = Texts(read)
        self._by_language: defaultdict[str, list[FileFacts]] = defaultdict(list)
        for file in sorted(files, key=lambda it: it.path):
            self._by_language[file.language].append(file)

    def of(self, *languages: str) -> list[FileFacts]:
        """Return the files in some languages, by language and path."""
        return [file for language in languages for file in self._by_language[language]]

    def naming(self, names: Collection[str], *languages: str) -> list[FileFacts]:
        """Return the files in whose code one of some identifiers occurs."""
        wanted = frozenset(names)
        return [
            it for it in self.of(*languages) if not it.links.references.keys().isdisjoint(wanted)
        ]

    @cached_property
    def project(self) -> ProjectFiles:
        """The files as those see them who resolve imports."""
        return ProjectFiles(self._files, self._read)

    @cached_property
    def c_functions(self) -> dict[str, list[Place]]:
        """Every function of C and C++ by its last name, also those that are not visible."""
        found: defaultdict[str, list[Place]] = defaultdict(list)
        for file in self.of(*C_FAMILY):
            for function in file.outline.functions:
                name = function.name.rpartition(".")[2].rpartition(":")[2]
                found[name].append(Place(file.path, function.line, file.language))
        return found


def closest(places: Iterable[Place], path: str, hint: str = "") -> Place | None:
    """Return the place that shares most folders with a path, and then most words.

    By their words `_psosx.py` belongs to `arch/osx/proc.c` and not to `arch/aix/proc.c`. What is
    said in the hint counts among the words too.
    """
    known = sorted(places)
    if len(known) < 2:  # noqa: PLR2004 - nothing to choose from
        return known[0] if known else None
    best = frozenset(nearest([it.path for it in known], path))
    near = f"{path} {hint}".lower()
    return max(
        (it for it in known if it.path in best),
        key=lambda it: sum(word in near for word in _WORDS.findall(it.path.lower())),
    )
