"""Pictures as text, for a terminal that shows no images: bars, trees and lines over time."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from benchpin.core.text import width_of
from benchpin.present import show_cell

from ._picture import PictureRow

_BAR = 24
_MAX_BARS = 15
_MAX_LABEL_CHARS = 60
_EIGHTHS = " ▏▎▍▌▋▊▉"
_HEIGHTS = "▁▂▃▄▅▆▇█"

Form = Callable[[Sequence[PictureRow]], Iterable[str]]


def bars(label: str, value: str, spec: str = "") -> Form:
    """Return a form with a bar for each row, the longest first; the rest is counted."""

    def draw(rows: Sequence[PictureRow]) -> Iterator[str]:
        sized = [(_number(row, value), _label(row, label)) for row in rows if value in row]
        sized.sort(key=lambda it: (-it[0], it[1]))
        most = max((it[0] for it in sized), default=0)
        width = max((width_of(name) for _, name in sized[:_MAX_BARS]), default=0)
        for size, name in sized[:_MAX_BARS]:
            space = " " * (width - width_of(name))
            yield f"{name}{space}  {_bar(size, most)} {show_cell(size, spec)}"
        if len(sized) > _MAX_BARS:
            yield f"and {len(sized) - _MAX_BARS:,} more"

    return draw


def over_time(time: str, *values: str) -> Form:
    """Return a form with one line of blocks for each value, from the first to the last row."""

    def draw(rows: Sequence[PictureRow]) -> Iterator[str]:
        if not rows:
            return
        yield f"from {_label(rows[0], time)} to {_label(rows[-1], time)}"
        width = max(map(len, values))
        for name in values:
            numbers = [_number(row, name) for row in rows if row.get(name) is not None]
            if numbers:
                ends = f"{show_cell(numbers[0])} … {show_cell(numbers[-1])}"
                yield f"{name:<{width}}  {_sparkline(numbers)}  {ends}"

    return draw


def _bar(size: float, most: float) -> str:
    eighths = round(8 * _BAR * size / most) if most > 0 else 0
    whole, rest = divmod(eighths, 8)
    return f"{'█' * whole}{_EIGHTHS[rest] if rest else ''}"


def _sparkline(numbers: Sequence[float]) -> str:
    low, high = min(numbers), max(numbers)
    steps = len(_HEIGHTS) - 1
    return "".join(_HEIGHTS[round(steps * (it - low) / ((high - low) or 1))] for it in numbers)


def _number(row: PictureRow, name: str) -> float:
    value = row.get(name)
    return value if isinstance(value, int | float) else 0


def _label(row: PictureRow, name: str) -> str:
    text = show_cell(row.get(name)).replace("\n", " ")
    return text if len(text) <= _MAX_LABEL_CHARS else f"…{text[1 - _MAX_LABEL_CHARS :]}"
