"""The definitions of a workspace, who uses which name, and which types inherit from which."""

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import TypeVar, cast

from benchpin.facts import FileFacts
from benchpin.facts.liveness import (
    HINTED,
    MENTIONED,
    SURE,
    Definition,
    ForeignUse,
    LivenessRules,
    NamesOutsideCode,
    SharedByName,
    SharedNames,
    TokenView,
    rules_of,
)
from benchpin.workspace.walking import is_test_path

from ._columns import NONE, Columns
from ._definitions import Definitions, TokenViews
from ._file_uses import (
    BARE,
    CONTRACT,
    IMPORTED,
    MEMBER,
    PUBLIC,
    STRING,
    TEXT,
    TOP_LEVEL,
    UseKind,
    uses_among,
)
from ._inheritance import Inheritance, base_name, origin_of
from ._name_index import ComposedNames, UseIndex
from ._name_uses import WorkspaceUses

T = TypeVar("T")


class ProgramUses:
    """The `ProgramView` of a workspace, and how strongly its code uses each definition."""

    def __init__(
        self,
        files: Sequence[FileFacts],
        uses: WorkspaceUses,
        columns: Columns,
        index: UseIndex,
        outside: NamesOutsideCode,
        foreign_uses: Iterable[ForeignUse] = (),
        *,
        is_closed: bool = False,
    ) -> None:
        """Know the files and what they use, and the ids of their definitions.

        With `is_closed`, nothing outside the workspace uses what is public.
        """
        self.files = files
        self.columns = columns
        self.index = index
        self.outside = outside
        self.is_closed = is_closed
        self.foreign_uses: defaultdict[str, list[ForeignUse]] = defaultdict(list)
        for use in foreign_uses:
            self.foreign_uses[use.path].append(use)
        self.rules: list[LivenessRules] = [rules_of(file.language) for file in files]
        self.is_test = [is_test_path(file.path) for file in files]
        self.views: Sequence[TokenView] = TokenViews(files)
        self.names = uses.names
        self.uses = [uses.files[file.path][1] for file in files]
        self.definitions = Definitions(files, columns)
        self._bases: dict[tuple[int, str], list[int]] = {}
        self._composed_names: dict[LivenessRules, ComposedNames] = {}
        self._shared: dict[SharedNames, SharedByName] = {}
        self._in_files: dict[object, object] = {}
        self.uses_of = cache(self._uses_of)
        self.methods_of = cache(self._methods_of)
        self._places = cache(self._places_in)
        self._assign_methods()

    def rules_for(self, definition: Definition) -> LivenessRules:
        """Return the rules of the language of a definition."""
        return self.rules[definition.file]

    def has_foreign_use(self, definition: Definition) -> bool:
        """Whether code in another language uses a definition."""
        return any(
            it.name == definition.name or it.line == definition.line
            for it in self.foreign_uses.get(definition.path, ())
        )

    def implements(self, definition: Definition) -> bool:
        """Whether a definition implements an interface."""
        file = definition.file
        return definition.id - self.columns.first[file] - 1 in self.uses[file].implementing

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each name, by which uses are kept."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def used_names(self) -> Collection[str]:
        """The names that any code uses, whatever they refer to."""
        counts = array("I", self.index.counts)
        return {name for name, count in zip(self.names, counts, strict=True) if count}

    def _uses_of(self, file: int) -> dict[int, "array[int]"]:
        first = self.columns.first[file] - TOP_LEVEL
        return {first + code: names for code, names in self.uses[file].by_context().items()}

    def uses_in(self, code: int, wanted: Container[int]) -> list[tuple[int, UseKind]]:
        """Return those of some names that code uses, and how; names are given by number."""
        return uses_among(self.uses_of(self.columns.files[code]).get(code, ()), wanted)

    def users_in(
        self, files: Iterable[int], wanted: Container[int]
    ) -> Iterator[tuple[int, int, UseKind]]:
        """Yield the code in some files that uses one of some names, with the name and how."""
        for file in files:
            for code, entries in self.uses_of(file).items():
                for number, kind in uses_among(entries, wanted):
                    yield code, number, kind

    def place_of(self, code: int) -> tuple[int, int]:
        """Return the file of some code, and a checksum of its qualified name."""
        file = self.columns.files[code]
        at = code - self.columns.first[file] - 1
        return file, NONE if at < 0 else self._places(file)[at]

    def _places_in(self, file: int) -> "array[int]":
        return array("I", self.uses[file].places)

    def owner(self, definition: Definition) -> Definition | None:
        """Return the definition that encloses another; for a method, its type."""
        owner = self.columns.owners[definition.id]
        return None if owner == NONE else self.definitions[owner]

    def once_in_file(self, file: int, compute: Callable[[TokenView], T], /) -> T:
        """Return what a function computes from the tokens of a file, computed only once."""
        key = (file, compute)
        if key not in self._in_files:
            self._in_files[key] = compute(self.views[file])
        return cast("T", self._in_files[key])

    def shared(self, names: SharedNames, /) -> SharedByName:
        """Return what all files of the languages of a rule have in common."""
        if names not in self._shared:
            by_path = {
                file.path: uses.shared[rules.shared.index(names)]
                for file, uses, rules in zip(self.files, self.uses, self.rules, strict=True)
                if names in rules.shared
            }
            self._shared[names] = names.combine(by_path, self.outside)
        return self._shared[names]

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """What each definition encloses."""
        return self.columns.members()

    def _methods_of(self, type_id: int) -> dict[str, int]:
        """Return the methods of a type by name."""
        columns = self.columns
        members = self.members.get(type_id, ())
        return {
            self.names[columns.names[number]]: number
            for number in members
            if columns.is_method(number)
        }

    def public_methods(self, type_id: int) -> set[str]:
        """Return the names of the public methods of a type."""
        kinds = self.columns.kinds
        return {name for name, at in self.methods_of(type_id).items() if kinds[at] & PUBLIC}

    def in_order(self, ids: Iterable[int]) -> list[int]:
        """Sort definitions by their place."""
        files = self.columns.files
        return sorted(ids, key=lambda it: (files[it], it))

    def recall_inheritance(
        self, parents: dict[int, list[int]], foreign: dict[int, list[str]]
    ) -> None:
        """Take over which types inherit from which, if that is known from before."""
        self.__dict__["inheritance"] = self._inherit(parents, foreign)

    def recall_shared(self, names: SharedNames, shared: SharedByName) -> None:
        """Take over what files have in common, if that is known from before."""
        self._shared[names] = shared

    def recall_composed(self, rules: LivenessRules, names: ComposedNames) -> None:
        """Take over the parts of composed names, if they are known from before."""
        self._composed_names[rules] = names

    def _inherit(self, parents: dict[int, list[int]], foreign: dict[int, list[str]]) -> Inheritance:
        return Inheritance(parents, foreign, self.methods_of, self.in_order)

    @cached_property
    def inheritance(self) -> Inheritance:
        """Which types inherit from which."""
        parents: dict[int, list[int]] = {}
        foreign: dict[int, list[str]] = {}
        for file, uses in enumerate(self.uses):
            first = self.columns.first[file] + 1
            for at, bases in uses.bases.items():
                parents[first + at] = its_parents = []
                foreign[first + at] = its_foreign = []
                for base, module in bases:
                    found = self._find_bases(first + at, file, base, module)
                    its_parents += found
                    if not found:
                        its_foreign.append(origin_of(base, module))
        return self._inherit(parents, foreign)

    @cached_property
    def _types(self) -> dict[int, list[int]]:
        """The types by the number of their name."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        columns = self.columns
        for number in columns.all_ids():
            if columns.is_type(number):
                found[columns.names[number]].append(number)
        return found

    def _find_bases(self, heir: int, file: int, base: str, module: str | None) -> list[int]:
        """Return the types that a base may refer to, found once for all types of a file."""
        last = self.numbers.get(base_name(base).rpartition(".")[2])
        if last is None:
            return []
        if last == self.columns.names[heir]:  # a type is not its own base
            return self._search_bases(heir, file, base, module)
        key = (file, base)
        if key not in self._bases:
            self._bases[key] = self._search_bases(heir, file, base, module)
        return self._bases[key]

    def _search_bases(self, heir: int, file: int, base: str, module: str | None) -> list[int]:
        """Find the types that a base may refer to, preferring the same file, module or folder."""
        rules, name, files = self.rules[file], base_name(base), self.columns.files
        if rules.has_modules and module is not None and module.split(".")[0] not in self._top_names:
            return []
        found = [
            it
            for it in self._types.get(self.numbers[name.rpartition(".")[2]], ())
            if it != heir and self.rules[files[it]] is rules
        ]
        if "." not in name and (here := [it for it in found if files[it] == file]):
            return here
        if module:
            last = re.split(r"[./]", module)[-1]
            return [it for it in found if last in self._path_parts(files[it])] or found
        return [it for it in found if self._folder(files[it]) == self._folder(file)] or found

    def _folder(self, file: int) -> str:
        return self.files[file].path.rpartition("/")[0]

    @cached_property
    def _top_names(self) -> frozenset[str]:
        """The names at which the path of a module may begin: those that are in no package."""
        found: set[str] = set()
        packages = {
            folder
            for file, rules in zip(self.files, self.rules, strict=True)
            for folder, _, name in (file.path.rpartition("/"),)
            if name == rules.package_file
        }
        for file in self.files:
            parts = file.path.rpartition(".")[0].split("/")
            found |= {name for at, name in enumerate(parts) if "/".join(parts[:at]) not in packages}
        return frozenset(found)

    def _path_parts(self, file: int) -> list[str]:
        """Return the names of the folders of a file and its own, without the extension."""
        return self.files[file].path.rpartition(".")[0].split("/")

    def composed_names(self, rules: LivenessRules) -> ComposedNames:
        """Return the parts of names that code of a language composes at run time."""
        parts = self._composed_names.get(rules)
        if parts is None:
            parts = self._composed_names[rules] = ComposedNames({}, {}, {})
            for file, uses, its_rules in zip(self.files, self.uses, self.rules, strict=True):
                if its_rules is rules:
                    parts.prefixes.update(dict.fromkeys(uses.prefixes, file.path))
                    parts.suffixes.update(dict.fromkeys(uses.suffixes, file.path))
                    parts.looked_up.update(dict.fromkeys(uses.looked_up, file.path))
        return parts

    @cached_property
    def self_lookup_types(self) -> frozenset[int]:
        """Types whose objects look up their own members by name, with ancestors and descendants."""
        found: set[int] = set()
        columns = self.columns
        for file, uses in enumerate(self.uses):
            for code in uses.self_lookups:
                at = columns.first[file] + 1 + code
                while at >= 0 and not columns.is_type(at):
                    at = columns.owners[at]
                if at >= 0:
                    found |= self.inheritance.relatives(at)
        return frozenset(found)

    def strength(self, target: int, code: int, kind: UseKind) -> float:
        """Return how strongly code that has its name uses a definition; 0 if it means another."""
        return 0.0 if self.columns.is_within(code, target) else self.reach(target, code, kind)

    def reach(self, target: int, code: int, kind: UseKind) -> float:
        """Return the strength of a use by code that is not inside the definition itself."""
        if kind & (BARE | MEMBER) and self._is_reached(target, code, kind):
            return SURE
        return MENTIONED if kind & STRING else HINTED if kind & TEXT else 0.0

    def reached_alike(self, target: int) -> tuple[LivenessRules, bool, bool, int, int]:
        """Return what decides how strongly other files use a definition, besides its name."""
        columns = self.columns
        file, owner = columns.files[target], columns.owners[target]
        rules, is_method = self.rules[file], columns.is_method(target)
        is_local = self.is_local(target)
        if owner == NONE:
            return rules, is_local, is_method, NONE, NONE
        # A type in another file may use its own members in ways that others cannot.
        elsewhere = NONE if columns.files[owner] == file else owner
        return rules, is_local, is_method, columns.kind(owner), elsewhere

    def is_local(self, target: int) -> bool:
        """Whether only its own file can use a definition."""
        is_local = self.rules[self.columns.files[target]].is_local
        return is_local is not None and is_local(self.definitions[target], self)

    def _is_reached(self, target: int, code: int, kind: UseKind) -> bool:
        columns = self.columns
        file, home = columns.files[code], columns.files[target]
        rules = self.rules[home]
        if self.rules[file] is not rules:
            return False
        if file != home and self.is_local(target):
            return False
        if not rules.has_modules:
            return kind & MEMBER > 0 or not columns.is_method(target) or rules.has_bare_members
        owner = columns.owners[target]
        if owner != NONE and not columns.is_type(owner):
            return kind & BARE > 0 and columns.is_within(code, owner)
        if kind & MEMBER:
            return True
        if owner != NONE:
            # In the owner itself, and in an interface, which declares members of other types.
            return columns.is_type(code) and (code == owner or columns.kinds[code] & CONTRACT > 0)
        return file == home or kind & IMPORTED > 0

    @cached_property
    def spread_types(self) -> frozenset[int]:
        """Types with a method in another file, and what encloses them."""
        columns = self.columns
        found: set[int] = set()
        for file, uses in enumerate(self.uses):
            for at in uses.qualifiers:
                owner = columns.owners[columns.first[file] + 1 + at]
                while owner >= 0:
                    if columns.files[owner] != file:
                        found.add(owner)
                    owner = columns.owners[owner]
        return frozenset(found)

    def _assign_methods(self) -> None:
        """Set the owner of methods that are written outside their type, as in Go, Rust and C++."""
        columns = self.columns
        for file, uses in enumerate(self.uses):
            for at, qualifier in uses.qualifiers.items():
                rules, owner = self.rules[file], NONE
                found = [
                    a
                    for a in self._types.get(self.numbers.get(qualifier, NONE), ())
                    if self.rules[columns.files[a]] is rules
                ]
                near = [a for a in found if columns.files[a] == file] or [
                    a for a in found if self._folder(columns.files[a]) == self._folder(file)
                ]
                if near or len(found) == 1:
                    owner = (near or found)[0]
                columns.owners[columns.first[file] + 1 + at] = owner
