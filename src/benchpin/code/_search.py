"""Find symbols by name: exact ones first, then parts of names; the obvious one first."""

import difflib
import re
from collections.abc import Iterator, Sequence
from typing import Literal

from benchpin.code.names import Module, Symbol
from benchpin.core.calls import Job
from benchpin.core.errors import InvalidParams, TimeLimitExceeded
from benchpin.core.text import counted
from benchpin.workspace.walking import SCOPES, is_product_path, is_test_path

from ._code_index import CodeIndex, scope_of

# As people say them; `type` is any kind of type.
SymbolKind = Literal[
    "type",
    "class",
    "interface",
    "struct",
    "enum",
    "trait",
    "function",
    "method",
    "constant",
    "variable",
    "field",
]

_PLACE = re.compile(r"(?P<file>[^:]+):(?P<line>\d+)")
# Ranks below this one are whole names.
_EXACT = 4
_NOT = 9
_MAX_NEAR = 3
# Of an ambiguous name: choices in the sentence, and in its data; symbols among which one may be
# the base of all others.
_MAX_CHOICES, _MAX_NAMED, _MAX_BASES = 8, 50, 40


def find_symbols(
    index: CodeIndex, written: str, job: Job, *, kind: SymbolKind | None = None, folder: str = ""
) -> list[Symbol]:
    """Return the symbols that a name means, best first.

    `written` is a name, a part of one, a qualified name, `path::name`, or `path:line`.
    """
    place = _PLACE.fullmatch(written)
    if place is not None:
        return _at_line(index, place["file"], int(place["line"]))
    path, wanted = _path_and_name(written)
    found: list[tuple[int, Symbol]] = []
    last = wanted.rpartition(".")[2]
    lowered = last.lower()
    # A symbol may have these letters in its name, or a variable this name.
    named = index.symbols.names.defining_part(lowered) | set(index.symbols.names.using(last))
    for file in job.each([it for it in index.symbols.modules if it in named], "files"):
        if _is_in(file, folder) and (not path or (file == path or file.endswith(f"/{path}"))):
            module = index.symbols.modules[file]
            for symbol in _symbols(index, module, wanted, kind):
                may_fit = lowered in symbol.qualified.lower()
                rank = _rank(symbol, module, wanted) if may_fit else _NOT
                if rank < _NOT:
                    found.append((rank, symbol))
    found.sort(key=lambda it: (it[0], *_obvious(it[1])))
    return [it for _, it in found]


def one_symbol(index: CodeIndex, written: str, job: Job) -> tuple[Symbol, list[Symbol]]:
    """Return the symbol that a name plainly means, and others with exactly that name.

    Raises:
        InvalidParams: when there is none, and the error names the nearest; or when several fit
            equally well, and it names them with their places.
        TimeLimitExceeded: when there is none in the files that were read in time.
    """
    found = find_symbols(index, written, job)
    if not found and job.missing:
        raise TimeLimitExceeded(
            f"{written!r} was not found in time: {', '.join(job.missing)} were not read",
            suggestion="Call again: what was read is kept.",
        )
    if not found:
        raise InvalidParams(
            f"No symbol is called {written!r} in {counted(len(index.symbols.modules), 'file')}",
            suggestion=near_symbols(index, written)
            or "find_symbol with a part of the name lists what there is.",
            data={"symbol": written},
        )
    best = found[0]
    module = index.symbols.modules[best.file]
    if _PLACE.fullmatch(written) or _rank(best, module, _path_and_name(written)[1]) >= _EXACT:
        names = ", ".join(it.id for it in found[:_MAX_NEAR])
        if _PLACE.fullmatch(written):
            return best, []
        raise InvalidParams(
            f"No symbol is called {written!r}",
            suggestion=f"Names with this part: {names}.",
            data={"symbol": written},
        )
    best = _plainly_meant(index, written, found)
    same = [it for it in found if it is not best and it.name.lower() == best.name.lower()]
    return best, same


def _plainly_meant(index: CodeIndex, written: str, found: Sequence[Symbol]) -> Symbol:
    """Return the symbol that a name means more than the others, or the base that they override.

    Raises:
        InvalidParams: when several fit equally well.
    """
    wanted = _path_and_name(written)[1]
    names = index.symbols.modules

    def standing(symbol: Symbol) -> tuple[object, ...]:
        scope = scope_of(index, symbol.file, symbol.line)
        is_inner = symbol.kind == "closure"
        rank = _rank(symbol, names[symbol.file], wanted)
        return rank, SCOPES.index(scope), is_inner, not symbol.is_public

    best = min(map(standing, found))
    alike = [it for it in found if standing(it) == best]
    # In one folder the same name is one thing: for several systems, or overloaded.
    apart = {(it.qualified, it.file.rpartition("/")[0]): it for it in reversed(alike)}
    if len(apart) == 1:
        return alike[0]
    for base in alike if len(alike) <= _MAX_BASES else ():
        if base.is_function and {*apart.values()} <= {base, *index.types.overrides(base)}:
            return base
    choices = [f"{it.id}:{it.line}" for it in alike]
    more = len(choices) - _MAX_CHOICES
    named = ", ".join(choices[:_MAX_CHOICES]) + (f" and {more:,} more" if more > 0 else "")
    raise InvalidParams(
        f"{len(choices):,} symbols are called {written!r}",
        suggestion=f"Name one of them: {named}.",
        data={"symbol": written, "choices": choices[:_MAX_NAMED]},
    )


