"""Look up names as the language does it: variables, members, names of the file, imports."""

from collections.abc import Iterable
from dataclasses import replace

from benchpin.facts.code import NamedHere, Variable
from benchpin.facts.imports import nearest

from ._bindings import Binding
from ._code import Code, Scope
from ._expressions import (
    ANY_USE,
    MEMBER_MARKS,
    UNKNOWN,
    Meaning,
    Value,
    Wanted,
    code_of,
    is_other_name,
)
from ._members import MemberLookup
from ._module import ANONYMOUS, Module, Symbol
from ._name_resolution import INHERITED, NameResolver, outwards
from ._symbols import ModuleTree, SymbolTable


class NameLookup(MemberLookup):
    def __init__(self, symbols: SymbolTable, names: NameResolver) -> None:
        super().__init__(symbols, names)
        self.tree = ModuleTree(symbols)

    def unread(self, module: Module, words: list[str], at: int) -> Meaning:
        """Return what a name refers to in a language whose variables are not read."""
        named, code = module.navigation.named, code_of(module)
        if named is not None:
            return self._offered(module, named(code.stream, at))
        if at and words[at - 1] in MEMBER_MARKS:
            return Meaning("unknown", receiver=UNKNOWN)
        scope = code.scope_at(at)
        owner = "" if scope is None else scope.declared.name
        target = self.names.callee(module, owner, words[at])
        known = target.symbol
        if known is None:
            return Meaning("unknown")
        is_call = at + 1 < len(words) and words[at + 1] == "("
        is_own = known.file == module.path and known.kind != "method"
        is_only = self.symbols.count_named(module.family, known.name) == 1
        return Meaning("symbol", known, is_certain=is_call and is_own and is_only)

    def _offered(self, module: Module, here: NamedHere) -> Meaning:
        """Return the first of the names that is defined; the nearest files count."""
        for group in here.groups:
            known = [it for name in group for it in self._defined(module, name)]
            if known:
                owners = {name.rpartition(".")[0] for name in group} - {""}
                is_known = here.is_closed and all(self._has_members(module, it) for it in owners)
                return Meaning(
                    "symbol",
                    known[0],
                    is_certain=len(known) == 1 and is_known,
                    others=tuple(known[1:]),
                )
        is_known = here.is_closed and bool(here.groups)
        return Meaning("external") if is_known else Meaning("unknown", receiver=UNKNOWN)

    def _defined(self, module: Module, qualified: str) -> list[Symbol]:
        named = self.symbols.named(module.family, qualified.rpartition(".")[2])
        known = [it for it in named if it.qualified == qualified]
        near = set(nearest([it.file for it in known], module.path))
        return [it for it in known if it.file in near]

    def _has_members(self, module: Module, owner: str) -> bool:
        known = self._defined(module, owner)
        return any(self.symbols.modules[it.file].members.get(owner) for it in known)

    def lookup(self, module: Module, name: str, at: int, wanted: Wanted = ANY_USE) -> Meaning:
        code = code_of(module)
        scope = inner = code.scope_at(at)
        found = self.special_name(module, name, at) if module.navigation.has_paths else None
        while scope is not None and found is None:
            if name in code.generics(scope):
                return Meaning("local")
            if scope.is_function:
                found = self._in_function(module, code, scope, name, at, wanted)
            elif code.reader is not None and (
                code.reader.bare_members or (scope is inner and code.reader.body_sees_members)
            ):
                found = self._in_type(module, code, scope, name, wanted)
                if found is not None and self._may_be_inherited(module, inner, scope):
                    found = replace(found, is_certain=False)
            if not scope.is_function:
                found = _in_block(module, code, scope, name, at) or found
            scope = scope.outer
        found = found or _in_block(module, code, None, name, at)
        if found is not None:
            return found
        around = code.around(at)
        beside = self._in_namespace(module, around, name)
        if beside is not None:
            return Meaning("symbol", beside)
        return self._visible(module, around, name, wanted)

    def _in_function(
        self, module: Module, code: Code, scope: Scope, name: str, at: int, wanted: Wanted
    ) -> Meaning | None:
        """Return what a function binds to a name: an inner function or type, or a variable."""
        nested = module.symbols.get(f"{scope.declared.name}.{name}")
        places = code.variables(scope).get(name)
        if nested is not None and self._binds(code, nested):
            is_certain = not _bound_elsewhere(code, nested, places)
            return Meaning("symbol", nested, is_certain=is_certain)
        is_path = module.navigation.has_paths and code.stream.words[at + 1 : at + 2] == ["::"]
        if not places or wanted.is_called or is_path:  # variables of Java cannot be called
            return None
        seen = _visible_places(code, scope, places, at)
        if seen and nested is not None and not _bound_elsewhere(code, nested, [*seen]):
            return Meaning("symbol", nested)  # `let name = || …`: a variable and a function
        return Meaning("local", module=module, variables=seen, scope=scope) if seen else None

    def _in_type(
        self, module: Module, code: Code, scope: Scope, name: str, wanted: Wanted
    ) -> Meaning | None:
        """Return what the body of a type sees as its member."""
        if wanted.is_called and ANONYMOUS in scope.declared.name:
            own = (it.declared.name.rpartition(".")[2] for it in scope.inner if it.is_function)
            if name in own:  # a method of a class without a name is no symbol
                return Meaning("external")
        owner = self.type_of_scope(module, scope)
        known = () if owner is None else self.members_of(owner, name, wanted)
        if known:
            is_own = owner is None or known[0].owner == owner.qualified
            return Meaning(
                "symbol",
                known[0],
                is_certain=len(known) == 1,
                receiver=None if is_own else Value("instance", owner),
                others=known[1:],
            )
        is_universal = bool(wanted.is_called) and name in module.navigation.universal_methods
        return Meaning("external") if is_universal and code.reader is not None else None

    def _may_be_inherited(self, module: Module, inner: Scope | None, outer: Scope) -> bool:
        """Whether a type inside of another may inherit the member from outside instead."""
        while inner is not None and inner is not outer:
            owner = None if inner.is_function else self.type_of_scope(module, inner)
            bases = () if owner is None else self.names.outside_bases(owner)
            small = module.navigation.small_bases
            if any(it.rpartition(".")[2] not in small for it in bases):
                return True
            inner = inner.outer
        return False

    @staticmethod
    def _in_namespace(module: Module, owner: str, name: str) -> Symbol | None:
        """Return what a namespace of the file, around a function or type, has under a name."""
        if not owner or module.name_scope == "project":
            return None
        namespaces = [it for it in outwards(owner) if it and it not in module.symbols]
        found = (module.symbols.get(f"{it}.{name}") for it in namespaces)
        return next((it for it in found if it is not None and it.kind != "method"), None)

    @staticmethod
    def _binds(code: Code, nested: Symbol) -> bool:
        """Whether an inner function or type can be used by its bare name."""
        if nested.is_type or code.reader is None:
            return nested.kind != "method"
        scope = code.scope_of[nested.qualified]
        is_declared = nested.kind != "method" and not code.is_assigned(scope)
        return is_declared and code.reader.binds(code.stream, scope.span[0])

    def _visible(self, module: Module, owner: str, name: str, wanted: Wanted) -> Meaning:
        inside = self.inner_module(module, owner, name)
        if inside is not None:
            return inside
        known, confidence = self.names.visible(module, owner, name)
        binding = module.bindings.get(name)
        is_certain = confidence >= INHERITED and name not in module.contested
        if isinstance(known, Module):
            return Meaning("module", module=known, is_certain=is_certain)
        if known is not None:
            # `try: from a import f`, `except ImportError: from b import f` or `def f(): …`
            is_shared = name in module.contested or (binding is not None and name in module.top)
            others = self._imported(module, name) if is_shared else ()
            is_one = not is_shared or (
                set(others) == {known} and len(others) == len(module.all_bindings[name])
            )
            # `use Kind::*` in a function hides what the file has of that name.
            opened = self._opened(module, name, wanted) if module.opened_types else None
            if opened is not None and opened.symbol not in {None, known}:
                others, is_one = (*others, opened.symbol), False
            return Meaning(
                "symbol", known, is_certain=confidence >= INHERITED and is_one, others=others
            )
        if binding is None:
            return self._unbound(module, name, wanted)
        if not binding.name and len(binding.files) > 1:
            return Meaning("module", package=binding, is_certain=is_certain)
        if "." in binding.name:
            return self._member_in(binding.files, binding.name, wanted)
        if binding.is_external:
            return Meaning("external", package=binding)
        return Meaning("unknown")

    def _unbound(self, module: Module, name: str, wanted: Wanted) -> Meaning:
        """Return what a name refers to that no import binds and the file does not declare."""
        beside = tuple(self.symbols.beside(module, name))
        if beside:  # files for several platforms
            return Meaning("symbol", beside[0], is_certain=False, others=beside)
        inside = self._opened(module, name, wanted)
        if inside is not None:
            return inside
        package = self.symbols.modules.get(module.packages.get(name, ""))
        if package is None and module.navigation.has_paths:
            package = self.tree.crate(name)
        if package is not None:
            return Meaning("module", module=package)
        return Meaning("unknown" if module.has_open_imports else "external")

    def _opened(self, module: Module, name: str, wanted: Wanted = ANY_USE) -> Meaning | None:
        """Return the member of a type all of whose members are imported: `use Kind::*`."""
        for files, opened in module.opened_types:
            if files:
                inside = self._member_in(files, f"{opened}.{name}", wanted)
            else:
                known = self.names.visible(module, "", opened)[0] if opened != name else None
                if not isinstance(known, Symbol) or not known.is_type:
                    continue
                inside = self.member(Value("type", known), name)
            if inside.symbol is not None:
                return inside
        return None

    def _member_in(self, files: tuple[str, ...], qualified: str, wanted: Wanted) -> Meaning:
        """Return the member of a type that an import names, as `import static a.B.c` does."""
        owner, _, name = qualified.rpartition(".")
        types = (self.symbols.exported(path, owner) for path in files)
        for declared_type in types:
            known = (
                self.members_of(declared_type, name, wanted)
                if isinstance(declared_type, Symbol)
                else ()
            )
            if known:
                return Meaning("symbol", known[0], is_certain=len(known) == 1, others=known[1:])
        return Meaning("unknown")

    def bound(self, binding: Binding) -> Symbol | Module | None:
        """Return what a binding refers to, which may be a field of a type."""
        known = self.symbols.bound(binding)
        if known is None and "." in binding.name:
            return self._member_in(binding.files, binding.name, ANY_USE).symbol
        return known

    def _imported(self, module: Module, name: str) -> tuple[Symbol, ...]:
        bound = map(self.bound, module.all_bindings.get(name, ()))
        return tuple(it for it in bound if isinstance(it, Symbol))

    def member(self, receiver: Value, name: str, wanted: Wanted = ANY_USE) -> Meaning:
        if receiver.kind == "external":
            return Meaning("external", receiver=receiver)
        if receiver.module is not None:
            return self._exported(receiver, receiver.module, name)
        if receiver.package is not None:
            return self._in_package(receiver, receiver.package, name)
        if receiver.symbol is None or receiver.kind == "function":
            return Meaning("unknown", receiver=receiver)
        is_parent = receiver.kind == "parent"
        known = self.members_of(receiver.symbol, name, wanted, is_parent=is_parent)
        if not known:
            return Meaning("unknown", receiver=receiver)
        is_certain = len(known) == 1
        return Meaning(
            "symbol", known[0], is_certain=is_certain, receiver=receiver, others=known[1:]
        )

    def _in_package(self, receiver: Value, package: Binding, name: str) -> Meaning:
        """Return what the files of a package have under a name; one for each platform, maybe."""
        offers = [self.symbols.exported(path, name) for path in package.files]
        known = tuple(dict.fromkeys(it for it in offers if isinstance(it, Symbol)))
        if not known:
            return Meaning("unknown", receiver=receiver)
        is_certain = len(known) == 1
        return Meaning("symbol", known[0], is_certain=is_certain, receiver=receiver, others=known)

    def _exported(self, receiver: Value, module: Module, name: str) -> Meaning:
        if module.navigation.path_words.get(name) == "parent":
            return self.parent_module(receiver)
        inner = f"{receiver.namespace}.{name}" if receiver.namespace else name
        if inner in module.namespaces:
            return Meaning("module", module=module, namespace=inner, receiver=receiver)
        known: Symbol | Module | None = None
        if receiver.namespace:
            known = module.symbols.get(inner)
        known = known or self.symbols.exported(module.path, name)
        if isinstance(known, Symbol):
            is_certain = name not in module.contested
            return Meaning("symbol", known, is_certain=is_certain, receiver=receiver)
        if known is None:
            known = self.symbols.submodule(module, name)
        if known is None:
            return Meaning("unknown", receiver=receiver)
        return Meaning("module", module=known, receiver=receiver)

    @staticmethod
    def inner_module(module: Module, owner: str, name: str) -> Meaning | None:
        """Return the module inside of a file that a name refers to."""
        if not module.namespaces:
            return None
        named = (f"{scope}.{name}" if scope else name for scope in outwards(owner))
        inside = next((it for it in named if it in module.namespaces), None)
        return None if inside is None else Meaning("module", module=module, namespace=inside)

    def special_name(self, module: Module, name: str, at: int) -> Meaning | None:
        code = code_of(module)
        if name == "Self":
            own = self.enclosing_type(module, code.scope_at(at))
            return Meaning("unknown") if own is None else Meaning("symbol", own)
        return Meaning("external") if is_other_name(code, at, module.navigation) else None

    def path_word(self, module: Module, word: str, at: int) -> Meaning:
        """Return the module that `crate`, `self` or `super` at the start of a path refers to."""
        around = code_of(module).around(at)
        inside = next((it for it in outwards(around) if it in module.namespaces), "")
        leads = module.navigation.path_words[word]
        if leads == "root":
            return Meaning("module", module=self.tree.root_of(module))
        if leads == "here":
            return Meaning("module", module=module, namespace=inside)
        return self.parent_module(Value("module", module=module, namespace=inside))

    def in_path(self, module: Module, outer: Module | None, at: int, found: Meaning) -> Meaning:
        """Return the module that a name before `::` means where a function has that name, too."""
        is_function = found.symbol is not None and found.symbol.is_function
        words = code_of(module).stream.words
        if outer is None or not is_function or words[at + 1 : at + 2] != ["::"]:
            return found
        bound = map(self.symbols.bound, outer.all_bindings.get(words[at], ()))
        inner = next((it for it in bound if isinstance(it, Module)), None)
        return found if inner is None else Meaning("module", module=inner)

    def parent_module(self, value: Value) -> Meaning:
        if value.module is None:
            return Meaning("unknown")
        if value.namespace:
            outer = value.namespace.rpartition(".")[0]
            return Meaning("module", module=value.module, namespace=outer)
        parent = self.tree.parent_of(value.module)
        return Meaning("unknown") if parent is None else Meaning("module", module=parent)


