"""A file as navigation sees it: its symbols, and the names that its imports bind.

Symbols have qualified names: `Parser.feed`, `outer.inner`. A closure without a name belongs to the
enclosing named function, or to the file. Functions and types come from the outline; variables from
the tokens of a file, if it was read with them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from benchpin.facts import FileFacts, Function, SourceComment, TokenKind, Type, languages
from benchpin.facts.code import navigation_of
from benchpin.facts.imports import Resolution, package_in
from benchpin.workspace.walking import is_test_path

from ._bindings import Binding, bind, files_of, is_type_path
from ._code import Code

ANONYMOUS = "(anonymous)"
PROPERTIES = frozenset({"property", "cached_property", "functools.cached_property"})
# The last parts: `tokio::test` is a test, too.
_TEST_MARKS = {"Test", "ParameterizedTest", "RepeatedTest", "Fact", "Theory"}
_TEST_MARKS |= {"test", "rstest", "test_case", "quickcheck"}


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """A function, type or variable; one object each, compared by identity."""

    file: str
    qualified: str
    kind: str
    line: int
    end_line: int
    is_type: bool
    is_public: bool
    declared: Function | Type | None = None
    """The facts of a function or type; variables have none."""

    @property
    def id(self) -> str:
        """The path, `::` and the qualified name."""
        return f"{self.file}::{self.qualified}"

    @property
    def name(self) -> str:
        """The last part of its name."""
        return self.qualified.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """The qualified name of the enclosing symbol; empty at the top level."""
        return self.qualified.rpartition(".")[0]

    @property
    def is_function(self) -> bool:
        """Whether it can be called and has a body."""
        return isinstance(self.declared, Function)

    @property
    def is_property(self) -> bool:
        """Whether reading it runs it."""
        found = self.declared
        return isinstance(found, Function) and not PROPERTIES.isdisjoint(found.decorators)


def is_overload(declared: Function | Type | None) -> bool:
    """Whether a function of Python only declares one way to call the function that follows it."""
    return declared is not None and any(
        it.rpartition(".")[2] == "overload" for it in declared.decorators
    )


class Module:
    """A file: its symbols and the names that its imports bind."""

    def __init__(self, file: FileFacts, resolutions: Sequence[Resolution]) -> None:
        self.path = file.path
        self.language = file.language
        self.family = languages.family_of(file.language)
        self.name_scope = languages.name_scope_of(file.language)
        self.navigation = navigation_of(file.language)
        self.symbols: dict[str, Symbol] = {}
        self.facts = file
        for declared_type in file.outline.types:
            if declared_type.kind != "extension":
                self._add(declared_type, is_type=True)
        for function in file.outline.functions:
            if ANONYMOUS not in function.name:
                self._add(function, is_type=False)
        self.bases = tuple(
            (it.name, it.bases) for it in file.outline.types if it.name in self.symbols
        )
        self.leads = tuple(resolutions)
        """Where the imports lead."""
        self.imports = tuple(zip(file.links.imports, self.leads, strict=False))

    def _add(self, definition: Function | Type, *, is_type: bool) -> None:
        known = self.symbols.get(definition.name)
        # Of overloads the last one of Python is the function itself; elsewhere the first counts.
        if known is None or is_overload(known.declared):
            self.symbols[definition.name] = Symbol(
                self.path,
                definition.name,
                definition.kind,
                definition.line,
                definition.end_line,
                is_type,
                definition.is_public,
                definition,
            )

    def is_test(self, symbol: Symbol) -> bool:
        """Whether a function of this file is a test, by the conventions of its language."""
        declared = symbol.declared
        if not isinstance(declared, Function):
            return False
        if any(it.rpartition("::")[2] in _TEST_MARKS for it in declared.decorators):
            return True
        is_file = self.path.endswith(self.navigation.test_file) and is_test_path(self.path)
        return is_file and symbol.name.startswith(self.navigation.test_names)

    @cached_property
    def lines_of_tests(self) -> tuple[range, ...]:
        """Lines of tests among the code that they test, as in `mod tests` of Rust."""
        modules = self.navigation.test_modules
        if not modules or is_test_path(self.path):
            return ()
        tests = [it for it in self.symbols.values() if self.is_test(it)]
        # Helpers beside the tests in `mod tests` are tests too: the whole module counts.
        owners = {it.owner for it in tests} | modules
        found = [range(it.line, it.end_line + 1) for it in tests if not it.owner]
        found += [range(it.line, it.line + 1) for it, _ in self.imports if it.kind == "test"]
        for owner in owners - {""}:
            inside = [it for it in self.symbols.values() if f"{it.owner}.".startswith(f"{owner}.")]
            if inside:
                last = max(it.end_line for it in inside)
                found.append(range(min(it.line for it in inside), last + 1))
        return tuple(found)

    @cached_property
    def calls(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The callees of the file (owner `""`) and of each named function."""
        return tuple(_owned_calls(self.facts))

    @cached_property
    def code(self) -> Code | None:
        """The tokens and scopes; None if the file was read without its tokens."""
        return Code(self.facts) if "tokens" in self.facts.sections else None

    @cached_property
    def _variables(self) -> dict[str, Symbol]:
        code = self.code
        if code is None:
            return {}
        return {
            name: Symbol(self.path, name, "variable", line, line, False, not name.startswith("_"))
            for name, places in code.variables(None).items()
            if "." not in name and name not in self.symbols
            for line in [code.stream.line(places[0].at)]
        }

    @property
    def variables(self) -> Iterable[Symbol]:
        """The variables of the file itself, if its tokens were read."""
        return self._variables.values()

    def variable(self, name: str) -> Symbol | None:
        """Return a variable of the file itself; None if its tokens were not read."""
        # Most names that are asked for are not in the file: no need to read its variables then.
        if name not in self.facts.links.references:
            return None
        return self._variables.get(name)

    @cached_property
    def members(self) -> dict[str, dict[str, Symbol]]:
        """What is defined in each symbol, by its qualified name and theirs inside of it."""
        found: defaultdict[str, dict[str, Symbol]] = defaultdict(dict)
        for symbol in self.symbols.values():
            if symbol.owner in self.symbols:
                found[symbol.owner].setdefault(symbol.name, symbol)
        return dict(found)

    @cached_property
    def _literals(self) -> bytes:
        """The literals of the file, to see quickly whether one has a name."""
        tokens = self.facts.tokens
        kinds = zip(tokens.texts, tokens.kinds, strict=True)
        return b"\n".join(text for text, kind in kinds if kind == TokenKind.LITERAL)

    @cached_property
    def _comments(self) -> str:
        return "\n".join(it.text for it in self.facts.comments.comments)

    def mentions(self, name: str) -> bool:
        """Whether a literal or a comment contains a name."""
        return name.encode() in self._literals or name in self._comments

    def comments_with(self, name: str) -> list[SourceComment]:
        return [it for it in self.facts.comments.comments if name in it.text]

    @cached_property
    def contested(self) -> frozenset[str]:
        """Names that more than one import binds, to different things."""
        return frozenset(name for name, bound in self.all_bindings.items() if len(bound) > 1)

    @cached_property
    def all_bindings(self) -> dict[str, set[Binding]]:
        """Everything that imports bind to each name, in whatever order or branch."""
        found: defaultdict[str, set[Binding]] = defaultdict(set)
        for imported, resolution in self.imports:
            for name, binding in bind(self, imported, resolution):
                found[name].add(binding)
        return dict(found)

    def bindings_of(self, at: int) -> list[tuple[str, Binding]]:
        return list(bind(self, *self.imports[at]))

    @cached_property
    def package(self) -> str | None:
        """The package, in languages whose files see one another inside of it; else None."""
        return package_of(self.path, self.language)

    @cached_property
    def top(self) -> dict[str, Symbol]:
        """Top-level symbols, also those inside namespaces, by the last part of their names.

        Modules inside a file of Rust are namespaces that need to be named.
        """
        return {
            it.name: it
            for it in reversed(self.symbols.values())  # of two of one name the first one stays
            if it.owner not in self.symbols
            and (it.is_type or (it.kind != "method" and self.binds(it)))
            and not (it.owner and self.navigation.has_paths)
        }

    @cached_property
    def namespaces(self) -> frozenset[str]:
        """The modules inside a file of Rust, by their qualified names."""
        if not self.navigation.has_paths:
            return frozenset()
        declared: list[Function | Type] = [*self.facts.outline.types]
        declared += self.facts.outline.functions
        found: set[str] = set()
        for definition in declared:
            owner = definition.name.rpartition(".")[0]
            if definition.kind == "method":
                owner = owner.rpartition(".")[0]
            while owner and owner not in self.symbols and ":" not in owner:
                found.add(owner)
                owner = owner.rpartition(".")[0]
        return frozenset(found)

    def binds(self, function: Symbol) -> bool:
        """Whether a function can be used by its name; those in an object of JavaScript cannot."""
        code = self.code
        if code is None or code.reader is None or function.declared is None:
            return True
        return code.reader.binds(code.stream, function.declared.first_token)

    @cached_property
    def bindings(self) -> dict[str, Binding]:
        """What imports bind, by name; `import a.b` binds the dotted name `a.b`."""
        names: dict[str, Binding] = {}
        for imported, resolution in self.imports:
            names.update(bind(self, imported, resolution))
        return names

    def is_closed_package(self, alias: str) -> bool:
        """Whether a name is that of a package that has and returns nothing of the project."""
        closed = self.navigation.closed_packages
        return bool(closed) and any(
            imported.module in closed and any(it == alias for it, _ in self.bindings_of(at))
            for at, (imported, _) in enumerate(self.imports)
        )

    @cached_property
    def whole_files(self) -> tuple[str, ...]:
        """Files whose names can be used without a prefix, as after `from x import *`."""
        is_open = self.name_scope == "project"
        return tuple(
            dict.fromkeys(
                path
                for imported, resolution in self.imports
                if is_open or imported.names == ("*",)
                if not (self.navigation.has_paths and is_type_path(imported.module))
                for path in resolution.files
            )
        )

    @cached_property
    def opened_types(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """Types whose members can be used without a prefix, as after `import static a.B.*`.

        Without files it is a type that the file itself sees: `use Kind::*`.
        """
        return tuple(
            found
            for at, (imported, _) in enumerate(self.imports)
            if imported.names == ("*",) and self.navigation.opens_types
            for found in [self.leads_through(at)]
            if found[1]
        )

    def leads_through(self, at: int) -> tuple[tuple[str, ...], str]:
        """Return the type whose members an import names, and its files: `use a::Kind::*`."""
        imported, resolution = self.imports[at]
        files = files_of(self, imported, resolution)
        qualified = self.navigation.name_in_file(imported.module, "*", files)
        if not files and is_type_path(imported.module) and self.navigation.has_paths:
            return (), imported.module if "::" not in imported.module else ""
        return files, qualified.removesuffix("*").removesuffix(".")

    @cached_property
    def dotted(self) -> frozenset[str]:
        """The dotted names that imports bind, as `import a.b` does."""
        return frozenset(it for it in self.bindings if "." in it)

    @cached_property
    def packages(self) -> dict[str, str]:
        """The packages whose names `import a.b` binds as well, and the files that they are."""
        found = {}
        file = self.navigation.package_file
        for name in self.dotted if file else ():
            # `import a.b` binds `a` too: the package whose folder leads to the file of `a.b`.
            parts = name.split(".")
            for path in self.bindings[name].files[:1]:
                package = f"/{file.partition('.')[0]}"
                place = path.rpartition(".")[0].removesuffix(package).split("/")
                if place[-len(parts) :] == parts:
                    folder = "/".join(place[: len(place) - len(parts) + 1])
                    found[parts[0]] = f"{folder}/{file}"
        return found

    @cached_property
    def has_open_imports(self) -> bool:
        """Whether it imports all names of something that is not in the project."""
        return any(it.brings_all and not resolution.files for it, resolution in self.imports)

    @cached_property
    def imported_files(self) -> frozenset[str]:
        """The files that its imports lead to."""
        return frozenset(path for _, resolution in self.imports for path in resolution.files)


def package_of(path: str, language: str) -> str | None:
    """Return the package of a file, in languages whose files see one another in it; else None."""
    if languages.name_scope_of(language) != "package":
        return None
    return package_in(path.rpartition("/")[0], language)


def _owned_calls(file: FileFacts) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the callees of the file (owner `""`) and of each named function."""
    calls: defaultdict[str, set[str]] = defaultdict(set)
    owners = ["", *(function.name for function in file.outline.functions)]
    for owner, callees in zip(owners, file.links.calls, strict=True):
        named = owner.partition(ANONYMOUS)[0].rstrip(".")
        calls[named].update(callees)
    for owner, names in sorted(calls.items()):
        yield owner, tuple(sorted(names))
