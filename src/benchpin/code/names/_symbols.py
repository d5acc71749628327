"""The symbols of a project, and lookups across its files."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from types import MappingProxyType

import msgspec

from benchpin.facts import FileFacts, languages
from benchpin.facts.code import navigation_of
from benchpin.facts.imports import Resolution
from benchpin.facts.store import OnDemandSections

from ._bindings import Binding
from ._module import Module, Symbol, package_of
from ._postings import IS_DETACHED, IS_TYPE, NameTable, defined_in, is_detached, used_in

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
        return iter(self.files)

    def __len__(self) -> int:
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


class SymbolTable:
    """The modules of a project, and lookups across them.

    Which file defines a name is known without reading the files: they are read when a symbol is
    asked for.
    """

    def __init__(self, modules: Modules, names: NameTable, *, is_changed: bool = False) -> None:
        self.modules = modules
        self._is_changed = is_changed
        self.names = names
        self._named: dict[tuple[str, str], list[Symbol]] = {}
        self._counts: dict[tuple[str, str, bool], int] = {}
        self._exported: dict[tuple[str, str], Symbol | Module | None] = {}
        self._included: dict[str, frozenset[str]] = {}

    @classmethod
    def of(
        cls, files: Iterable[FileFacts], resolutions: Mapping[str, Sequence[Resolution]]
    ) -> "SymbolTable":
        """Return the table of files, which need their sections `outline` and `links`."""
        modules = Modules({file.path: file for file in files}, resolutions.__getitem__)
        defined = defined_in(modules.values())
        return cls(modules, NameTable(list(modules), defined, cache(partial(used_in, modules))))

    def with_modules(self, changed: Mapping[str, Module | None]) -> "SymbolTable":
        """Return the table after some files changed; None for one that is gone.

        What did not change is shared.
        """
        names = self.names.with_modules(changed)
        return SymbolTable(self.modules.with_modules(changed), names, is_changed=True)

    @cached_property
    def _position(self) -> dict[str, int]:
        return {path: at for at, path in enumerate(self.modules)}

    def defining(self, name: str) -> list[tuple[str, int]]:
        """Return the files with a symbol of a name, in order, and what is said of each symbol."""
        found = self.names.defining(name)
        # Files that changed come last there, and the first of several symbols is often taken.
        return sorted(found, key=lambda it: self._position[it[0]]) if self._is_changed else found

    def qualified(self, family: str, name: str) -> Symbol | None:
        """Return the symbol of a qualified name; None unless there is exactly one."""
        known = [it for it in self.named(family, name.rpartition(".")[2]) if it.qualified == name]
        return known[0] if len(known) == 1 else None

    def named(self, family: str, name: str) -> list[Symbol]:
        """Return the symbols with this last part of the name."""
        if (family, name) not in self._named:
            paths = dict.fromkeys(path for path, _ in self.defining(name))
            self._named[family, name] = [
                it
                for path in paths
                if self.modules.family(path) == family
                for it in self.modules[path].symbols.values()
                if it.name == name
            ]
        return self._named[family, name]

    def count_named(self, family: str, name: str, *, is_type: bool = False) -> int:
        """Return how many symbols have this last part of the name, or how many types."""
        key = (family, name, is_type)
        if key not in self._counts:
            self._counts[key] = sum(
                self.modules.family(path) == family and (not is_type or bool(flags & IS_TYPE))
                for path, flags in self.defining(name)
            )
        return self._counts[key]

    def member(self, owner: Symbol, name: str) -> Symbol | None:
        """Return a member of a type or function; methods may be in another file than their type."""
        inside = self.modules[owner.file].members.get(owner.qualified, {}).get(name)
        if inside is not None or not owner.is_type:
            return inside
        return next(self._detached(owner, name), None)

    def _detached(self, owner: Symbol, name: str) -> Iterator[Symbol]:
        """Yield the methods of a type that are written elsewhere."""
        family = self.modules.family(owner.file)
        paths = dict.fromkeys(path for path, flags in self.defining(name) if flags & IS_DETACHED)
        for path in paths:
            if self.modules.family(path) != family:
                continue
            module = self.modules[path]
            for symbol in module.symbols.values():
                is_named = symbol.name == name and last_name(symbol.owner) == owner.name
                if is_named and is_detached(symbol, module) and self.is_owner(owner, module):
                    yield symbol

    def is_owner(self, owner: Symbol, module: Module) -> bool:
        """Whether methods for a type of this name, in another place, can be for this type."""
        where = module.navigation.methods
        if where == "package":
            return module.package == self.modules[owner.file].package
        if where == "anywhere":
            return True
        known = self.exported(module.path, owner.name)
        return known is owner or (known is None and module.path == owner.file)

    def beside(self, module: Module, name: str) -> list[Symbol]:
        if module.package is None:
            return []
        paths = dict.fromkeys(path for path, _ in self.defining(name))
        around = (
            self.modules[path]
            for path in paths
            if path != module.path
            and self.modules.family(path) == module.family
            and package_of(path, self.modules.files[path].language) == module.package
        )
        found = [it.top[name] for it in around if name in it.top]
        return found or self._variables_beside(module, name)

    def _variables_beside(self, module: Module, name: str) -> list[Symbol]:
        """Return the variables and constants of a name in other files of a package."""
        if not module.navigation.shares_variables or module.package is None:
            return []
        near = (self.modules[it] for it in self._packages.get(module.package, ()))
        found = (it.variable(name) for it in near if it.path != module.path)
        return [it for it in found if it is not None]

    @cached_property
    def _packages(self) -> dict[str, list[str]]:
        """The files of each package whose files share their variables."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path, file in self.modules.files.items():
            if navigation_of(file.language).shares_variables:
                found[package_of(path, file.language) or ""].append(path)
        return dict(found)

    def exported(self, path: str, name: str) -> "Symbol | Module | None":
        """Return what a file exports under a name, also by re-exporting it."""
        if (path, name) not in self._exported:
            self._exported[path, name] = self._find_export(path, name)
        return self._exported[path, name]

    def _find_export(self, path: str, name: str) -> "Symbol | Module | None":
        """Follow re-exports depth first, without recursion: chains may be long."""
        waiting = [(path, name)]
        seen: set[tuple[str, str]] = set()
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            offered = self._exported[place] if place in self._exported else self._offer(*place)
            if isinstance(offered, Symbol | Module):
                return offered
            waiting += reversed(offered or ())
        return None

    def _offer(self, path: str, name: str) -> "Symbol | Module | Sequence[tuple[str, str]] | None":
        """Return what a file itself has under a name, or the files and names to look for it."""
        module = self.modules.get(path)
        if module is None:
            return None
        if name in module.top:
            return module.top[name]
        if "." in name:
            return module.symbols.get(name) or self._inside(module, name)
        binding = module.bindings.get(name)
        if name == "default" and binding is None:
            return _default_of(module)
        if binding is None:
            variable = module.variable(name)
            return variable or [(it, name) for it in module.whole_files]
        return [(it, binding.name) for it in binding.files] if binding.name else self.bound(binding)

    @staticmethod
    def _inside(module: Module, qualified: str) -> "Sequence[tuple[str, str]] | None":
        """Return where else to look for `inner.name`, if the file has no module `inner` itself."""
        owner, _, name = qualified.rpartition(".")
        is_known = (
            not module.navigation.has_paths or owner in module.namespaces or owner in module.top
        )
        return None if is_known else [(module.path, name)]

    def submodule(self, package: Module, name: str) -> Module | None:
        """Return a file of a package of Python that is used as its member."""
        folder, _, last = package.path.rpartition("/")
        file = package.navigation.package_file
        if not file or not last.startswith(file):
            return None
        place = f"{folder}/{name}" if folder else name
        ending = file[file.index(".") :]
        return self.modules.get(place + ending) or self.modules.get(f"{place}/{file}")

    def included(self, module: Module) -> frozenset[str]:
        """Return the files that a file includes, directly or not."""
        if module.path not in self._included:
            seen, pending = {module.path}, [module]
            while pending:
                files = pending.pop().whole_files
                pending += [self.modules[it] for it in files if it not in seen]
                seen.update(files)
            self._included[module.path] = frozenset(seen - {module.path})
        return self._included[module.path]

    def bound(self, binding: Binding) -> Symbol | Module | None:
        if not binding.name:
            return self.modules.get(binding.files[0]) if len(binding.files) == 1 else None
        offers = (self.exported(path, binding.name) for path in binding.files)
        return next((it for it in offers if it is not None), None)

    def member_of(self, binding: Binding, name: str) -> "Symbol | Module | None":
        """Return what one file of several exports, as in a package of Go; None if more do."""
        offers = {self.exported(path, name) for path in binding.files} - {None}
        return offers.pop() if len(offers) == 1 else None


