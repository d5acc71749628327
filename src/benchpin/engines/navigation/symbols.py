"""The symbols of a project, and lookups across its files."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchpin.engines.source.imports import Resolution
from benchpin.engines.source.index import FileFacts

from .module import Binding, Module, Symbol

_Lists = defaultdict[tuple[str, ...], list[Symbol]]
_Members = defaultdict[tuple[str, str], dict[str, Symbol]]


class SymbolTable:
    """The modules of a project, and lookups across them."""

    def __init__(
        self, files: Iterable[FileFacts], resolutions: Mapping[str, Sequence[Resolution]]
    ) -> None:
        self.modules = {file.path: Module(file, resolutions[file.path]) for file in files}
        self._named: _Lists = defaultdict(list)
        self._qualified: _Lists = defaultdict(list)
        self._members: _Members = defaultdict(dict)
        self._detached: _Lists = defaultdict(list)
        self._exported: dict[tuple[str, str], Symbol | Module | None] = {}
        self._included: dict[str, frozenset[str]] = {}
        self._in_package: _Lists = defaultdict(list)
        for module in self.modules.values():
            self._add(module)

    def with_modules(self, changed: Mapping[str, Module | None]) -> "SymbolTable":
        """Return the table after some files changed; None for one that is gone.

        What did not change is shared.
        """
        made = SymbolTable((), {})
        joined = {**self.modules, **changed}
        made.modules = {path: it for path, it in joined.items() if it is not None}
        touched = [it for path in changed for it in (self.modules.get(path), changed[path]) if it]
        for name in ("_named", "_qualified", "_in_package", "_detached"):
            setattr(made, name, getattr(self, name).copy())
        own = self._members.items()
        made._members.update((place, it) for place, it in own if place[0] not in changed)
        for module in touched:
            for table, key, _ in made._listed(module):
                table[key] = [it for it in table[key] if it.file not in changed]
        for path in changed:
            if path in made.modules:
                made._add(made.modules[path])
        return made

    def _add(self, module: Module) -> None:
        for table, key, symbol in self._listed(module):
            table[key].append(symbol)
        for symbol in module.symbols.values():
            if symbol.owner in module.symbols:
                self._members[module.path, symbol.owner].setdefault(symbol.name, symbol)

    def _listed(self, module: Module) -> "Iterator[tuple[_Lists, tuple[str, ...], Symbol]]":
        """Yield where each symbol is one of a list, and its key there."""
        if module.package is not None:
            for name, symbol in module.top.items():
                yield self._in_package, (module.family, module.package, name), symbol
        for symbol in module.symbols.values():
            yield self._named, (module.family, symbol.name), symbol
            yield self._qualified, (module.family, symbol.qualified), symbol
            if symbol.kind == "method" and symbol.owner not in module.symbols:
                owner = last_name(symbol.owner)
                yield self._detached, (module.family, owner, symbol.name), symbol

    def qualified(self, family: str, name: str) -> Symbol | None:
        """Return the symbol of a qualified name; None unless there is exactly one."""
        known = self._qualified.get((family, name), [])
        return known[0] if len(known) == 1 else None

    def named(self, family: str, name: str) -> list[Symbol]:
        """Return the symbols with this last part of the name."""
        return self._named.get((family, name), [])

    def member(self, owner: Symbol, name: str) -> Symbol | None:
        """Return a member of a type or function; methods may be in another file than their type."""
        inside = self._members.get((owner.file, owner.qualified), {}).get(name)
        if inside is not None or not owner.is_type:
            return inside
        family = self.modules[owner.file].family
        detached = self._detached.get((family, owner.name, name), ())
        return next((it for it in detached if self.is_owner(owner, self.modules[it.file])), None)

    def is_owner(self, owner: Symbol, module: Module) -> bool:
        """Whether methods for a type of this name, in another place, can be for this type."""
        if module.language == "go":
            return module.package == self.modules[owner.file].package
        if module.language != "rust":
            return True
        known = self.exported(module.path, owner.name)
        return known is owner or (known is None and module.path == owner.file)

    def beside(self, module: Module, name: str) -> list[Symbol]:
        """Return the symbols of a name in other files of the same package."""
        if module.package is None:
            return []
        named = self._in_package.get((module.family, module.package, name), [])
        return [it for it in named if it.file != module.path]

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
        if name == "default":
            return _default_of(module)
        binding = module.bindings.get(name)
        if binding is None:
            variable = module.variable(name)
            return variable or [(it, name) for it in module.whole_files]
        return [(it, binding.name) for it in binding.files] if binding.name else self.bound(binding)

    @staticmethod
    def _inside(module: Module, qualified: str) -> "Sequence[tuple[str, str]] | None":
        """Return where else to look for `inner.name`, if the file has no module `inner` itself."""
        owner, _, name = qualified.rpartition(".")
        is_known = module.language != "rust" or owner in module.namespaces or owner in module.top
        return None if is_known else [(module.path, name)]

    def submodule(self, package: Module, name: str) -> Module | None:
        """Return a file of a package of Python that is used as its member."""
        folder, _, last = package.path.rpartition("/")
        if not last.startswith("__init__.py"):
            return None
        place = f"{folder}/{name}" if folder else name
        return self.modules.get(f"{place}.py") or self.modules.get(f"{place}/__init__.py")

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
        """Return what a binding refers to."""
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
        at = words.index("default") + 1
        while at < len(words) and words[at] in {"async", "function", "class", "abstract", "*"}:
            at += 1
        named = words[at] if at < len(words) else ""
        if named in module.top or module.variable(named) is not None:
            return module.top.get(named) or module.variable(named)
    public = [it for it in module.top.values() if it.is_public]
    return public[0] if len(public) == 1 else None
