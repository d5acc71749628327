"""Find what implements or overrides something, and what it implements or overrides itself."""

from collections.abc import Sequence
from dataclasses import replace

from benchpin.code import CodeIndex, SourceText, one_symbol, scope_of, whole_word
from benchpin.code.names import Symbol
from benchpin.code.subtypes import (
    Implementation,
    declares,
    defined_by,
    implementations_of,
    inheriting,
    methods_of,
)
from benchpin.core.calls import Bench, Job
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import Effect, Rare, tool
from benchpin.workspace.walking import ScopeChoice

from ._references import MAX_ABOVE, ImplementationReport
from ._subjects import SymbolParams, answer_each, open_code

# Lines of decorators and annotations above a name.
_MAX_DECORATING = 12
# Types or methods of one name that are all answered.
_MAX_NAMESAKES = 8


class FindImplementationsParams(SymbolParams):
    """Which interface, base class or method."""

    scope: Rare[ScopeChoice] = "all"
    """Which code; production comes first."""


@tool(
    title="Find implementations",
    effect=Effect.READ,
    also=(
        "who implements this interface, trait, protocol or abstract class, subclasses, derived "
        "types, heirs, which methods override it, overrides, what does it implement, "
        "go to implementation, type hierarchy, supertypes"
    ),
)
def find_implementations(params: FindImplementationsParams, bench: Bench) -> ImplementationReport:
    """List what implements a type or overrides a method.

    Also lists what it implements or overrides itself. In Go, TypeScript and Python, types that have
    the members of an interface count without declaring it.
    """
    return answer_each(params, bench, _of_one, most=_MAX_NAMESAKES)


def _of_one(params: FindImplementationsParams, bench: Bench) -> ImplementationReport:
    """Answer for one symbol."""
    index, text = open_code(bench, params.symbol)
    symbol, member = _subject(index, params.symbol, bench.job)
    found = implementations_of(index.types, symbol, member)
    near = ((it, scope_of(index, it.file, it.line)) for it in found.below)
    below = [it for it, scope in near if params.scope in {"all", scope}]
    page = params.page(below)
    certain = sum(it.certainty == "certain" for it in below)

    is_type = symbol.is_type and not member
    methods = methods_of(index.types, symbol) if is_type else []
    name = member or symbol.name
    owner = symbol if member else index.types.owner_of(symbol)

    def defines(row: Implementation) -> tuple[str, ...]:
        heir = index.symbol(row.id) if methods else None
        return () if heir is None else defined_by(index.types, heir, methods)

    def shown(listed: Sequence[Implementation]) -> list[Implementation]:
        return [replace(it, text=_declaration(it, text)) for it in listed]

    return ImplementationReport(
        symbol=f"{symbol.id}.{member}" if member else symbol.id,
        line=symbol.line,
        is_type=is_type,
        is_member=owner is not None,
        requires=found.requires,
        certain=certain,
        possible=len(below) - certain,
        in_tests=sum(it.is_test for it in below),
        implementations=[replace(it, defines=defines(it)) for it in shown(page.items)],
        total=page.total,
        next_cursor=page.next_cursor,
        implements=shown(found.above[:MAX_ABOVE]),
        implements_total=len(found.above),
        inherited={
            base.qualified: [it.qualified for it in heirs]
            for base, heirs in (
                {} if is_type or owner is None else inheriting(index.types, owner, name)
            ).items()
        },
        format=params.format,
    )


def _declaration(row: Implementation, text: SourceText) -> str:
    """Return the line that says what it is: what decorates it may be lines above its name."""
    own = whole_word(row.id.rpartition("::")[2].rpartition(".")[2])
    lines = text.lines(row.file)[row.line - 1 : row.line + _MAX_DECORATING]
    near = (number for number, line in enumerate(lines, row.line) if own.search(line))
    return text.line(row.file, next(near, row.line))


def _subject(index: CodeIndex, written: str, job: Job) -> tuple[Symbol, str]:
    """Return the symbol of that name, and the name of its method if that is not a symbol.

    Raises:
        InvalidParams: when there is no such symbol.
    """
    try:
        symbol, _ = one_symbol(index, written, job)
    except InvalidParams:
        owner, _, name = written.rpartition(".")
        if not owner or not name:
            raise
        around = one_symbol(index, owner, job)[0]
        if not around.is_type or not declares(index.types, around, name):
            raise
        return around, name
    return symbol, ""