def last_name(qualified: str) -> str:
    """Return the last name of a path, whatever its separators."""
    return qualified.rpartition(".")[2].rpartition("::")[2]


def _default_of(module: Module) -> Symbol | None:
    """Return the default export: what `export default` names, or the one thing that is exported."""
    words = module.code.stream.words if module.code is not None else []
    if "default" in module.facts.links.exports and "default" in words:
        near = (it for it, word in enumerate(words) if word == "default")
        at = next((it for it in near if it and words[it - 1] in {"export", "as"}), -1)
        named = words[at - 2] if at > 0 and words[at - 1] == "as" else ""
        while at > 0 and not named and at + 1 < len(words):
            at += 1
            if words[at] not in {"async", "function", "class", "abstract", "*"}:
                named = words[at]
        if named in module.top or module.variable(named) is not None:
            return module.top.get(named) or module.variable(named)
    if languages.table_of(module.language).as_code is not None:
        return None  # the default export of a component is the component itself
    public = [it for it in module.top.values() if it.is_public]
    return public[0] if len(public) == 1 else None


_MAX_LEVELS = 64


class ModuleTree:
    """The files of crates of Rust, and how they contain one another."""

    def __init__(self, symbols: SymbolTable) -> None:
        self._symbols = symbols

    @cached_property
    def _modules(self) -> list[Module]:
        known = self._symbols.modules
        return [
            known[path] for path, it in known.files.items() if navigation_of(it.language).has_paths
        ]

    @cached_property
    def _parents(self) -> dict[str, str]:
        return {
            child: module.path
            for module in self._modules
            for imported, resolution in module.imports
            if imported.kind == "containment" or imported.module.partition("::")[0] == "self"
            for _, child in resolution.modules
            if child != module.path
        }

    @cached_property
    def _crates(self) -> dict[str, str]:
        """The outermost file of each crate of the workspace that another one imports, by name."""
        found: dict[str, str] = {}
        for module in self._modules:
            for imported, resolution in module.imports:
                first = imported.module.partition("::")[0]
                if resolution.files and first not in module.navigation.path_words:
                    root = self._root(resolution.files[0])
                    if root != self._root(module.path):
                        found[first] = root
        return found

    def _root(self, path: str) -> str:
        for _ in range(_MAX_LEVELS):
            if path not in self._parents:
                break
            path = self._parents[path]
        return path

    def root_of(self, module: Module) -> Module:
        """Return the outermost module of the crate that a file belongs to."""
        return self._symbols.modules[self._root(module.path)]

    def parent_of(self, module: Module) -> Module | None:
        return self._symbols.modules.get(self._parents.get(module.path, ""))

    def crate(self, name: str) -> Module | None:
        return self._symbols.modules.get(self._crates.get(name, ""))
