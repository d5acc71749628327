"""The files of a project as navigation sees them, each read when it is first asked for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec

from benchpin.facts import FileFacts, languages
from benchpin.facts.imports import Resolution
from benchpin.facts.store import OnDemandSections

from ._module import Module

# Returns where the imports of a file lead.
Leads = Callable[[str], Sequence[Resolution]]


class Modules(Mapping[str, Module]):
    """Modules by path; one object each, as symbols are compared by identity."""

    def __init__(
        self,
        files: Mapping[str, FileFacts],
        leads: Leads,
        made: Mapping[str, Module] = MappingProxyType({}),
        before: "Modules | None" = None,
    ) -> None:
        """Take files; those that are not in `made` are shared with `before`, if there is one."""
        self.files = files
        self._leads = leads
        self._made = dict(made)
        self._before = before

    def __getitem__(self, path: str) -> Module:
        """Return a module, with its outline and links in memory."""
        known = self._made.get(path)
        # Of two threads that make one, both get the same.
        return known or self._made.setdefault(path, self._make(path))

    def _make(self, path: str) -> Module:
        file = self.files[path]
        if self._before is not None:
            return self._before[path]
        return Module(in_memory(file), self._leads(path))

    def __iter__(self) -> Iterator[str]:
        """Yield the paths."""
        return iter(self.files)

    def __len__(self) -> int:
        """Return how many files there are."""
        return len(self.files)

    def __contains__(self, path: object) -> bool:
        """Whether there is a file; it is not read."""
        return path in self.files

    def family(self, path: str) -> str:
        """Return the family of the language of a file, which is not read."""
        return languages.family_of(self.files[path].language)

    def leads(self, path: str) -> tuple[Resolution, ...]:
        """Return where the imports of a file lead, which is not read."""
        known = self._made.get(path)
        if known is not None:
            return known.leads
        return tuple(self._leads(path)) if self._before is None else self._before.leads(path)

    def with_modules(self, changed: Mapping[str, Module | None]) -> "Modules":
        """Return the modules after some changed; None for one that is gone. The rest is shared."""
        made = {path: it for path, it in changed.items() if it is not None}
        gone = changed.keys() - made.keys()
        files = {path: it for path, it in self.files.items() if path not in gone}
        files |= {path: it.facts for path, it in made.items()}
        return Modules(files, self._leads, made, self)


def in_memory(file: FileFacts) -> FileFacts:
    """Return a file whose outline and links are in memory."""
    if isinstance(file.sections, OnDemandSections):
        return msgspec.structs.replace(file, sections=file.sections.holding("outline", "links"))
    return file
