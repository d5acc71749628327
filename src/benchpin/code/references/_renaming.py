"""Rename a symbol where it is certain that the name means it; everything else is for the caller."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from benchpin.code import CodeIndex, SourceText, whole_word
from benchpin.code.names import Code, Module, Symbol
from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams
from benchpin.facts.liveness import rules_of
from benchpin.workspace.walking import is_test_path
from benchpin.workspace.writing import FileChange

from ._uses import Use, column_of, find_uses, may_be_quoted, quoted_uses, with_text

_Place = tuple[int, int]  # a line and a column, both from 1
# How far below its first line, where its decorators are, the name of a symbol may be.
_HEAD_LINES = 20


@dataclass(frozen=True, slots=True)
class RenamePlan:
    """What a rename changes, and what it leaves to the caller."""

    changes: list[FileChange]
    places: int
    undecided: list[Use]
    """Uses that are possible, mentions, and lines where the name means more than one thing."""
    note: str = ""
    """What else has to be done by hand."""


def plan_rename(
    index: CodeIndex, symbol: Symbol, new: str, text: SourceText, job: Job
) -> RenamePlan:
    """Return the changes that rename a symbol.

    Raises:
        InvalidParams: when the new name cannot be used, or the old one is not this symbol's alone.
    """
    _check_name(index.symbols.modules[symbol.file], symbol, new)
    _check_relatives(index, symbol)
    found = find_uses(index, symbol, job)
    uses = [with_text(it, index, symbol.name, found, text) for it in found.found]
    # Of a line that imports, the import counts: it has places that no other use has.
    ranked = sorted(uses, key=lambda it: it.kind == "import")
    certain: dict[tuple[str, int], Use] = {
        (it.file, it.line): it for it in ranked if it.certainty == "certain"
    }
    for line in definition_lines(index, symbol, text):
        certain[symbol.file, line] = Use(symbol.file, line, "write", "certain", "")
    wanted: dict[str, dict[_Place, str]] = defaultdict(dict)
    undecided = [it for it in uses if it.certainty != "certain"]
    for (file, _), use in sorted(certain.items()):
        places = _renamed_at(index, symbol, use, new, text)
        # Column 0: the name is not where the use should be, so nobody renames by a guess.
        if 0 in {column for _, column in places}:
            undecided.append(use)
        else:
            wanted[file].update(places)
    for file, places in wanted.items():
        _check_collision(index.symbols.modules[file], new)
        exported = _exported_at(index.symbols.modules[file], symbol.name, text)
        places.update(dict.fromkeys(exported, new))
        lines = {line for line, _ in exported}
        # The same line in `__all__` was a mention before.
        undecided = [it for it in undecided if it.file != file or it.line not in lines]
    changes = list(_changes(wanted, symbol.name, text))
    places_changed = sum(map(len, wanted.values()))
    return RenamePlan(changes, places_changed, undecided, _note(index, symbol, new))


def _note(index: CodeIndex, symbol: Symbol, new: str) -> str:
    """Return what else has to change with a name, or has to be checked."""
    rules = index.symbols.modules[symbol.file].navigation
    if (
        rules.interfaces is not None
        and rules.interfaces.is_exact
        and symbol.kind == "method"
        and symbol.is_public
    ):
        return f"Check that no interface outside of the workspace requires {symbol.name}."
    if rules.examples and symbol.name.startswith(rules.examples):
        return f"Its name says which symbol it shows: {rules.examples}, that name, then _suffix."
    examples = _examples_of(index, symbol) if rules.examples else []
    if examples:
        return f"Rename what is named after it as well: {', '.join(examples[:3])}."
    place = PurePosixPath(symbol.file)
    is_named_so = rules.names_file_by_type and place.stem == symbol.name
    if not is_named_so or not symbol.is_type or symbol.owner:
        return ""
    return f"Rename the file as well, to {place.with_stem(new)}."


def _examples_of(index: CodeIndex, symbol: Symbol) -> list[str]:
    """Return the examples whose names say that they show a symbol: `ExampleNew` of Go."""
    modules, folder = index.symbols.modules, PurePosixPath(symbol.file).parent
    shown = modules[symbol.file].navigation.examples + symbol.qualified.replace(".", "_")
    return [
        it.id
        for path in sorted(modules)
        if is_test_path(path) and PurePosixPath(path).parent == folder
        for it in modules[path].symbols.values()
        if it.name == shown or it.name.startswith(f"{shown}_")
    ]


def _definitions(index: CodeIndex, symbol: Symbol) -> set[int]:
    """Return the positions of the name in its definitions: overloads and constructors, too."""
    code = index.symbols.modules[symbol.file].code
    if code is None:
        return set()
    own = {symbol.qualified} | ({f"{symbol.qualified}.{symbol.name}"} if symbol.is_type else set())
    positions = code.stream.positions(symbol.name)
    scopes = code.scopes_named.get(symbol.name, ())
    found = {code.named_at(it, positions) for it in scopes if it.declared.name in own}
    found |= {it.variable.at for it in index.values.places(symbol) if it.variable.is_method}
    return found - {-1}


def definition_lines(index: CodeIndex, symbol: Symbol, text: SourceText) -> set[int]:
    """Return the lines that define a symbol: overloads and constructors, too."""
    code = index.symbols.modules[symbol.file].code
    defined = _definitions(index, symbol)
    if code is None or not defined:
        return {text.place(symbol.file, symbol.line, symbol.name, _HEAD_LINES)[0]}
    return {code.stream.line(it) for it in defined}


def _check_name(module: Module, symbol: Symbol, new: str) -> None:
    if new in module.navigation.keywords:
        raise InvalidParams(
            f"{new!r} is a keyword of {module.language}", suggestion="Choose another name."
        )
    if not new.isidentifier():
        raise InvalidParams(
            f"{new[:60]!r} cannot be a name", suggestion="Use letters, digits and underscores."
        )
    if new == symbol.name:
        raise InvalidParams(f"It is called {new!r} already", suggestion="Give another name.")
    is_constructor = symbol.is_function and symbol.owner.rpartition(".")[2] == symbol.name
    if is_constructor or (symbol.name.startswith("__") and symbol.name.endswith("__")):
        raise InvalidParams(
            f"{symbol.name} has its name from the language", suggestion="Rename its type instead."
        )

    code = module.code
    scope = None if code is None else code.scope_declaring(symbol.declared)
    if code is not None and scope is not None and code.is_assigned(scope):
        raise InvalidParams(
            f"{symbol.id} is a value of {symbol.name}, which is declared elsewhere",
            suggestion=f"Rename the variable or field {symbol.name} instead.",
        )
    places = () if scope is None or code is None else code.stream.positions(symbol.name)
    if code is not None and scope is not None and code.augments(code.named_at(scope, [*places])):
        raise InvalidParams(
            f"{symbol.id} adds to a declaration of another file",
            suggestion="Rename that declaration, and this one with edit_file.",
        )
    is_read = code is not None and code.reader is not None
    if is_read and not symbol.owner and symbol.name in rules_of(module.language).entry_points:
        raise InvalidParams(
            f"Programs start at {symbol.id}", suggestion="Move what it does to another function."
        )


def _check_relatives(index: CodeIndex, symbol: Symbol) -> None:
    """Refuse a method that related types have as well: all of them would have to change."""
    owner = index.owner_of(symbol)
    if _implements_trait(index, symbol):
        raise InvalidParams(
            f"{symbol.id} implements a trait, which has its name",
            suggestion="Rename the function of the trait and each of its implementations.",
        )
    has_traits = index.symbols.modules[symbol.file].navigation.has_traits
    if owner is None or (has_traits and owner.kind != "trait"):
        return
    # Both ways: what it overrides, and what overrides it.
    above = (index.symbols.member(it, symbol.name) for it in index.names.ancestors(owner))
    related = [*index.types.overrides(symbol), *(it for it in above if it is not None)]
    others = sorted({it.id for it in related if it is not symbol})
    if others or index.names.has_outside_base(owner):
        named = ", ".join(others[:3]) or "a base outside of the workspace"
        raise InvalidParams(
            f"{symbol.id} may override or be overridden: {named}",
            suggestion="Rename these with edit_file; find_references lists the uses of each.",
        )


def _implements_trait(index: CodeIndex, symbol: Symbol) -> bool:
    """Whether a method of Rust is in an `impl Trait for Type`."""
    module = index.symbols.modules[symbol.file]
    code = module.code
    if not module.navigation.has_traits or symbol.kind != "method" or code is None:
        return False
    words, depth = code.stream.words, 0
    # Backwards to the brace that is open here; what precedes it says whose it is.
    for at in range(code.scope_of[symbol.qualified].span[0] - 1, -1, -1):
        depth += (words[at] == "}") - (words[at] == "{")
        if depth < 0 and words[at] in {"impl", "trait", "mod"}:
            return words[at] == "impl" and "for" in words[at : words.index("{", at)]
    return False


def _check_collision(module: Module, new: str) -> None:
    links = module.facts.links
    bound = {name for it in links.imports for name in (*it.names, *it.aliases)}
    if new in links.references or new in bound or new in links.exports:
        raise InvalidParams(
            f"{module.path} has the name {new} already",
            suggestion="Choose a name that none of the files to change has.",
            data={"file": module.path},
        )


def _renamed_at(
    index: CodeIndex, symbol: Symbol, use: Use, new: str, text: SourceText
) -> dict[_Place, str]:
    """Return the places to change on a line, with what to write; column 0 if one is not found."""
    module = index.symbols.modules[use.file]
    code = module.code
    if code is None:
        return {(use.line, 0): new}
    owner = index.owner_of(symbol)
    defined = _definitions(index, symbol) if use.file == symbol.file else set()
    found: dict[_Place, str] = {}
    if use.kind == "import":
        is_alias = symbol.name not in _imported_names(module)
        places = text.places_in_import(use.file, use.line, symbol.name, is_alias=is_alias)
        found.update(dict.fromkeys(places, new))
        found.update(dict.fromkeys(_on_path(index, symbol, use, text), new))
    for at in code.stream.positions(symbol.name):
        if code.stream.line(at) != use.line:
            continue
        meaning = index.meaning(module, at)
        if at in defined or index.certainty(symbol, owner, meaning) == "certain":
            key = None if code.reader is None else code.reader.shorthand(code.stream, at)
            is_taken = use.file != symbol.file and _is_in_pattern(code, at)
            is_member = key is not None and key.kind == "member" and not is_taken
            place = use.line, column_of(code, at, use.file, text)
            # `{ size }` means `{ size: size }`: the member keeps its name, and the variable gets
            # the new one.
            found[place] = f"{symbol.name}: {new}" if is_member else new
    for at, offset in quoted_uses(index, symbol, module) if may_be_quoted(symbol) else ():
        if code.stream.line(at) == use.line:
            column = column_of(code, at, use.file, text)
            found[use.line, column and column + offset] = new
    return found


def _is_in_pattern(code: Code, at: int) -> bool:
    """Whether a name is taken out of something: `const { size } = require("./a")`."""
    end = code.stream.closing(code.stream.enclosing(at), len(code.stream))
    return code.stream.words[end + 1 : end + 2] == ["="]


def _on_path(index: CodeIndex, symbol: Symbol, use: Use, text: SourceText) -> list[_Place]:
    """Return where an import names a type to take members from it; column 0 if it may be another.

    A path such as `Kind::Kind` has the name twice, and two imports on one line may mean two types.
    """
    module = index.symbols.modules[use.file]
    passing = [
        at
        for at, (it, _) in enumerate(module.imports)
        if symbol.is_type and it.line == use.line and symbol.name in it.module
    ]
    leads = {index.names.leads_through(module, at, symbol) for at in passing}
    if "certain" not in leads:
        return []
    places = text.places_in_import(use.file, use.line, symbol.name, on_path=True)
    return places if leads == {"certain"} else [(use.line, 0)]


def _imported_names(module: Module) -> set[str]:
    return {name for it in module.facts.links.imports for name in it.names}


def _exported_at(module: Module, name: str, text: SourceText) -> list[_Place]:
    """Return where a file names what it exports: `__all__` of Python, `exports.name = name`."""
    code = module.code
    if code is None or code.reader is None:
        return []
    places = []
    for at in code.stream.literals_with(name.encode()):
        is_whole = code.stream.words[at][1:-1] == name
        if is_whole and code.reader.exports(code.stream, at):
            column = column_of(code, at, module.path, text)
            places.append((code.stream.line(at), column + 1))
    places += [
        (code.stream.line(at), column_of(code, at, module.path, text))
        for at in code.stream.positions(name)
        if code.reader.exports(code.stream, at)
    ]
    return [it for it in places if it[1] > 1]


def _changes(
    wanted: Mapping[str, Mapping[_Place, str]], old: str, text: SourceText
) -> Iterator[FileChange]:
    for file, places in sorted(wanted.items()):
        before = text.content(file)
        lines = before.decode(errors="surrogateescape").split("\n")
        # From the end, so that the columns before a change still hold.
        for (number, column), written in sorted(places.items(), reverse=True):
            line, start = lines[number - 1], column - 1
            if not whole_word(old).match(line, start):
                raise InvalidParams(
                    f"{file}:{number} does not have {old!r} where it was found",
                    suggestion="Call again; the file may have changed meanwhile.",
                )
            lines[number - 1] = line[:start] + written + line[start + len(old) :]
        if places:
            yield FileChange(file, before, "\n".join(lines).encode(errors="surrogateescape"))
