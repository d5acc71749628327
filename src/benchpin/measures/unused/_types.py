"""Find the types that code refers to: as bases, and as those of methods written elsewhere."""

import re
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from ._file_uses import KINDS, NONE, TYPE
from ._inheritance import Inheritance, base_name, origin_of

if TYPE_CHECKING:
    from ._program import LiveProgram


class TypeSearch:
    """Finds types by their names."""

    def __init__(self, program: "LiveProgram") -> None:
        self._program = program
        self._known: dict[tuple[int, str], list[int]] = {}
        """The types that a base refers to, by its file and text."""

    def inheritance(self) -> Inheritance:
        """Find which types inherit from which."""
        parents: dict[int, list[int]] = {}
        foreign: dict[int, list[str]] = {}
        for file, uses in enumerate(self._program.uses):
            first = self._program.first[file] + 1
            for at, bases in uses.bases.items():
                parents[first + at] = its_parents = []
                foreign[first + at] = its_foreign = []
                for base, module in bases:
                    found = self._find_bases(first + at, file, base, module)
                    its_parents += found
                    if not found:
                        its_foreign.append(origin_of(base, module))
        return Inheritance(parents, foreign, self._program.methods_of)

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        """The types by their name."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, kind in enumerate(self._program.kinds):
            if kind & KINDS == TYPE:
                found[self._program.name(number)].append(number)
        return found

    def _find_bases(self, heir: int, file: int, base: str, module: str | None) -> list[int]:
        """Return the types that a base may refer to, found once for all types of a file."""
        last = base_name(base).rpartition(".")[2]
        if last not in self._by_name:
            return []
        if last == self._program.name(heir):  # a type is not its own base
            return self._search_bases(heir, file, base, module)
        key = (file, base)
        if key not in self._known:
            self._known[key] = self._search_bases(heir, file, base, module)
        return self._known[key]

    def _search_bases(self, heir: int, file: int, base: str, module: str | None) -> list[int]:
        """Find the types that a base may refer to, preferring the same file, module or folder."""
        rules, name, files = self._program.rules[file], base_name(base), self._program.files_of
        if rules.has_modules and module is not None and module.split(".")[0] not in self._top_names:
            return []
        found = [
            it
            for it in self._by_name[name.rpartition(".")[2]]
            if it != heir and self._program.rules[files[it]] is rules
        ]
        if "." not in name and (here := [it for it in found if files[it] == file]):
            return here
        if module:
            # A common name such as Meta has a thousand types, and as many files ask for each.
            near = self._files_by_part.get(re.split(r"[./]", module)[-1], set())
            return [it for it in found if files[it] in near] or found
        return [it for it in found if self._folder(files[it]) == self._folder(file)] or found

    def _folder(self, file: int) -> str:
        return self._program.paths[file].rpartition("/")[0]

    @cached_property
    def _top_names(self) -> set[str]:
        """The names at which the path of a module may begin: those that are in no package."""
        packages = {
            folder
            for path, rules in zip(self._program.paths, self._program.rules, strict=True)
            for folder, _, name in (path.rpartition("/"),)
            if name == rules.package_file
        }
        found: set[str] = set()
        seen: set[str] = set()
        for path in self._program.paths:
            at = path.rpartition(".")[0]
            # The folders above one that was seen were seen with it.
            while at and at not in seen:
                seen.add(at)
                above, _, name = at.rpartition("/")
                if above not in packages:
                    found.add(name)
                at = above
        return found

    @cached_property
    def _files_by_part(self) -> dict[str, set[int]]:
        """The files by the names of the folders around them and their own, without extensions."""
        found: defaultdict[str, set[int]] = defaultdict(set)
        for file, path in enumerate(self._program.paths):
            for part in path.rpartition(".")[0].split("/"):
                found[part].add(file)
        return found

    def assign_methods(self) -> None:
        """Set the owner of methods that are written outside their type, as in Go, Rust and C++."""
        files = self._program.files_of
        for file, uses in enumerate(self._program.uses):
            for at, qualifier in uses.qualifiers.items():
                rules, owner = self._program.rules[file], NONE
                found = [
                    a
                    for a in self._by_name.get(qualifier, ())
                    if self._program.rules[files[a]] is rules
                ]
                near = [a for a in found if files[a] == file] or [
                    a for a in found if self._folder(files[a]) == self._folder(file)
                ]
                if near or len(found) == 1:
                    owner = (near or found)[0]
                self._program.owners[self._program.first[file] + 1 + at] = owner
