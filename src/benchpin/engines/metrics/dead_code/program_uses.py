"""The definitions of a workspace, who uses which name, and which types inherit from which."""

import re
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TypeVar, cast

from benchpin.core import Job, TimeLimitExceeded
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.liveness import HINTED, MENTIONED, SURE, LivenessRules, rules_of
from benchpin.engines.source.program import (
    Definition,
    ForeignUse,
    NamesOutsideCode,
    ProgramView,
    TokenView,
)
from benchpin.engines.source.testing import is_test_path

from .definitions import define_all
from .inheritance import Inheritance, base_name
from .name_uses import NameUses, find_name_uses
from .token_views import TokenViews
from .uses import BARE, MEMBER, STRING, TEXT, TOP_LEVEL, UseKind, unpack

T = TypeVar("T")

FindUses = Callable[
    [Sequence[FileFacts], Sequence[Sequence[Definition]], Callable[[], None]], NameUses
]
"""Returns the uses of names in files with these definitions; as `find_name_uses`."""

_CONTRACTS = frozenset({"interface", "trait", "protocol", "type"})
_SHORTEST_PREFIX = 3


def require_time(job: Job) -> None:
    """Stop unless the whole workspace was read and there is time left: else live code looks dead.

    Raises:
        TimeLimitExceeded: when the time is up, or something was left out.
    """
    job.check()
    if job.is_expired or job.missing:
        raise TimeLimitExceeded(
            "Time ran out before all files were read; without them, used code would look dead",
            suggestion="Call again: the files measured so far are kept. Or allow more time with "
            "tool_timeouts.analyze_dead_code.",
        )


def top_level_of(file: int) -> int:
    """Return the context of the code of a file that is in no definition."""
    return -1 - file


@dataclass(frozen=True, slots=True)
class ComposedNames:
    """Parts of names that are composed at run time, each with a file that does so."""

    prefixes: dict[str, str]
    suffixes: dict[str, str]
    looked_up: dict[str, str]
    """Prefixes in the call that looks the name up: they may end in the middle of a word."""

    def find(self, name: str) -> tuple[str, str] | None:
        """Return a part of a name, and the file that composes names with it."""
        for at in range(1, len(name)):
            first, last = name[:at], name[at:]
            if first in self.looked_up and at >= _SHORTEST_PREFIX:
                return first, self.looked_up[first]
            if name[at].isupper() or "_" in name[at - 1 : at + 1]:
                if first in self.prefixes:
                    return first, self.prefixes[first]
                if last in self.suffixes:
                    return last, self.suffixes[last]
        return None


