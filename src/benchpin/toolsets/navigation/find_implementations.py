"""Find what implements or overrides something, and what it implements or overrides itself."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from benchpin.code import CodeIndex, one_symbol
from benchpin.code.names import Symbol
from benchpin.code.subtypes import Implementation, declares, implementations_of
from benchpin.core.calls import Bench, Job
from benchpin.core.errors import InvalidParams
from benchpin.core.text import counted
from benchpin.core.tools import Effect, tool
from benchpin.present import Column, Report, Table, View, location

from ._subjects import SymbolParams, open_code

_MAX_REQUIRED = 12
_MAX_ABOVE = 50
_HOW = {"declared": "says so", "inherited": "inherits it", "members": "has its members"}
_COLUMNS: tuple[Column[Implementation], ...] = (
    Column("certainty", heading="sure"),
    Column("how", lambda it: _HOW[it.how] + (" as a pointer" if it.is_by_reference else "")),
    Column("kind"),
    Column("id", lambda it: it.id.rpartition("::")[2] if it.file in it.id else it.id),
    location(),
    Column("text", is_code=True),
)


class FindImplementationsParams(SymbolParams):
    """Which interface, base class or method."""


class ImplementationReport(Report):
    """Implementations, those in production code first, and what the symbol implements itself."""

    symbol: str
    line: int
    is_type: bool
    is_member: bool
    """Whether it is in a type; else nothing can implement or override it."""
    requires: list[str]
    """The members that a type needs that does not name the interface."""
    certain: int
    possible: int
    in_tests: int
    implementations: list[Implementation]
    total: int
    next_cursor: str | None
    implements: list[Implementation]
    """What it implements, inherits from or overrides itself."""
    implements_total: int

    view = View["ImplementationReport"](
        title="Implementations",
        headline=lambda it: [_headline(it)],
        tables=(
            Table(rows=lambda it: it.implementations, columns=_COLUMNS, is_page=True),
            Table(
                rows=lambda it: it.implements,
                columns=_COLUMNS,
                title=lambda it: f"{'Implements' if it.is_type else 'Overrides'} itself",
            ),
        ),
        notes=lambda it: list(_notes(it)),
    )


def _headline(report: ImplementationReport) -> str:
    if not report.is_type and not report.is_member:
        return f"{report.symbol}:{report.line} is neither a type nor a method of one."
    if report.is_type:
        said = counted(report.total, "type implements it", "types implement it")
    else:
        said = counted(report.total, "method overrides it", "methods override it")
    tests = f", {report.in_tests:,} in tests" if report.in_tests else ""
    counts = f"{report.certain:,} certain, {report.possible:,} possible{tests}"
    return f"{report.symbol}:{report.line}: {said}" + (f" ({counts})" if report.total else "")


def _notes(report: ImplementationReport) -> Iterator[str]:
    if report.requires:
        more = len(report.requires) - _MAX_REQUIRED
        names = ", ".join(report.requires[:_MAX_REQUIRED])
        yield f"it requires {names}" + (f" and {more:,} more" if more > 0 else "")
    if report.implements_total > len(report.implements):
        yield f"it implements {report.implements_total:,}, of which {_MAX_ABOVE} are listed"


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

    Also what it implements or overrides itself. Types of Go, TypeScript and Python that only have
    the members of an interface are found too.
    """
    index, text = open_code(bench, params.symbol)
    symbol, member = _subject(index, params.symbol, bench.job)
    found = implementations_of(index.types, symbol, member)
    page = params.page(found.below)
    certain = sum(it.certainty == "certain" for it in found.below)

    def shown(listed: Sequence[Implementation]) -> list[Implementation]:
        return [replace(it, text=text.line(it.file, it.line)) for it in listed]

    return ImplementationReport(
        symbol=f"{symbol.id}.{member}" if member else symbol.id,
        line=symbol.line,
        is_type=symbol.is_type and not member,
        is_member=bool(member) or index.types.owner_of(symbol) is not None,
        requires=found.requires,
        certain=certain,
        possible=len(found.below) - certain,
        in_tests=sum(it.is_test for it in found.below),
        implementations=shown(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        implements=shown(found.above[:_MAX_ABOVE]),
        implements_total=len(found.above),
        format=params.format,
    )


def _subject(index: CodeIndex, written: str, job: Job) -> tuple[Symbol, str]:
    """Return the symbol that is meant, and the name of its method where that is no symbol.

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
