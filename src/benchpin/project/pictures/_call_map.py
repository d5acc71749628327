"""One symbol between its callers, on the left, and what it calls, on the right."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from benchpin.code.references import FunctionCall
from benchpin.core.text import counted
from benchpin.present.pictures import PictureRow
from benchpin.workspace.walking import is_product_path

MAX_COLUMN_BOXES = 14
_BOX_PX = 44
_MIN_PX = 160


@dataclass(frozen=True, slots=True)
class CallMap:
    """The rows of a map of calls, its height, and how many calls there was no room for."""

    rows: list[PictureRow]
    height: int
    left_out: int


def call_map(
    focus: str, callers: Sequence[FunctionCall], callees: Sequence[FunctionCall]
) -> CallMap:
    """Return boxes in columns, by how many calls they are away, and the calls between them."""
    columns = _columns(focus, callers, callees)
    by_column = defaultdict[int, list[str]](list)
    for symbol, column in columns.items():
        by_column[column].append(symbol)
    for those in by_column.values():  # where there is no room for all, tests are left out first
        those.sort(key=lambda it: not is_product_path(it.partition("::")[0]))
    first, wide = min(by_column), max(by_column) - min(by_column) + 1
    tallest = max(min(len(it), MAX_COLUMN_BOXES) for it in by_column.values())
    places = {
        symbol: ((column - first + 0.5) / wide, (at + 0.5) / min(len(those), MAX_COLUMN_BOXES))
        for column, those in by_column.items()
        for at, symbol in enumerate(those[:MAX_COLUMN_BOXES])
    }
    drawn = [
        it
        for it in (*callers, *callees)
        if it.caller in places and it.callee in places and columns[it.caller] < columns[it.callee]
    ]
    rows = [_line(it, places, wide) for it in drawn]
    where = {it.caller: f"{it.file}:{it.line}" for it in callers}
    code = {it.caller: it.text for it in callers} | {it.callee: it.text for it in callees}
    rows += [
        {
            "id": symbol,
            "name": symbol.rpartition("::")[2].rpartition("/")[2],
            "note": "/".join(symbol.partition("::")[0].split("/")[-2:]),
            "link": where.get(symbol, symbol.partition("::")[0]),
            "text": code.get(symbol, ""),
            "x": round(x, 4),
            "y": round(y, 4),
            "room": wide,
            "is_focus": symbol == focus,
        }
        for symbol, (x, y) in places.items()
    ]
    left_out = len(callers) + len(callees) - len(drawn)
    return CallMap(rows, max(_MIN_PX, _BOX_PX * tallest), left_out)


def _columns(
    focus: str, callers: Sequence[FunctionCall], callees: Sequence[FunctionCall]
) -> dict[str, int]:
    """Return how far each symbol is to the right of the focus; those met first count."""
    columns = {focus: 0}
    for caller in callers:
        columns.setdefault(caller.caller, -caller.depth)
    for callee in callees:
        columns.setdefault(callee.callee, callee.depth)
    return columns


def _line(call: FunctionCall, places: dict[str, tuple[float, float]], wide: int) -> PictureRow:
    (sx, sy), (tx, ty) = places[call.caller], places[call.callee]
    return {
        "is_edge": True,
        "source": call.caller,
        "target": call.callee,
        "sx": round(sx, 4),
        "sy": round(sy, 4),
        "tx": round(tx, 4),
        "ty": round(ty, 4),
        "room": wide,
        "count": call.places,
        "kind": call.certainty,
        "note": f"{call.file}:{call.line} {call.text}",
    }


def describe_calls(
    focus: str, callers: Sequence[FunctionCall], callees: Sequence[FunctionCall], left_out: int
) -> str:
    """Say who calls the symbol, what it calls, and what there was no room for."""
    rest = f"; {counted(left_out, 'call')} not drawn" if left_out else ""
    sure = sum(it.certainty == "certain" for it in (*callers, *callees))
    total = len(callers) + len(callees)
    return (
        f"{focus} is in the middle: {counted(len(callers), 'call')} to it from the left, "
        f"{counted(len(callees), 'call')} by it to the right; "
        f"{sure:,} of {total:,} are certain{rest}."
    )