class ProgramUses:
    """The `ProgramView` of a workspace, and how strongly its code uses each definition."""

    def __init__(
        self,
        files: Sequence[FileFacts],
        outside: NamesOutsideCode,
        job: Job,
        foreign_uses: Iterable[ForeignUse] = (),
        *,
        is_closed: bool = False,
        find_uses: FindUses = find_name_uses,
    ) -> None:
        """Read the definitions and uses of every file.

        With `is_closed`, nothing outside the workspace uses what is public. `find_uses` may
        know what the files use from before.
        """
        self.files = files
        self.outside = outside
        self.is_closed = is_closed
        self._foreign_uses: defaultdict[str, list[ForeignUse]] = defaultdict(list)
        for it in foreign_uses:
            self._foreign_uses[it.path].append(it)
        own = define_all(files)
        self.definitions = [it for definitions in own for it in definitions]
        self.first = [0, *accumulate(map(len, own))][: len(own)]
        """The id of the first definition of each file."""
        self.rules: list[LivenessRules] = [rules_of(file.language) for file in files]
        self.is_test = [is_test_path(file.path) for file in files]
        self.views: Sequence[TokenView] = TokenViews(files)
        found = find_uses(files, own, lambda: require_time(job))
        self.names = found.names
        self._uses = [found.files[file.path][1] for file in files]
        self.implementing = frozenset(
            first + it
            for first, uses in zip(self.first, self._uses, strict=True)
            for it in uses.implementing
        )
        same: dict[str, str] = {}
        self.imports = [_ImportedNames(file, same) for file in files]
        self.owners = [it.owner for it in self.definitions]
        self._bases: dict[tuple[int, str], list[int]] = {}
        self._composed_names: dict[LivenessRules, ComposedNames] = {}
        self._computed: dict[object, object] = {}
        self._assign_methods()

    def rules_for(self, definition: Definition) -> LivenessRules:
        """Return the rules of the language of a definition."""
        return self.rules[definition.file]

    def has_foreign_use(self, definition: Definition) -> bool:
        """Whether code in another language uses a definition."""
        return any(
            it.name == definition.name or it.line == definition.line
            for it in self._foreign_uses.get(definition.path, ())
        )

    @cached_property
    def used_names(self) -> frozenset[str]:
        """The names that any code uses, whatever they refer to."""
        wanted = range(len(self.names))
        used = {
            number
            for uses in self._uses
            for packed in uses.by_context.values()
            for number, kind in unpack(packed, wanted)
            if kind & (BARE | MEMBER)
        }
        return frozenset(self.names[number] for number in used)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each name, by which uses are kept."""
        return {name: number for number, name in enumerate(self.names)}

    def uses_in(self, context: int, wanted: Container[int]) -> list[tuple[int, UseKind]]:
        """Return those of some names that code uses, and how; names are given by number."""
        file = self.file_of(context)
        code = TOP_LEVEL if context < 0 else context - self.first[file]
        return unpack(self._uses[file].by_context.get(code, b""), wanted)

    def users_of(self, wanted: Container[int]) -> Iterator[tuple[int, int, UseKind]]:
        """Yield all code that uses one of some names, file by file, with the name and how."""
        for file, uses in enumerate(self._uses):
            for code, packed in uses.by_context.items():
                for number, kind in unpack(packed, wanted):
                    at_top = code == TOP_LEVEL
                    yield top_level_of(file) if at_top else self.first[file] + code, number, kind

    def owner(self, definition: Definition) -> Definition | None:
        """Return the definition that encloses another; for a method, its type."""
        owner = self.owners[definition.id]
        return None if owner is None else self.definitions[owner]

    def file_of(self, context: int) -> int:
        """Return the index of the file of some code; negative contexts are top-level code."""
        return -1 - context if context < 0 else self.definitions[context].file

    def is_within(self, context: int, definition: int) -> bool:
        """Whether some code is inside a definition."""
        at: int | None = context if context >= 0 else None
        while at is not None:
            if at == definition:
                return True
            at = self.owners[at]
        return False

    def once(self, compute: Callable[[ProgramView], T], /) -> T:
        """Return what a function computes from the program, computed only once."""
        if compute not in self._computed:
            self._computed[compute] = compute(self)
        return cast("T", self._computed[compute])

    def once_in_file(self, file: int, compute: Callable[[TokenView], T], /) -> T:
        """Return what a function computes from the tokens of a file, computed only once."""
        key = (file, compute)
        if key not in self._computed:
            self._computed[key] = compute(self.views[file])
        return cast("T", self._computed[key])

    @cached_property
    def methods(self) -> dict[int, dict[str, int]]:
        """The methods of each type, by name."""
        found: defaultdict[int, dict[str, int]] = defaultdict(dict)
        for it in self.definitions:
            owner = self.owners[it.id]
            if it.kind == "method" and owner is not None:
                found[owner][it.name] = it.id
        return dict(found)

    @cached_property
    def inheritance(self) -> Inheritance:
        """Which types inherit from which."""
        types = [it for it in self.definitions if it.kind == "type"]
        return Inheritance(types, self._find_bases, self._origin_of, self.methods)

    def _origin_of(self, heir: Definition, base: str) -> str:
        """Return the full name of a base: `io.StringIO`, however it is imported."""
        name = base_name(base)
        first = name.partition(".")[0]
        module = self.imports[heir.file].origin(first)
        return name if module is None or module == first else f"{module}.{name}"

    @cached_property
    def _types(self) -> dict[str, list[Definition]]:
        found: defaultdict[str, list[Definition]] = defaultdict(list)
        for it in self.definitions:
            if it.kind == "type":
                found[it.name].append(it)
        return dict(found)

    def _find_bases(self, heir: Definition, base: str) -> list[int]:
        """Return the types that a base may refer to, found once for all types of a file."""
        if base_name(base).rpartition(".")[2] == heir.name:  # a type is not its own base
            return self._search_bases(heir, base)
        key = (heir.file, base)
        if key not in self._bases:
            self._bases[key] = self._search_bases(heir, base)
        return self._bases[key]

    def _search_bases(self, heir: Definition, base: str) -> list[int]:
        """Find the types that a base may refer to, preferring the same file, module or folder."""
        rules, name = self.rules_for(heir), base_name(base)
        module = self.imports[heir.file].origin(name.partition(".")[0])
        if rules.has_modules and module is not None and module.split(".")[0] not in self._top_names:
            return []
        found = [
            it
            for it in self._types.get(name.rpartition(".")[2], ())
            if it is not heir and self.rules_for(it) is rules
        ]
        folder = heir.path.rpartition("/")[0]
        if "." not in name and (here := [it for it in found if it.file == heir.file]):
            found = here
        elif module:
            last = re.split(r"[./]", module)[-1]
            found = [it for it in found if last in self._path_parts[it.file]] or found
        else:
            found = [it for it in found if it.path.rpartition("/")[0] == folder] or found
        return [it.id for it in found]

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

    @cached_property
    def _path_parts(self) -> list[frozenset[str]]:
        """For each file, the names of its folders and its own, without the extension."""
        return [frozenset(file.path.rpartition(".")[0].split("/")) for file in self.files]

    def composed_names(self, rules: LivenessRules) -> ComposedNames:
        """Return the parts of names that code of a language composes at run time."""
        parts = self._composed_names.get(rules)
        if parts is None:
            parts = self._composed_names[rules] = ComposedNames({}, {}, {})
            for file, uses, its_rules in zip(self.files, self._uses, self.rules, strict=True):
                if its_rules is rules:
                    parts.prefixes.update(dict.fromkeys(uses.prefixes, file.path))
                    parts.suffixes.update(dict.fromkeys(uses.suffixes, file.path))
                    parts.looked_up.update(dict.fromkeys(uses.looked_up, file.path))
        return parts

    @cached_property
    def self_lookup_types(self) -> frozenset[int]:
        """Types whose objects look up their own members by name, with ancestors and descendants."""
        found: set[int] = set()
        for file, uses in enumerate(self._uses):
            for code in uses.self_lookups:
                at = None if code == TOP_LEVEL else self.first[file] + code
                while at is not None and self.definitions[at].kind != "type":
                    at = self.owners[at]
                if at is not None:
                    found |= self.inheritance.relatives(at)
        return frozenset(found)

    def strength(self, target: Definition, context: int, file: int, kind: UseKind) -> float:
        """Return how strongly code that has its name uses a definition; 0 if it means another."""
        return (
            0.0 if self.is_within(context, target.id) else self.reach(target, context, file, kind)
        )

    def reach(self, target: Definition, context: int, file: int, kind: UseKind) -> float:
        """Return the strength of a use by code that is not inside the definition itself."""
        if kind & (BARE | MEMBER) and self._is_reached(target, context, file, kind):
            return SURE
        return MENTIONED if kind & STRING else HINTED if kind & TEXT else 0.0

    def reached_alike(self, target: Definition) -> tuple[Hashable, ...]:
        """Return what decides how strongly other files use a definition, besides its name."""
        rules, owner = self.rules_for(target), self.owner(target)
        is_local, is_method = rules.is_local(target, self), target.kind == "method"
        if owner is None:
            return rules, is_local, is_method
        # A type in another file may use its own members in ways that others cannot.
        return rules, is_local, is_method, owner.kind, owner.file != target.file and owner.id

    def _is_reached(self, target: Definition, context: int, file: int, kind: UseKind) -> bool:
        rules = self.rules_for(target)
        if self.rules[file] is not rules:
            return False
        if file != target.file and rules.is_local(target, self):
            return False
        if not rules.has_modules:
            return kind & MEMBER > 0 or target.kind != "method" or rules.has_bare_members
        owner = self.owner(target)
        if owner is not None and owner.kind != "type":
            return kind & BARE > 0 and self.is_within(context, owner.id)
        if kind & MEMBER:
            return True
        if owner is not None:
            return context >= 0 and self._may_refer_to_member(self.definitions[context], owner)
        return file == target.file or self.imports[file].may_provide(target.name)

    def _may_refer_to_member(self, context: Definition, owner: Definition) -> bool:
        """Whether a bare name inside a type can refer to a member of the owner.

        It can in the owner itself, and in an interface, which declares members of other types.
        """
        return context.kind == "type" and (context is owner or context.label in _CONTRACTS)

    def _assign_methods(self) -> None:
        """Set the owner of methods that are written outside their type, as in Go, Rust and C++."""
        types: defaultdict[tuple[LivenessRules, str], list[Definition]] = defaultdict(list)
        for it in self.definitions:
            if it.kind == "type":
                types[self.rules_for(it), it.name].append(it)
        for it in self.definitions:
            qualifier = it.qualified.rpartition(".")[0].rpartition(".")[2]
            if it.kind != "method" or it.owner is not None or not qualifier:
                continue
            found = types.get((self.rules_for(it), qualifier), [])
            folder = it.path.rpartition("/")[0]
            near = [a for a in found if a.file == it.file] or [
                a for a in found if a.path.rpartition("/")[0] == folder
            ]
            if near or len(found) == 1:
                self.owners[it.id] = (near or found)[0].id


class _ImportedNames:
    """The names that a file imports, also those that it gives them."""

    def __init__(self, file: FileFacts, same: dict[str, str]) -> None:
        """Read them; `same` has one object for equal names of all files."""
        imports, shared = file.links.imports, same.setdefault
        self.names = frozenset(shared(name, name) for it in imports for name in it.names)
        self._origins = {
            shared(name, name): shared(it.module, it.module)
            for it in imports
            if not it.level
            # Bundlers use `@/` and `~/` for the source folder of the package itself.
            if not it.module.startswith(("./", "../", "@/", "~/"))
            for name in (*it.names, *it.aliases) or (it.module.partition(".")[0],)
        }
        self._is_open = "*" in self.names or any(
            not it.names and it.module.startswith((".", "/")) for it in imports
        )

    def origin(self, name: str) -> str | None:
        """Return the module of an absolute import that a name comes from."""
        return self._origins.get(name)

    def may_provide(self, name: str) -> bool:
        """Whether a bare name may come from an import."""
        return name in self.names or self._is_open
