"""Find every use of a symbol."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, get_args

from pydantic import Field

from benchpin.code import CodeBudget, one_symbol
from benchpin.code.accounting import NameAccount
from benchpin.code.references import Certainty, Use, UseKind, with_code
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import Column, Report, Table, View, location
from benchpin.workspace.walking import CodeScope

from ._places import PlaceParams, by_scope, first_of, places_text, reconciled, scopes_of
from ._subjects import SymbolParams, open_code

_MAX_NAMESAKES = 5


class FindReferencesParams(SymbolParams, PlaceParams):
    """Which symbol, and which of its uses."""

    certainty: Rare[Certainty] = "possible"
    """The least certain to list: certain, possible, or mention for strings and comments too."""
    kind: Rare[UseKind | None] = None
    """Only uses of this kind."""


class ReferenceReport(Report):
    """The uses of one symbol, those in production code first."""

    symbol: str
    """The path, `::` and the qualified name."""
    line: int
    certain: int
    possible: int
    mentions: int
    others: int
    """How often the name occurs and is something else."""
    account: NameAccount
    """Every line that has the name, by what it is."""
    scopes: dict[CodeScope, int]
    """How many uses of the list are in each kind of code."""
    uses: list[Use]
    total: int
    next_cursor: str | None
    same_name: list[str]
    """Other symbols of this name, whose uses are not listed."""
    unlisted: Annotated[int, Field(exclude_if=lambda it: not it)] = 0
    """Mentions that fit the question otherwise, and were not asked for."""
    cut_code: Annotated[int, Field(exclude_if=lambda it: not it)] = 0
    """Places that have one line of a longer statement."""

    view = View["ReferenceReport"](
        title="References",
        headline=lambda it: [_headline(it), *it.account.sentences()],
        tables=(
            Table(
                rows=lambda it: it.uses,
                columns=(
                    Column("scope"),
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

    def to_text(self) -> str:
        """Return the uses by file, with their code; other formats have a table."""
        if self.format not in {"summary", "full", "detailed"}:
            return super().to_text()
        return places_text(self, self.uses, _label, Counter(self.scopes))


def _label(use: Use) -> str:
    sure = "possible " if use.certainty == "possible" else ""
    return f"{sure}{use.kind}" + (f" in {use.inside}" if use.inside else "")


def _headline(report: ReferenceReport) -> str:
    mentions = counted(report.mentions, "mention")
    counts = f"{report.certain:,} certain, {report.possible:,} possible, {mentions}"
    return f"{report.symbol}:{report.line}: {counts}"


def _notes(report: ReferenceReport) -> Iterator[str]:
    if report.same_name:
        yield f"other symbols of this name: {first_of(report.same_name, _MAX_NAMESAKES)}"
    if report.unlisted:
        mentions = counted(report.unlisted, "mention")
        how = report.text_style.hint("certainty=mention")
        yield f"not listed: {mentions} in strings and comments ({how})"
    if report.cut_code:
        yield f"{report.cut_code:,} statements are cut to one line; a larger budget shows them"


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
    """List every use of a symbol, with its code.

    Certain, then possible; production first. Mentions in strings and comments are counted. Every
    line that has the name is accounted for: no search is needed after it.
    """
    index, text = open_code(bench, params.symbol)
    symbol, others = one_symbol(index, params.symbol, bench.job)
    [(account, uses)] = reconciled(index, [symbol], text, bench)
    counts = Counter(it.certainty for it in uses.found)
    least = "mention" if params.kind in {"string", "comment"} else params.certainty
    certainties = get_args(Certainty)
    wanted = certainties[: certainties.index(least) + 1]
    near = (it for it in uses.found if params.kind in {None, it.kind})
    fitting = by_scope(index, near, params.scope)
    listed = [it for it in fitting if it.certainty in wanted]
    is_told = least == "possible"
    page = params.page(listed)
    code = CodeBudget(index, text, params.budget, is_for_all=params.scope != "all")
    return ReferenceReport(
        symbol=symbol.id,
        line=symbol.line,
        certain=counts["certain"],
        possible=counts["possible"],
        mentions=counts["mention"],
        others=uses.others,
        account=account,
        scopes=scopes_of(listed),
        uses=[with_code(it, index, symbol.name, uses, text, code) for it in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        same_name=[it.id for it in others],
        unlisted=len(fitting) - len(listed) if is_told else 0,
        cut_code=code.cut,
        format=params.format,
    )
