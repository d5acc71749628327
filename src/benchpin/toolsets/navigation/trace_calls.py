"""Trace who calls a function, what it calls, or how it reaches another."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from benchpin.code import one_symbol
from benchpin.code.references import (
    Call,
    CallTrace,
    Certainty,
    Direction,
    calls_with_text,
    find_path,
    trace,
)
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import PICTURE_FORMATS, Column, Format, Image, Report, Table, View, location
from benchpin.present.charts import node_link
from benchpin.present.pictures import Picture, PictureRow, Specification, bars
from benchpin.project.pictures import CallMap, call_map, describe_calls

from ._index import SymbolParams, open_code


class TraceCallsParams(SymbolParams):
    """Where to start, and how far to go."""

    format: Rare[Literal[Format, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details, csv has every row."""
    direction: Direction = "callers"
    """Who calls it, or what it calls."""
    depth: Annotated[int, Field(ge=1, le=8)] = 1
    """How many calls to follow."""
    to: Annotated[str, Field(max_length=500)] | None = None
    """Show how it reaches this instead."""
    certainty: Rare[Certainty] = "possible"
    """The least certain calls to list: certain, or also possible ones."""


class CallReport(Report):
    """Calls, nearest first; those of a path in order."""

    symbol: str
    direction: Direction
    to: str | None
    """The end of the path, if one was asked for."""
    certain: int
    possible: int
    unresolved: int
    """Calls of methods that too many types have to list them."""
    calls: list[Call]
    total: int
    next_cursor: str | None
    beside: Annotated[Sequence[Call], Field(exclude=True)] = ()
    """The calls in the other direction, for the picture."""

    view = View["CallReport"](
        title="Calls",
        headline=lambda it: [_headline(it)],
        tables=(
            Table(
                rows=lambda it: it.calls,
                columns=(
                    Column("depth"),
                    Column("certainty", heading="sure"),
                    Column("caller", lambda it: _short(it.caller), parts=(Column("caller"),)),
                    Column("callee", lambda it: _short(it.callee), parts=(Column("callee"),)),
                    location(),
                    Column("places", is_detail=True),
                    Column("text"),
                ),
            ),
        ),
        pictures=(
            Picture(
                name="calls",
                title="Who calls it, and what it calls",
                rows=lambda it: _map(it).rows if it.calls or it.beside else (),
                spec=lambda it: {**_spec(it)},
                alt=lambda it, _: describe_calls(it.symbol, *_sides(it), _map(it).left_out),
                text=lambda rows: [*_as_text(rows)],
                link="link",
            ),
        ),
        notes=lambda it: list(_notes(it)),
    )


def _sides(report: CallReport) -> tuple[Sequence[Call], Sequence[Call]]:
    """Return the callers and the callees; a path is one of callees."""
    is_callers = report.direction == "callers" and report.to is None
    return (report.calls, report.beside) if is_callers else (report.beside, report.calls)


def _map(report: CallReport) -> CallMap:
    return call_map(report.symbol, *_sides(report))


def _spec(report: CallReport) -> Specification:
    sides = _sides(report)
    kinds = sorted({call.certainty for side in sides for call in side})
    return node_link(list(kinds), _map(report).height, "Calls", is_across=True)


def _as_text(rows: Sequence[PictureRow]) -> Iterator[str]:
    calls = [it for it in rows if it.get("is_edge")]
    yield from bars("call", "count")(
        [
            {
                "call": f"{_short(str(it['source']))} → {_short(str(it['target']))}",
                "count": it["count"],
            }
            for it in calls
        ]
    )


def _short(symbol: str) -> str:
    """Return a name without its file, which the location has; all of it for a file."""
    return symbol.rpartition("::")[2]


def _headline(report: CallReport) -> str:
    counts = f"{report.certain:,} certain, {report.possible:,} possible"
    if report.to is not None and not report.total:
        return f"No path of calls leads from {report.symbol} to {report.to}."
    if report.to is not None:
        return f"{report.symbol} reaches {report.to} by {counted(report.total, 'call')}: {counts}"
    return f"{report.direction} of {report.symbol}: {counts}"


def _notes(report: CallReport) -> Iterator[str]:
    if report.unresolved:
        calls = counted(report.unresolved, "call")
        yield f"not listed: {calls} of a method that many types have, on an object of unknown type"


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
    """List who calls a function, what it calls, or the calls by which it reaches another.

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
    beside: list[Call] = []
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
