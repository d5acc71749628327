"""Paths of Rust: the module tree of crates, and what `crate`, `self` and `super` refer to."""

from functools import cached_property

from benchpin.facts.code import navigation_of

from ._expressions import Meaning, Value, code_of, is_other_name
from ._members import MemberLookup
from ._module import Module
from ._name_resolution import NameResolver, outwards
from ._symbols import SymbolTable

# Words that refer to modules at the start of a path.
PATH_WORDS = frozenset({"crate", "$crate", "self", "super"})

_MAX_LEVELS = 64


class RustModules:
    """The files of crates, and how they contain one another."""

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
        """The file that declares each file as its module."""
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
                if resolution.files and first not in {"crate", "self", "super"}:
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
        """Return the file that declares a file as its module."""
        return self._symbols.modules.get(self._parents.get(module.path, ""))

    def crate(self, name: str) -> Module | None:
        """Return the outermost module of a crate of the workspace."""
        return self._symbols.modules.get(self._crates.get(name, ""))


class RustPaths(MemberLookup):
    """Looks up what only paths of Rust have."""

    def __init__(self, symbols: SymbolTable, names: NameResolver) -> None:
        super().__init__(symbols, names)
        self.rust = RustModules(symbols)

    @staticmethod
    def inner_module(module: Module, owner: str, name: str) -> Meaning | None:
        """Return the module inside of a file that a name refers to."""
        if not module.namespaces:
            return None
        named = (f"{scope}.{name}" if scope else name for scope in outwards(owner))
        inside = next((it for it in named if it in module.namespaces), None)
        return None if inside is None else Meaning("module", module=module, namespace=inside)

    def special_name(self, module: Module, name: str, at: int) -> Meaning | None:
        """Return what `Self` refers to, or a name that is no variable, function or type."""
        code = code_of(module)
        if name == "Self":
            own = self.enclosing_type(module, code.scope_at(at))
            return Meaning("unknown") if own is None else Meaning("symbol", own)
        return Meaning("external") if is_other_name(code, at) else None

    def path_word(self, module: Module, word: str, at: int) -> Meaning:
        """Return the module that `crate`, `self` or `super` at the start of a path refers to."""
        scope = code_of(module).scope_at(at)
        around = "" if scope is None else scope.declared.name
        inside = next((it for it in outwards(around) if it in module.namespaces), "")
        if word in {"crate", "$crate"}:
            return Meaning("module", module=self.rust.root_of(module))
        if word == "self":
            return Meaning("module", module=module, namespace=inside)
        return self.parent_module(Value("module", module=module, namespace=inside))

    def parent_module(self, value: Value) -> Meaning:
        """Return the module around another one."""
        if value.module is None:
            return Meaning("unknown")
        if value.namespace:
            outer = value.namespace.rpartition(".")[0]
            return Meaning("module", module=value.module, namespace=outer)
        parent = self.rust.parent_of(value.module)
        return Meaning("unknown") if parent is None else Meaning("module", module=parent)