def _bound_elsewhere(code: Code, nested: Symbol, places: list[Variable] | None) -> bool:
    """Whether a variable of the name of an inner function is bound to something else."""
    first, last = code.scope_of[nested.qualified].span
    return any(it.value is None or not first <= it.value[0] < last for it in places or ())


def _visible_places(
    code: Code, scope: Scope, places: list[Variable], at: int
) -> tuple[Variable, ...]:
    """Return the places that bind a variable at a position.

    Types and defaults of parameters are read outside of the function. Where variables belong to
    blocks, that of the innermost block is the one that is seen.
    """
    if not (at >= code.header(scope).body or any(it.at == at for it in places)):
        return ()
    near = _nearest(places, at)
    return (near,) if near is not None else tuple(it for it in places if it.visible is None)


def _in_block(
    module: Module, code: Code, scope: Scope | None, name: str, at: int
) -> Meaning | None:
    """Return the variable of a block in the body of a type or the code of a file."""
    near = _nearest(code.block_variables(scope).get(name, ()), at)
    if near is None:
        return None
    known = module.symbols.get(f"{scope.declared.name}.{name}" if scope else name)
    if known is not None and known.is_function and near.at in code.defining(name):
        # `{ const f = () => … }`: two blocks may have a function of that name each.
        is_one = sum(it.declared.name == known.qualified for it in code.scopes_named[name]) == 1
        return Meaning("symbol", known, is_certain=is_one)
    return Meaning("local", module=module, variables=(near,), scope=scope)


def _nearest(places: Iterable[Variable], at: int) -> Variable | None:
    """Return the variable of the smallest block around a position, the last one of these."""
    seen = [
        (it.visible[0] - it.visible[1], number, it)
        for number, it in enumerate(places)
        if it.visible is not None
        if it.at == at or it.visible[0] <= at < it.visible[1]
    ]
    return max(seen, key=lambda it: it[:2])[2] if seen else None
