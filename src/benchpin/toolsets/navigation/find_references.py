"""Find every use of a symbol."""

from collections import Counter
from typing import get_args

from benchpin.code import CodeBudget, one_symbol
from benchpin.code.references import Certainty, UseKind, with_code
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool

from ._places import PlaceParams, by_scope, reconciled, scopes_of
from ._references import ReferenceReport, through_overrides, without_many
from ._subjects import SymbolParams, answer_each, open_code


class FindReferencesParams(SymbolParams, PlaceParams):
    """Which symbol, and which of its uses."""

    certainty: Rare[Certainty | None] = None
    """How uncertain uses may be; mention includes strings and comments. By default possible, if
    there are few."""
    kind: Rare[UseKind | None] = None
    """Only uses of this kind."""


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

    Certain uses first, then possible ones if there are few; production code first. Other possible
    uses and mentions are counted. Every line with the name is accounted for, so no further search
    is needed.
    """
    return answer_each(params, bench, _of_one)


def _of_one(params: FindReferencesParams, bench: Bench) -> ReferenceReport:
    """Answer for one symbol."""
    index, text = open_code(bench, params.symbol)
    symbol, others = one_symbol(index, params.symbol, bench.job)
    [(account, uses)] = reconciled(index, [symbol], text, bench)
    counts = Counter(it.certainty for it in uses.found)
    least = "mention" if params.kind in {"string", "comment"} else params.certainty or "possible"
    near = (it for it in uses.found if params.kind in {None, it.kind})
    fitting = by_scope(index, near, params.scope)
    certainties = get_args(Certainty)
    wanted = certainties[: certainties.index(least) + 1]
    near_enough = [it for it in fitting if it.certainty in wanted]
    listed, left_out = (
        without_many(index, symbol, near_enough, uses)
        if params.certainty is None
        else (near_enough, None)
    )
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
        through_overrides=through_overrides(index, symbol, uses, text, bench.job),
        same_name=[it.id for it in others],
        unlisted=len(fitting) - len(near_enough) if least == "possible" else 0,
        unlisted_possible=left_out,
        cut_code=code.cut,
        format=params.format,
    )
