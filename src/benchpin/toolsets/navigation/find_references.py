"""Find every use of a symbol."""

from collections import Counter
from collections.abc import Iterator

from benchpin.code import one_symbol
from benchpin.code.references import CERTAINTIES, Certainty, Use, UseKind, find_uses, with_text
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import Column, Report, Table, View, location

from ._subjects import SymbolParams, open_code

_MAX_NAMESAKES = 5


class FindReferencesParams(SymbolParams):
    """Which symbol, and which of its uses."""

    certainty: Rare[Certainty] = "mention"
    """The least certain uses to list: certain, possible, or also those in strings and comments."""
    kind: Rare[UseKind | None] = None
    """Only uses of this kind."""


class ReferenceReport(Report):
    """The uses of one symbol, the most certain first."""

    symbol: str
    """The path, `::` and the qualified name."""
    line: int
    certain: int
    possible: int
    mentions: int
    others: int
    """How often the name occurs and is something else."""
    uses: list[Use]
    total: int
    next_cursor: str | None
    same_name: list[str]
    """Other symbols of this name, whose uses are not listed."""

    view = View["ReferenceReport"](
        title="References",
        headline=lambda it: [_headline(it)],
        tables=(
            Table(
                rows=lambda it: it.uses,
                columns=(
                    Column("certainty", heading="sure"),
                    Column("kind"),
                    location(),
                    Column("inside", heading="in"),
                    Column("text"),
                ),
            ),
        ),
        notes=lambda it: list(_notes(it)),
    )


def _headline(report: ReferenceReport) -> str:
    mentions = counted(report.mentions, "mention")
    counts = f"{report.certain:,} certain, {report.possible:,} possible, {mentions}"
    others = f"; {report.others:,} of other things of that name" if report.others else ""
    return f"{report.symbol}:{report.line}: {counts}{others}"


def _notes(report: ReferenceReport) -> Iterator[str]:
    if report.same_name:
        shown = ", ".join(report.same_name[:_MAX_NAMESAKES])
        more = len(report.same_name) - _MAX_NAMESAKES
        yield f"other symbols of this name: {shown}" + (f" and {more:,} more" if more > 0 else "")


@tool(
    title="Find references",
    effect=Effect.READ,
    also=(
        "who uses it, usages, callers of a function, where is it called, find all references, "
        "cross references, who imports this name, subclasses, overrides, every place that uses "
        "a type, is it used anywhere, rename safely"
    ),
)
def find_references(params: FindReferencesParams, bench: Bench) -> ReferenceReport:
    """List every use of a symbol: certain, possible, or a mention in a string or comment.

    Each has its line, its text and the function it is in. Other things of that name are counted.
    """
    index, text = open_code(bench)
    symbol, others = one_symbol(index, params.symbol, bench.job)
    uses = find_uses(index, symbol, bench.job)
    counts = Counter(it.certainty for it in uses.found)
    wanted = CERTAINTIES[: CERTAINTIES.index(params.certainty) + 1]
    listed = [
        it
        for it in uses.found
        if it.certainty in wanted and (params.kind is None or it.kind == params.kind)
    ]
    page = params.page(listed)
    return ReferenceReport(
        symbol=symbol.id,
        line=symbol.line,
        certain=counts["certain"],
        possible=counts["possible"],
        mentions=counts["mention"],
        others=uses.others,
        uses=[with_text(it, index, symbol.name, uses, text) for it in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        same_name=[it.id for it in others],
        format=params.format,
    )
