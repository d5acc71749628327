"""CSV of the first table, for spreadsheets and data frames: every column, raw values."""

import csv
import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchpin.core.report import Report


def render(report: "Report") -> str:
    """Return a header and one record for each row."""
    table = report.view.tables[0]
    columns = [part for column in table.columns for part in (column.parts or (column,))]
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    writer.writerow([column.name for column in columns])
    writer.writerows([column.cell(row) for column in columns] for row in table.rows(report))
    return page.getvalue()
