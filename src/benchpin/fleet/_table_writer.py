"""Write a table row by row; what is held is the file so far and the rows of one group."""

from collections.abc import Mapping, Sequence

from benchpin.system.formats import Cell, ColumnType, ParquetColumn, ParquetWriter

Row = Mapping[str, Cell]

# A row takes about 1 kB before it is written.
GROUP_ROWS = 10_000


class TableWriter:
    """Collects the rows of one table."""

    def __init__(self, columns: Sequence[tuple[str, ColumnType]]) -> None:
        self._columns = columns
        self._parquet = ParquetWriter()
        self._rows: list[Row] = []
        self._is_begun = False

    def add(self, row: Row) -> None:
        """Add a row; columns that it lacks are empty."""
        self._rows.append(row)
        if len(self._rows) == GROUP_ROWS:
            self._write()

    def finish(self) -> bytes:
        """Return the table as a Parquet file."""
        if self._rows or not self._is_begun:
            self._write()
        return self._parquet.finish()

    def _write(self) -> None:
        self._parquet.add(
            [
                ParquetColumn(name, kind, [row.get(name) for row in self._rows])
                for name, kind in self._columns
            ]
        )
        self._rows, self._is_begun = [], True
