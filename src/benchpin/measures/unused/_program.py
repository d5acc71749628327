"""The definitions of a workspace, who uses which name, and which types inherit from which.

Definitions and the code outside of them have ids, file by file: first the code that is in no
definition, then the definitions in their order. What is known of them is in arrays by id.
"""

import sys
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import accumulate, chain, compress
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

from ._composed import ComposedNames
from ._definitions import TokenViews
from ._file_uses import (
    BARE,
    CONTRACT,
    IMPLEMENTING,
    IMPORTED,
    KINDS,
    LOCAL,
    MAYBE_LOCAL,
    MEMBER,
    METHOD,
    NONE,
    PUBLIC,
    STRING,
    TEXT,
    TYPE,
    FileUses,
    FileVerdict,
    UseKind,
)
from ._inheritance import Inheritance
from ._types import TypeSearch

T = TypeVar("T")

_NO_NAME = 0xFFFF_FFFF
# Marks the ways in which code uses a name, as opposed to texts.
_IN_CODE = bytes(bool(it & (BARE | MEMBER)) for it in range(256))


class LiveProgram(Mapping[int, Definition]):
    """The `ProgramView` of a workspace; as a mapping, its definitions by id."""

    def __init__(
        self,
        files: Sequence[FileFacts],
        uses: Sequence[FileUses],
        words: list[str],
        outside: NamesOutsideCode,
        foreign_uses: Iterable[ForeignUse] = (),
        *,
        is_closed: bool = False,
    ) -> None:
        """Know the files and what they use.

        The facts of `files` are only read where a rule wants them: they may be loaded on demand.
        With `is_closed`, nothing outside the workspace uses what is public.
        """
        self.files = files
        self.paths = [file.path for file in files]
        self.views: Sequence[TokenView] = TokenViews(files)
        self.uses = uses
        self.words = words
        self.outside = outside
        self.is_closed = is_closed
        self.rules: list[LivenessRules] = [rules_of(it.language) for it in uses]
        self.is_test = [it.is_test for it in uses]
        self._foreign: defaultdict[str, list[ForeignUse]] = defaultdict(list)
        for use in foreign_uses:
            self._foreign[use.path].append(use)
        self._once: dict[object, object] = {}
        self._shared: dict[SharedNames, SharedByName] = {}
        # Caches as attributes, not as decorators, which would keep each program for ever.
        self.methods_of = cache(self._methods_of)
        self.names_in = cache(self._names_in)
        self.is_handed_over = cache(self._is_handed_over)
        self.composed = cache(self._composed)
        self._defined = cache(self._define)
        self._number_all()
        self._types = TypeSearch(self)
        self._types.assign_methods()

    def _number_all(self) -> None:
        """Join the columns of all files: whole arrays at a time, as there are millions of uses."""
        uses = self.uses
        self.first: list[int] = [*accumulate((len(it.kinds) + 1 for it in uses), initial=0)]
        """For each file, the id of its code that is in no definition."""
        # The code that is in no definition has the kind `TOP`, no name and no owner.
        self.kinds = b"".join(chain.from_iterable((b"\0", it.kinds) for it in uses))
        self.names = array("I")
        self.owners = array("i")
        self.files_of = array("I")
        self.judged = array("I")
        self.used = array("I", b"".join(it.entries for it in uses))
        """The names that code uses, for the code from `starts[id]` to the next one."""
        self.hows = b"".join(it.hows for it in uses)
        counts = array("I", b"".join(it.counts for it in uses))
        self.starts = array("I", accumulate(counts, initial=0))
        for file, (first, its) in enumerate(zip(self.first, uses, strict=False)):
            self.judged.append(0)
            self.judged.frombytes(its.judged)
            self.names.append(_NO_NAME)
            self.names.frombytes(its.names)
            self.owners.append(NONE)
            self.owners.extend([it if it < 0 else first + 1 + it for it in array("i", its.owners)])
            self.files_of.extend(array("I", (file,)) * (len(its.kinds) + 1))

    def close(self) -> None:
        """Forget everything: the caches refer to the program, and would wait for the collector."""
        for part in (self.__dict__.pop("inheritance", None), self):
            if part is not None:
                vars(part).clear()

    def __getitem__(self, number: int) -> Definition:
        """Return a definition; those of a file are made together."""
        file = self.files_of[number]
        return self._defined(file)[number - self.first[file] - 1]

    def _define(self, file: int) -> list[Definition]:
        first = self.first[file] + 1
        names = map(self.words.__getitem__, self.names[first : self.first[file + 1]])
        return self.uses[file].definitions(self.paths[file], file, first, names)

    def __len__(self) -> int:
        """Return how many definitions there are."""
        return len(self.kinds) - len(self.paths)

    def __iter__(self) -> Iterator[int]:
        """Yield the ids of definitions, in their order."""
        return (number for number, kind in enumerate(self.kinds) if kind & KINDS)

    @property
    def definitions(self) -> Mapping[int, Definition]:
        """The definitions, by id."""
        return self

    def name(self, number: int) -> str:
        """Return the name of a definition."""
        return self.words[self.names[number]]

    def is_type(self, number: int) -> bool:
        """Whether an id is that of a type."""
        return self.kinds[number] & KINDS == TYPE

    def is_method(self, number: int) -> bool:
        """Whether an id is that of a method."""
        return self.kinds[number] & KINDS == METHOD

    def type_around(self, number: int) -> int:
        """Return the type that encloses a definition directly, or `NONE`."""
        owner = self.owners[number]
        return owner if owner != NONE and self.is_type(owner) else NONE

    def is_within(self, code: int, definition: int) -> bool:
        """Whether some code is inside a definition."""
        owners = self.owners
        while code >= 0:
            if code == definition:
                return True
            code = owners[code]
        return False

    def place_of(self, code: int) -> tuple[int, int]:
        """Return the file of some code, and a checksum of its qualified name."""
        file = self.files_of[code]
        at = code - self.first[file] - 1
        place = self.uses[file].places[4 * at : 4 * at + 4]
        return file, NONE if at < 0 else int.from_bytes(place, sys.byteorder)

    def verdict(self, number: int) -> FileVerdict:
        """Return what the rules said of a definition that need no other file."""
        return self.uses[self.files_of[number]].verdicts[self.judged[number]]

    def owner(self, definition: Definition, /) -> Definition | None:
        """Return the definition that encloses another; for a method, its type."""
        # The definition's own comes first: rules ask about a method as if an heir had written it.
        owner = self.owners[definition.id] if definition.owner is None else definition.owner
        return None if owner == NONE else self[owner]

    def implements(self, definition: Definition, /) -> bool:
        """Whether a definition implements an interface."""
        return self.kinds[definition.id] & IMPLEMENTING > 0

    def heritage(self, type_id: int, /) -> str:
        """Return what the rules read of a type to judge those that inherit from it."""
        file = self.files_of[type_id]
        return self.uses[file].heritage.get(type_id - self.first[file] - 1, "")

    def has_foreign_use(self, number: int) -> bool:
        """Whether code in another language uses a definition."""
        found = self._foreign.get(self.paths[self.files_of[number]], ())
        return any(it.name == self.name(number) or it.line == self[number].line for it in found)

    def once_in_file(self, file: int, compute: Callable[[TokenView], T], /) -> T:
        """Return what a function computes from the tokens of a file, computed only once."""
        key = (file, compute)
        if key not in self._once:
            self._once[key] = compute(self.views[file])
        return cast("T", self._once[key])

    def _names_in(self, file: int, names: SharedNames, /) -> frozenset[str]:
        at = self.rules[file].shared.index(names)
        return frozenset(self.words[it] for it in array("I", self.uses[file].shared[at]))

    def shared(self, names: SharedNames, /) -> SharedByName:
        """Return what all files of the languages of a rule have in common."""
        if names not in self._shared:
            words, defined = self.words, set(self.names) if names.is_defined else None
            by_path = {
                path: [
                    words[it]
                    for it in array("I", uses.shared[rules.shared.index(names)])
                    if defined is None or it in defined
                ]
                for path, uses, rules in zip(self.paths, self.uses, self.rules, strict=True)
                if names in rules.shared
            }
            self._shared[names] = names.combine(by_path, self.outside)
        return self._shared[names]

    @cached_property
    def used_in_code(self) -> set[int]:
        """The names that any code uses, whatever they refer to."""
        return set(compress(self.used, self.hows.translate(_IN_CODE)))

    def uses_of(self, names: Collection[int]) -> Iterator[tuple[int, int, UseKind]]:
        """Yield the code that uses one of some names, with the name and how, in its order."""
        wanted = bytearray(len(self.words))
        for name in names:
            wanted[name] = 1
        # Without a line of Python for each of millions of uses.
        found = compress(range(len(self.used)), map(wanted.__getitem__, self.used))
        code = 0
        for at in found:
            if self.starts[code + 1] <= at:
                code = bisect_right(self.starts, at, code) - 1
            yield code, self.used[at], self.hows[at]

    def _is_handed_over(self, owner: int) -> bool:
        """Whether code uses a type with several public methods, and names none of these."""
        used, kinds = self.used_in_code, self.kinds
        if self.names[owner] not in used:
            return False
        is_special = self.rules[self.files_of[owner]].is_special
        found = [
            self.names[number]
            for name, number in self.methods_of(owner).items()
            if kinds[number] & PUBLIC and not is_special(name)
        ]
        return len(found) > 1 and used.isdisjoint(found)

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """What each definition encloses."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for number, owner in enumerate(self.owners):
            if owner >= 0:
                found[owner].append(number)
        return found

    def _methods_of(self, type_id: int) -> dict[str, int]:
        return {
            self.name(number): number
            for number in self.members.get(type_id, ())
            if self.is_method(number)
        }

    @cached_property
    def inheritance(self) -> Inheritance:
        """Which types inherit from which."""
        return self._types.inheritance()

    def _composed(self, rules: LivenessRules, name: int) -> tuple[str, str] | None:
        """Return a part of a name, and the file that composes names with it at run time."""
        return self._parts_in(rules).find(self.words[name])

    def _parts_in(self, rules: LivenessRules) -> "ComposedNames":
        parts = self._once.get(rules)
        if parts is None:
            parts = self._once[rules] = ComposedNames({}, {}, {})
            for path, uses, its_rules in zip(self.paths, self.uses, self.rules, strict=True):
                if its_rules is rules:
                    parts.prefixes.update(dict.fromkeys(uses.prefixes, path))
                    parts.suffixes.update(dict.fromkeys(uses.suffixes, path))
                    parts.looked_up.update(dict.fromkeys(uses.looked_up, path))
        return cast("ComposedNames", parts)

    @cached_property
    def self_lookup_types(self) -> frozenset[int]:
        """Types whose objects look up their own members by name, with ancestors and descendants."""
        found: set[int] = set()
        for first, uses in zip(self.first, self.uses, strict=False):
            for code in uses.self_lookups:
                at = first + code
                while at >= 0 and not self.is_type(at):
                    at = self.owners[at]
                if at >= 0:
                    found |= self.inheritance.relatives(at)
        return frozenset(found)

    def strength(self, target: int, code: int, kind: UseKind) -> float:
        """Return how strongly code that has its name uses a definition; 0 if it means another."""
        return 0.0 if self.is_within(code, target) else self.reach(target, code, kind)

    def reach(self, target: int, code: int, kind: UseKind) -> float:
        """Return the strength of a use by code that is not inside the definition itself."""
        if kind & (BARE | MEMBER) and self._is_reached(target, code, kind):
            return SURE
        return MENTIONED if kind & STRING else HINTED if kind & TEXT else 0.0

    def reached_alike(self, target: int) -> tuple[LivenessRules, bool, bool, int, int]:
        """Return what decides how strongly other files use a definition, besides its name."""
        file, owner = self.files_of[target], self.owners[target]
        rules, is_method = self.rules[file], self.is_method(target)
        is_local = self.is_local(target)
        if owner == NONE:
            return rules, is_local, is_method, NONE, NONE
        # A type in another file may use its own members in ways that others cannot.
        elsewhere = NONE if self.files_of[owner] == file else owner
        return rules, is_local, is_method, self.kinds[owner] & KINDS, elsewhere

    def is_local(self, target: int) -> bool:
        """Whether only its own file can use a definition."""
        kind = self.kinds[target]
        if not kind & MAYBE_LOCAL:
            return kind & LOCAL > 0
        is_local = self.rules[self.files_of[target]].is_local
        return is_local is not None and is_local(self[target], self)

    def _is_reached(self, target: int, code: int, kind: UseKind) -> bool:
        file, home = self.files_of[code], self.files_of[target]
        rules = self.rules[home]
        if self.rules[file] is not rules:
            return False
        if file != home and self.is_local(target):
            return False
        if not rules.has_modules:
            return kind & MEMBER > 0 or not self.is_method(target) or rules.has_bare_members
        owner = self.owners[target]
        if owner != NONE and not self.is_type(owner):
            return kind & BARE > 0 and self.is_within(code, owner)
        if kind & MEMBER:
            return True
        if owner != NONE:
            # In the owner itself, and in an interface, which declares members of other types.
            return self.is_type(code) and (code == owner or self.kinds[code] & CONTRACT > 0)
        return file == home or kind & IMPORTED > 0

    @cached_property
    def spread_types(self) -> frozenset[int]:
        """Types with a method in another file, and what encloses them."""
        found: set[int] = set()
        for file, uses in enumerate(self.uses):
            for at in uses.qualifiers:
                owner = self.owners[self.first[file] + 1 + at]
                while owner >= 0:
                    if self.files_of[owner] != file:
                        found.add(owner)
                    owner = self.owners[owner]
        return frozenset(found)
