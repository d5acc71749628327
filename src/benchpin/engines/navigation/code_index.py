"""The symbols of a project and what its names refer to: every navigation starts here."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from benchpin.core import Job
from benchpin.core.job import HowMade
from benchpin.engines.source.basis import ManifestReads, content_digest
from benchpin.engines.source.imports import ReadFile, resolve_imports
from benchpin.engines.source.index import FileFacts, Sources, open_index
from benchpin.engines.source.selection import FileSelection

from .evaluation import Evaluator
from .module import Module, Symbol
from .name_resolution import CONSTRUCTORS, NameResolver
from .symbols import SymbolTable
from .values import Meaning, Value

if TYPE_CHECKING:
    from .uses import Uses

KeysLacking = Callable[[Sequence[str]], frozenset[bytes]]
"""Returns the keys of files that are known to have none of some texts."""

_MOST_USES = 1_000
"""Symbols whose uses are remembered."""
_ROOM = 2
"""Indexes are big: keep those before and after a change."""
_MOST_CHANGED = 200
"""With more changed files, a new index takes less time than an update."""


class CodeIndex:
    """The symbols of a project, and what names in its files refer to."""

    def __init__(
        self,
        symbols: SymbolTable,
        origin: "CodeIndex | None" = None,
        changed: Mapping[str, Module | None] = MappingProxyType({}),
        keys_lacking: KeysLacking = lambda _texts: frozenset(),
    ) -> None:
        """Take the symbols; `changed` are the files that differ from those of `origin`.

        `keys_lacking` returns the keys of files that need not be searched for some texts.
        """
        self.symbols = symbols
        self.names = NameResolver(symbols)
        self.values = Evaluator(symbols, self.names)
        self._origin = origin
        self._changed = changed
        self._keys_lacking = keys_lacking
        self._uses: dict[Symbol, Uses] = {}

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
        joined = {path: it.facts for path, it in known.items()} | facts
        files = [it for it in joined.values() if it is not None]
        new = [it for it in facts.values() if it is not None]
        # A file that comes or goes may change where the imports of all others lead.
        is_same_set = all(it is not None and path in known for path, it in facts.items())
        resolutions = resolve_imports(files, read, job, new if is_same_set else None)
        modules: dict[str, Module | None] = dict.fromkeys(facts)  # also those not read in time
        for path, leads in resolutions.items():
            module = None if path in facts else known.get(path)
            if module is None or module.leads != leads:
                modules[path] = Module(joined[path] or known[path].facts, leads)
        symbols = self.symbols.with_modules(modules)
        return CodeIndex(symbols, self, modules, self._keys_lacking)

    def _has(self, path: str, facts: FileFacts | None) -> bool:
        module = self.symbols.modules.get(path)
        if module is None or facts is None:
            return module is None and facts is None
        return module.facts.key == facts.key

    def recall_uses(self, symbol: Symbol) -> "Uses | None":
        """Return the uses of a symbol, if they were looked for."""
        return self._uses.get(symbol)

    def keep_uses(self, symbol: Symbol, uses: "Uses") -> None:
        """Remember the uses of a symbol: one question asks for those of many, several times."""
        if len(self._uses) >= _MOST_USES:
            self._uses.clear()
        self._uses[symbol] = uses

    def importers(self, name: str) -> list[tuple[Module, str]]:
        """Return the files that import a name from somewhere, and what they call it."""
        if self._origin is None:
            return self._importers.get(name, [])
        same = [it for it in self._origin.importers(name) if it[0].path not in self._changed]
        return same + [
            (it, alias) for it in self._new_modules for one, alias in _imported(it) if one == name
        ]

    @cached_property
    def _importers(self) -> dict[str, list[tuple[Module, str]]]:
        found: defaultdict[str, list[tuple[Module, str]]] = defaultdict(list)
        for module in self.symbols.modules.values():
            for name, alias in _imported(module):
                found[name].append((module, alias))
        return dict(found)

    @property
    def _new_modules(self) -> list[Module]:
        return [it for it in self._changed.values() if it is not None]

    def mentioning(self, name: str) -> list[Module]:
        """Return the files with a name in a literal or a comment."""
        lacking = self._keys_lacking((name,))
        modules = self.symbols.modules.values()
        return [it for it in modules if it.facts.key not in lacking and it.mentions(name)]

    def modules_with(self, name: str) -> list[Module]:
        """Return the files that have an identifier."""
        if self._origin is None:
            return self._modules_with.get(name, [])
        same = [it for it in self._origin.modules_with(name) if it.path not in self._changed]
        return same + [it for it in self._new_modules if name in it.facts.links.references]

    @cached_property
    def _modules_with(self) -> dict[str, list[Module]]:
        found: defaultdict[str, list[Module]] = defaultdict(list)
        for module in self.symbols.modules.values():
            for name in module.facts.links.references:
                found[name].append(module)
        return dict(found)

    def meaning(self, module: Module, at: int) -> Meaning:
        """Return what the name at a token refers to."""
        return self.values.meaning(module, at)

    def owner_of(self, symbol: Symbol) -> Symbol | None:
        """Return the type that a symbol is a member of."""
        module = self.symbols.modules[symbol.file]
        owner = module.symbols.get(symbol.owner)
        if owner is None and symbol.kind == "method":
            owner = self.names.owner_of(module, symbol.qualified)
        return owner if owner is not None and owner.is_type else None

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

    def subtypes(self, owner: Symbol) -> list[Symbol]:
        """Return the types that inherit from a type directly."""
        return self._subtypes.get(owner, [])

    @cached_property
    def _subtypes(self) -> dict[Symbol, list[Symbol]]:
        found: defaultdict[Symbol, list[Symbol]] = defaultdict(list)
        for module in self.symbols.modules.values():
            for name, bases in module.bases:
                if bases:
                    symbol = module.symbols[name]
                    for base in self.names.bases_of(symbol):
                        found[base].append(symbol)
        return dict(found)

    def overrides(self, method: Symbol) -> list[Symbol]:
        """Return the methods of subtypes that override a method."""
        owner = self.owner_of(method)
        pending = [] if owner is None else list(self.subtypes(owner))
        seen: set[Symbol] = set(pending)
        found = []
        while pending:
            here = pending.pop(0)
            own = self.symbols.member(here, method.name)
            if own is not None:
                found.append(own)
            new = [it for it in self.subtypes(here) if it not in seen]
            seen.update(new)
            pending += new
        return found

    def certainty(
        self, symbol: Symbol, owner: Symbol | None, meaning: Meaning
    ) -> Literal["certain", "possible"] | None:
        """Return how sure it is that a name refers to a symbol; None if it does not."""
        if meaning.symbol is symbol:
            return "certain" if meaning.is_certain else "possible"
        if symbol in meaning.others:
            return "possible"
        if meaning.symbol is not None:
            overridden = self.owner_of(meaning.symbol)
            is_inherited = (
                owner is not None
                and overridden is not None
                and meaning.symbol.name == symbol.name
                and owner is not overridden
                and overridden in self.names.ancestors(owner)
                and (meaning.receiver is None or meaning.receiver.kind == "instance")
            )
            # An interface of Go is implemented by any type with its methods.
            is_structural = (
                meaning.symbol.kind == "field"
                and symbol.kind == "method"
                and symbol.file.endswith(".go")
                and meaning.symbol.name == symbol.name
            )
            return "possible" if is_inherited or is_structural else None
        if meaning.kind == "key":
            return "possible" if symbol.kind == "field" else None
        if meaning.kind in {"local", "module"}:
            return None
        if meaning.kind == "external":
            is_open = meaning.receiver is not None and self._may_be_outside(symbol, owner)
            return "possible" if is_open else None
        return "possible" if self._may_be(symbol, owner, meaning.receiver) else None

    def _may_be_outside(self, symbol: Symbol, owner: Symbol | None) -> bool:
        """Whether values of types outside of the workspace may have a member."""
        if owner is None:  # `impl Trait for String` of Rust
            return symbol.kind == "method" and symbol.file.endswith(".rs")
        return owner.kind == "trait" or self.names.has_outside_base(owner)

    def _may_be(self, symbol: Symbol, owner: Symbol | None, receiver: Value | None) -> bool:
        """Whether an unknown name can be a member of a type, or a name of a file."""
        if receiver is None:
            return owner is None
        if owner is None:  # a function of an object or of a namespace has no type around it
            is_inside = bool(symbol.owner) and receiver.kind == "unknown"
            return is_inside or receiver.kind == "module"
        if receiver.symbol is None or receiver.kind == "function":
            return receiver.kind in {"unknown", "function"}
        if owner.kind == "trait":  # an implementation may be in another file than the type
            return True
        ancestors = self.names.ancestors
        return receiver.symbol in ancestors(owner) or owner in ancestors(receiver.symbol)


def _imported(module: Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a file imports, and what it calls them."""
    for imported, _ in module.imports:
        yield from zip(imported.names, imported.aliases or imported.names, strict=False)


