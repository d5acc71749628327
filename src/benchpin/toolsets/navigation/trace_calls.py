"""Trace who calls a function, what it calls, or how it reaches another."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.code import CodeBudget, CodeIndex, SourceText, one_symbol
from benchpin.code.accounting import NameAccount
from benchpin.code.names import Symbol
from benchpin.code.references import (
    Certainty,
    Direction,
    FunctionCall,
    calls_in_body,
    find_path,
    find_uses,
    trace,
)
from benchpin.core.calls import Bench, Job
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import PICTURE_FORMATS, Format, Image

from ._places import PlaceParams, by_scope, reconciled, scopes_of, with_excerpts
from ._reports import CallReport
from ._subjects import SymbolParams, answer_each, open_code


class TraceCallsParams(SymbolParams, PlaceParams):
    """Where to start, and how far to go."""

    format: Rare[Literal[Format, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details, csv has every row."""
    direction: Direction = "callers"
    """Who calls it, or what it calls."""
    depth: Annotated[int, Field(ge=1, le=8)] = 1
    """How many levels of calls to follow."""
    to: Annotated[str, Field(max_length=500)] | None = None
    """Show the path of calls to this symbol."""
    certainty: Rare[Certainty] = "possible"
    """Which calls to list: certain ones only, or possible ones too."""


_MAX_ACCOUNTS = 4


@tool(
    title="Trace calls",
    effect=Effect.READ,
    also=(
        "who calls it, callers, callees, call hierarchy, call graph of a function, what does it "
        "call, path between functions, how is it reached, call chain, what happens when it "
        "runs, call tree, what leads to this function"
    ),
)
def trace_calls(params: TraceCallsParams, bench: Bench) -> CallReport:
    """List who calls a function, what it calls, how it reaches another.

    Each call is shown with its code, as certain or possible; production code first. Constructors,
    overrides and decorators are followed.
    """
    return answer_each(params, bench, _of_one)


def _of_one(params: TraceCallsParams, bench: Bench) -> CallReport:
    """Answer for one symbol."""
    index, text = open_code(bench, params.symbol, *([params.to] if params.to else []))
    symbol, _ = one_symbol(index, params.symbol, bench.job)
    symbol = index.run_by(symbol)
    goal = None if params.to is None else index.run_by(one_symbol(index, params.to, bench.job)[0])
    if goal is not None:
        found = find_path(index, symbol, goal, bench.job)
    else:
        found = trace(index, symbol, params.direction, params.depth, bench.job)
    near = (it for it in found.calls if it.certainty == "certain" or params.certainty != "certain")
    listed = by_scope(index, near, params.scope)
    if goal is not None:  # a path is read in its order
        listed.sort(key=lambda it: it.depth)
    page = params.page(listed)
    certain = sum(it.certainty == "certain" for it in listed)
    code = CodeBudget(index, text, params.budget, is_for_all=params.scope != "all")
    beside: list[FunctionCall] = []
    if params.format in PICTURE_FORMATS and goal is None:
        other: Direction = "callees" if params.direction == "callers" else "callers"
        beside = trace(index, symbol, other, 1, bench.job).calls
    is_body = goal is None and params.direction == "callees"
    body = calls_in_body(index, symbol, bench.job) if is_body else None
    return CallReport(
        symbol=symbol.id,
        direction=params.direction,
        to=None if goal is None else goal.id,
        certain=certain,
        possible=len(listed) - certain,
        scopes=scopes_of(listed),
        accounts=_accounts(params, symbol, listed, index, text, bench),
        unresolved=0 if body else found.unresolved,
        body=body,
        recursive=_recursive(params, symbol, listed, index, bench.job),
        calls=with_excerpts(page.items, code),
        total=page.total,
        next_cursor=page.next_cursor,
        beside=beside,
        cut_code=code.cut,
        format=params.format,
    )


def _accounts(
    params: TraceCallsParams,
    symbol: Symbol,
    calls: Sequence[FunctionCall],
    index: CodeIndex,
    text: SourceText,
    bench: Bench,
) -> list[NameAccount]:
    """Return the accounts of the names whose callers were followed, nearest first."""
    if params.direction != "callers" or params.to is not None:
        return []
    followed = [it.callee for it in calls if it.scope != "tests" and it.callee != symbol.id]
    others = (index.symbol(it) for it in dict.fromkeys(followed))
    names = [symbol, *(it for it in others if it is not None)][:_MAX_ACCOUNTS]
    return [account for account, _ in reconciled(index, names, text, bench)]


def _recursive(
    params: TraceCallsParams,
    symbol: Symbol,
    calls: Sequence[FunctionCall],
    index: CodeIndex,
    job: Job,
) -> list[str]:
    """Return the functions whose callers were followed and that call themselves, with places."""
    if params.direction != "callers" or params.to is not None:
        return []
    followed = (index.symbol(it) for it in dict.fromkeys(it.callee for it in calls))
    found = []
    for one in dict.fromkeys((symbol, *followed)):
        if one is None or index.values.overloads_of(one):  # one overload calls another
            continue
        uses = find_uses(index, one, job, mentions=False).found
        own = (it for it in uses if it.kind == "call" and it.certainty == "certain")
        lines = [it.line for it in own if it.file == one.file and it.inside == one.qualified]
        found += [f"{one.name} at {one.file}:{line}" for line in lines[:1]]
    return found
