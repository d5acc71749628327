"""The symbols of a project and what its names refer to: every navigation starts here."""

from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from benchpin.code.names import (
    CONSTRUCTORS,
    Evaluator,
    Meaning,
    Module,
    NameResolver,
    Symbol,
    SymbolTable,
    Value,
    imported_names,
    in_memory,
)
from benchpin.code.subtypes import Subtypes
from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.facts.code import Navigation
from benchpin.facts.imports import ReadFile, resolve_changed, resolve_imports
from benchpin.workspace.walking import CodeScope, scope_of_path

if TYPE_CHECKING:
    from benchpin.code.references import Uses

# Returns the keys of files that are known to have none of some texts.
KeysLacking = Callable[[Sequence[str]], frozenset[bytes]]

# Symbols whose uses are remembered.
_MAX_USES = 1_000


class CodeIndex:
    """The symbols of a project, and what names in its files refer to."""

    def __init__(
        self, symbols: SymbolTable, keys_lacking: KeysLacking = lambda _texts: frozenset()
    ) -> None:
        """Take the symbols; `keys_lacking` says which files need not be searched for some texts."""
        self.symbols = symbols
        self.names = NameResolver(symbols)
        self.values = Evaluator(symbols, self.names)
        self._keys_lacking = keys_lacking
        self._uses: dict[Symbol, Uses] = {}
        self.types = Subtypes(symbols, self.names, self.values)
        self.owner_of = self.types.owner_of

    def with_files(
        self, changed: Mapping[str, FileFacts | None], read: ReadFile, job: Job
    ) -> "CodeIndex":
        """Return the index after some files changed; None for one that is gone.

        What did not change is shared, so that it takes a small part of the time of a new index.
        """
        known = self.symbols.modules
        facts = {path: it for path, it in changed.items() if not self._has(path, it)}
        if not facts:
            return self
        joined = {**known.files, **facts}
        files = [it for it in joined.values() if it is not None]
        new = [in_memory(it) for it in facts.values() if it is not None]
        # A file that comes or goes may change where the imports of all others lead.
        is_same_set = all(it is not None and path in known for path, it in facts.items())
        resolutions = resolve_changed(files, new, read, job) if is_same_set else None
        if resolutions is None:
            files = [in_memory(it) for it in files]
            resolutions = resolve_imports(files, read, job)
        modules: dict[str, Module | None] = dict.fromkeys(facts)  # also those not read in time
        by_path = {it.path: it for it in (*files, *new)}
        for path, leads in resolutions.items():
            if path in facts or known.leads(path) != leads:
                modules[path] = Module(in_memory(by_path[path]), leads)
        return CodeIndex(self.symbols.with_modules(modules), self._keys_lacking)

    def _has(self, path: str, facts: FileFacts | None) -> bool:
        known = self.symbols.modules.files.get(path)
        if known is None or facts is None:
            return known is None and facts is None
        return known.key == facts.key

    def symbol(self, symbol_id: str) -> Symbol | None:
        """Return a function or type by its id."""
        path, _, qualified = symbol_id.partition("::")
        modules = self.symbols.modules
        return modules[path].symbols.get(qualified) if path in modules else None

    def recall_uses(self, symbol: Symbol) -> "Uses | None":
        """Return the uses of a symbol, if they were looked for."""
        return self._uses.get(symbol)

    def keep_uses(self, symbol: Symbol, uses: "Uses") -> None:
        """Remember the uses of a symbol: one question asks for those of many, several times."""
        if len(self._uses) >= _MAX_USES:
            self._uses.clear()
        self._uses[symbol] = uses

    def importers(self, name: str) -> list[tuple[Module, str]]:
        """Return the files that import a name from somewhere, and what they call it."""
        return [
            (module, alias)
            for module in map(self.symbols.modules.__getitem__, self.symbols.names.importing(name))
            for one, alias in imported_names(module.facts)
            if one == name
        ]

    def mentioning(self, name: str, among: Container[str] | None = None) -> list[Module]:
        """Return the files with a name in a literal or a comment, among those that have it."""
        known = self.symbols.modules
        if among is not None:
            near = (known[path] for path in known if path in among)
        else:
            lacking = self._keys_lacking((name,))
            near = (known[path] for path, it in known.files.items() if it.key not in lacking)
        return [it for it in near if it.mentions(name)]

    def modules_with(self, name: str) -> list[Module]:
        return [self.symbols.modules[path] for path in self.symbols.names.using(name)]

    def meaning(self, module: Module, at: int) -> Meaning:
        return self.values.meaning(module, at)

    def declares(self, module: Module, at: int, meaning: Meaning, asked: Symbol) -> bool:
        """Whether a token declares a field or variable, rather than uses it.

        Of what is asked for, only the first place and methods without a body are declarations:
        `self.x = 1` in several methods writes the field.
        """
        field = meaning.symbol
        if field is None or field.file != module.path or module.code is None:
            return False
        places = [it.variable for it in self.values.places(field)]
        if field.kind == "variable":
            places = module.code.variables(None).get(field.name, [])
        is_asked = field is asked
        return any(
            it.at == at and (not is_asked or it.is_method or it is places[0]) for it in places
        )

    def run_by(self, symbol: Symbol) -> Symbol:
        """Return what a call of a symbol runs: the constructor of a type that has one."""
        if not symbol.is_type:
            return symbol
        for name in (*CONSTRUCTORS, symbol.name):
            made_by = self.names.member(symbol, name)[0]
            if made_by is not None and not made_by.is_type:
                return made_by
        return symbol

    def certainty(
        self, symbol: Symbol, owner: Symbol | None, meaning: Meaning
    ) -> Literal["certain", "possible"] | None:
        """Return how sure it is that a name refers to a symbol; None if it does not."""
        if meaning.symbol is symbol:
            return "certain" if meaning.is_certain else "possible"
        if symbol in meaning.others:
            return "possible"
        if symbol.is_type and meaning.symbol is not None and self._embeds(meaning.symbol, symbol):
            return "certain" if meaning.is_certain else "possible"
        if meaning.kind == "key":
            is_open = meaning.symbol is None and not meaning.is_certain
            return "possible" if symbol.kind == "field" or is_open else None
        if meaning.symbol is not None:
            overridden = self.owner_of(meaning.symbol)
            is_inherited = (
                owner is not None
                and overridden is not None
                and meaning.symbol.name == symbol.name
                and owner is not overridden
                and overridden in self.names.ancestors(owner)
                and may_dispatch(meaning.receiver)
            )
            # An interface is implemented by any type with its members, and one of TypeScript by an
            # object.
            is_structural = meaning.symbol.name == symbol.name and (
                (meaning.symbol.kind == "field" and self._is_in_object(symbol))
                or (
                    owner is not None
                    and overridden is not None
                    and self.types.stands_for(owner, overridden)
                )
            )
            return "possible" if is_inherited or is_structural else None
        if meaning.kind == "local" and meaning.receiver is not None:  # `{ name }` of JavaScript
            return "possible" if self._may_be(symbol, owner, meaning.receiver) else None
        if meaning.kind in {"local", "module"}:
            return None
        if meaning.kind == "external":
            held = meaning.receiver
            # Only a trait of Rust gives members to what an import brings from elsewhere.
            is_trait = owner is None or owner.kind == "trait"
            is_open = held is not None and (
                not held.is_closed or (is_trait and self._rules(symbol).has_traits)
            )
            return "possible" if is_open and self._may_be_outside(symbol, owner) else None
        is_possible = self._may_be(symbol, owner, meaning.receiver)
        return "possible" if is_possible or self._may_be_embedded(symbol, meaning) else None

    def _may_be_embedded(self, symbol: Symbol, meaning: Meaning) -> bool:
        """Whether a member of something unknown may be the field of an embedded type of Go."""
        interfaces, receiver = self._rules(symbol).interfaces, meaning.receiver
        can_embed = symbol.is_type and interfaces is not None and interfaces.is_exact
        is_open = receiver is not None and not receiver.is_closed
        return can_embed and is_open and any(True for _ in self.types.direct(symbol))

    def _may_be_outside(self, symbol: Symbol, owner: Symbol | None) -> bool:
        """Whether values of types outside of the workspace may have a member."""
        if owner is None:  # `impl Trait for String` of Rust
            return symbol.kind == "method" and self._rules(symbol).has_traits
        return owner.kind == "trait" or self.names.has_outside_base(owner)

    def _rules(self, symbol: Symbol) -> Navigation:
        return self.symbols.modules[symbol.file].navigation

    def _embeds(self, field: Symbol, symbol: Symbol) -> bool:
        """Whether a field is a type embedded in another: both have one name in Go."""
        if field.kind != "field" or field.name != symbol.name:
            return False
        module = self.symbols.modules[field.file]
        places = (it.variable for it in self.values.places(field))
        return any(
            it.annotation is not None
            and it.at in range(*it.annotation)
            and self.meaning(module, it.at).symbol is symbol
            for it in places
        )

    def _is_in_object(self, symbol: Symbol) -> bool:
        """Whether a function is a member of an object that is written as a literal."""
        is_free = symbol.is_function and self.owner_of(symbol) is None
        return is_free and not self.symbols.modules[symbol.file].binds(symbol)

    def _may_be(self, symbol: Symbol, owner: Symbol | None, receiver: Value | None) -> bool:
        """Whether an unknown name can be a member of a type, or a name of a file."""
        if receiver is None or receiver.is_closed:
            return receiver is None and owner is None
        if owner is None:  # a function of an object or of a namespace has no type around it
            is_inside = bool(symbol.owner) or self._is_in_object(symbol)
            return (is_inside and receiver.kind == "unknown") or receiver.kind == "module"
        if receiver.symbol is None or receiver.kind == "function":
            return receiver.kind in {"unknown", "function"}
        if owner.kind == "trait":  # an implementation may be in another file than the type
            return True
        if receiver.kind == "parent":
            return self._may_follow(receiver.symbol, owner)
        ancestors = self.names.ancestors
        return receiver.symbol in ancestors(owner) or owner in ancestors(receiver.symbol)

    def _may_follow(self, caller: Symbol, owner: Symbol) -> bool:
        """Whether `super()` in a type may lead to another: if some type inherits from both."""
        ancestors = self.names.ancestors
        if owner is caller or caller in ancestors(owner):
            return False
        heirs = [it.symbol for it in self.types.heirs(caller) if it.symbol is not None]
        return any(owner in ancestors(it) for it in (caller, *heirs))


def may_dispatch(receiver: Value | None) -> bool:
    """Whether a call on a receiver may run the method of a subtype."""
    return receiver is None or receiver.kind == "instance" or receiver.may_be_heir


def index_files(files: Sequence[FileFacts], read: ReadFile, job: Job) -> CodeIndex:
    """Return the index of files, which need `outline`, `links`, `tokens` and `comments`."""
    resolutions = resolve_imports(files, read, job)
    known = [file for file in files if file.path in resolutions]
    return CodeIndex(SymbolTable.of(known, resolutions))


def scope_of(index: CodeIndex, path: str, line: int = 0) -> CodeScope:
    """Return what kind of code a line has; a file that is in no language has its path only."""
    scope = scope_of_path(path)
    module = index.symbols.modules.get(path)
    if scope in {"tests", "generated"} or module is None:
        return scope
    if module.facts.outline.is_generated:
        return "generated"
    return "tests" if any(line in it for it in module.lines_of_tests) else scope