def index_files(
    files: Sequence[FileFacts],
    read: ReadFile,
    job: Job,
    keys_lacking: KeysLacking = lambda _texts: frozenset(),
) -> CodeIndex:
    """Return the index of files, which need `outline`, `links`, `tokens` and `comments`."""
    resolutions = resolve_imports(files, read, job)
    known = [file for file in files if file.path in resolutions]
    return CodeIndex(SymbolTable(known, resolutions), keys_lacking=keys_lacking)


@dataclass
class _WholeIndex:
    """The last index that was made of all files, to start from; a service of the session."""

    made: tuple[CodeIndex, ManifestReads] | None = None


def index_of(selection: FileSelection) -> tuple[CodeIndex, Sources]:
    """Return the index of the whole workspace, remembered while nothing in it changes.

    When only the contents of some files changed, the last index of all files is updated.
    """
    job, session, read = selection.job, selection.session, selection.read_manifest
    sources = selection.workspace().read("links", on_demand=("tokens", "comments"))
    files, whole = sources.files, session.service(_WholeIndex, _WholeIndex)
    how: HowMade = "recalled"

    def make() -> tuple[CodeIndex, ManifestReads]:
        nonlocal how
        before = None if selection.is_fresh else whole.made
        if before is not None:
            changed = _changed(before, files, read)
            if changed is not None:
                how = "updated"
                return before[0].with_files(changed, before[1], job), before[1]
        how = "computed"
        omissions, reads = job.omissions, ManifestReads(read)
        made = index_files(files, reads, job, open_index(session).keys_lacking), reads
        if job.omissions == omissions:
            whole.made = made
        return made

    index, _ = session.remember(
        job,
        "code index",
        content_digest(files),
        make,
        room=_ROOM,
        is_current=lambda it: it[1].is_current(read),
        is_fresh=selection.is_fresh,
    )
    job.note_measure("code index", how)
    return index, sources


def _changed(
    before: tuple[CodeIndex, ManifestReads], files: Sequence[FileFacts], read: ReadFile
) -> dict[str, FileFacts] | None:
    """Return the files whose content changed; None where more changed than that, or too many."""
    known, reads = before[0].symbols.modules, before[1]
    if [it.path for it in files] != list(known) or not reads.is_current(read):
        return None
    changed = {it.path: it for it in files if it.key != known[it.path].facts.key}
    return changed if len(changed) <= _MOST_CHANGED else None
