"""Trace who calls a function, what it calls, or how it reaches another."""

from typing import Annotated, Literal

from pydantic import Field

from benchpin.code import one_symbol
from benchpin.code.references import (
    CallTrace,
    Certainty,
    Direction,
    FunctionCall,
    calls_with_text,
    find_path,
    trace,
)
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import PICTURE_FORMATS, Format, Image

from ._reports import CallReport
from ._subjects import SymbolParams, open_code


class TraceCallsParams(SymbolParams):
    """Where to start, and how far to go."""

    format: Rare[Literal[Format, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details, csv has every row."""
    direction: Direction = "callers"
    """Which of them."""
    depth: Annotated[int, Field(ge=1, le=8)] = 1
    """How far to follow."""
    to: Annotated[str, Field(max_length=500)] | None = None
    """Show how it reaches this."""
    certainty: Rare[Certainty] = "possible"
    """The least certain calls to list: certain, or also possible ones."""


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

    Each is certain or possible. Constructors, overrides and decorators are followed.
    """
    index, text = open_code(bench)
    symbol, _ = one_symbol(index, params.symbol, bench.job)
    symbol = index.run_by(symbol)
    goal = None if params.to is None else index.run_by(one_symbol(index, params.to, bench.job)[0])
    found: CallTrace
    if goal is not None:
        found = find_path(index, symbol, goal, bench.job)
    else:
        found = trace(index, symbol, params.direction, params.depth, bench.job)
    listed = [
        it for it in found.calls if params.certainty != "certain" or it.certainty == "certain"
    ]
    page = params.page(listed)
    certain = sum(it.certainty == "certain" for it in found.calls)
    beside: list[FunctionCall] = []
    if params.format in PICTURE_FORMATS and goal is None:
        other: Direction = "callees" if params.direction == "callers" else "callers"
        beside = trace(index, symbol, other, 1, bench.job).calls
    return CallReport(
        symbol=symbol.id,
        direction=params.direction,
        to=None if goal is None else goal.id,
        certain=certain,
        possible=len(found.calls) - certain,
        unresolved=found.unresolved,
        calls=calls_with_text(page.items, text),
        total=page.total,
        next_cursor=page.next_cursor,
        beside=calls_with_text(beside, text),
        format=params.format,
    )
