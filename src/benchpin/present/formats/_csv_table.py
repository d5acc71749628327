"""CSV of the first table, for spreadsheets and data frames: every column, raw values."""

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchpin.present import Column

if TYPE_CHECKING:
    from benchpin.present import Report


def render(report: "Report") -> str:
    """Return a header and one record for each row, or for each row inside a row."""
    table = report.view.page
    columns, inner = _parts(table.columns), table.inner
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    inner_columns = _parts(inner.columns) if inner is not None else []
    writer.writerow([column.name for column in (*columns, *inner_columns)])
    for row in table.rows(report):
        cells = [column.cell(row) for column in columns]
        if inner is None:
            writer.writerow(cells)
        else:
            writer.writerows(
                [*cells, *(column.cell(it) for column in inner_columns)] for it in inner.rows(row)
            )
    return page.getvalue()


def _parts(columns: Sequence[Column[Any]]) -> list[Column[Any]]:
    return [part for column in columns for part in (column.parts or (column,))]
