"""Rows as text: aligned columns for a person, CSV and Markdown for programs and documents."""

import csv
import io
from collections.abc import Iterable, Sequence

from benchpin.core import plain

Cell = str | int | float | None
Row = Sequence[Cell]


def columns(rows: Sequence[Row]) -> list[str]:
    """Return rows as lines whose columns are aligned; numbers stand to the right."""
    texts = [[_text(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return [
        "  ".join(
            text.rjust(width) if isinstance(cell, int | float) else text.ljust(width)
            for text, cell, width in zip(line, row, widths, strict=True)
        ).rstrip()
        for line, row in zip(texts, rows, strict=True)
    ]


def as_csv(header: Row, rows: Iterable[Row]) -> str:
    """Return rows as CSV with a header."""
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return page.getvalue()


def as_markdown(header: Sequence[str], rows: Iterable[Row]) -> str:
    """Return rows as a Markdown table."""
    lines = [f"| {' | '.join(header)} |", "|" + " --- |" * len(header)]
    lines += [f"| {' | '.join(_in_table(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _in_table(cell: Cell) -> str:
    """Return a cell that neither ends itself nor becomes markup."""
    return _text(cell).replace("|", "\\|").replace("<", "&lt;")


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return plain(cell)
    return f"{cell:,}" if isinstance(cell, float) else str(cell)