def _path_and_name(written: str) -> tuple[str, str]:
    """Split `path::Class.method`; `a::b` is a qualified name, since `a` is no path."""
    head, _, rest = written.partition("::")
    path, name = (head, rest) if rest and ("/" in head or "." in head) else ("", written)
    return path, name.replace("::", ".").replace("#", ".").strip(".")


def near_symbols(index: CodeIndex, written: str) -> str:
    """Return a sentence with the nearest names and where they are; empty if none is near."""
    names = index.symbols.names
    wanted = _path_and_name(written)[1].rpartition(".")[2]
    near = difflib.get_close_matches(wanted, sorted(names.defined()), n=_MAX_NEAR)
    places = [f"{it} ({names.defining(it)[0][0]})" for it in near]
    return f"The nearest names are {', '.join(places)}." if places else ""


def is_exact(index: CodeIndex, symbol: Symbol, written: str) -> bool:
    """Whether a name means a symbol as a whole, and not as a part of its name."""
    module = index.symbols.modules[symbol.file]
    wanted = _path_and_name(written)[1]
    return bool(_PLACE.fullmatch(written)) or _rank(symbol, module, wanted) < _EXACT


def _at_line(index: CodeIndex, file: str, line: int) -> list[Symbol]:
    """Return the symbols around a line, the innermost first."""
    module = index.symbols.modules.get(file)
    around = [
        it
        for it in ([] if module is None else module.symbols.values())
        if it.line <= line <= it.end_line
    ]
    return sorted(around, key=lambda it: (it.end_line - it.line, it.line))


def _is_in(path: str, folder: str) -> bool:
    return folder in {"", "."} or path == folder or path.startswith(f"{folder}/")


# From a name to the call that it is taken from.
_MAX_PATTERN_LINES = 40


def _symbols(
    index: CodeIndex, module: Module, wanted: str, kind: SymbolKind | None
) -> Iterator[Symbol]:
    """Yield the symbols of a kind in a file; variables only if their whole name is wanted."""
    if kind not in {"variable", "constant", "field"}:
        for symbol in module.symbols.values():
            if kind is None or symbol.kind == kind or (kind == "type" and symbol.is_type):
                yield symbol
    name = wanted.rpartition(".")[2]
    if kind in {None, "variable", "constant"}:
        variable = module.variable(name)
        # What is never bound again is a constant by its spelling: few languages say it.
        is_kind = kind != "constant" or name.isupper()
        if variable is not None and is_kind and not _is_imported(variable, module):
            yield variable
    if kind in {None, "field"} and name in module.facts.links.references:
        for symbol in module.symbols.values():
            field = index.values.field(symbol, name) if symbol.is_type else None
            if field is not None:
                yield field


def _is_imported(variable: Symbol, module: Module) -> bool:
    """Whether a variable is what a file imports, as in `const { name } = require('…')`."""
    return any(
        variable.name in (it.aliases or it.names)
        and 0 <= it.line - variable.line <= _MAX_PATTERN_LINES
        for it in module.facts.links.imports
    )


def _rank(symbol: Symbol, module: Module, wanted: str) -> int:
    """Return how well a symbol fits a name: 0 is best, 9 not at all."""
    # An `impl` of Rust for a type of a path has that path in its name.
    qualified, name = symbol.qualified.replace("::", "."), symbol.name
    if qualified == wanted:
        return 0
    if qualified.endswith(f".{wanted}"):
        return 1
    if "." in wanted:
        dotted = module.path.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
        if f".{dotted}.{qualified}".endswith(f".{wanted}"):
            return 2
    low, low_name = wanted.lower(), name.lower()
    if low_name == low or qualified.lower() == low:
        return 3
    if low_name.startswith(low):
        return 4
    if low in low_name:
        return 5
    return 6 if low in qualified.lower() and "." in wanted else _NOT


def _obvious(symbol: Symbol) -> tuple[object, ...]:
    """Return a sort key: public code of the program before private code, tests and examples."""
    kinds = ("type", "function", "method", "variable", "field", "closure")
    kind = "type" if symbol.is_type else symbol.kind
    order = kinds.index(kind) if kind in kinds else len(kinds)
    return (
        is_test_path(symbol.file),
        not is_product_path(symbol.file),
        not symbol.is_public,
        symbol.qualified.count("."),
        order,
        len(symbol.name),
        symbol.file.count("/"),
        symbol.file,
        symbol.line,
    )
