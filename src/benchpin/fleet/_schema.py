"""The tables of a fleet and their columns: what a question can ask for."""

from collections.abc import Mapping, Sequence

from benchpin.system.formats import Cell, ColumnType, ParquetColumn, ParquetWriter

# The tables and their columns.
TABLES: Mapping[str, tuple[tuple[str, ColumnType], ...]] = {
    "repositories": (
        ("repository", "string"),
        ("commit", "string"),
        ("committed_at", "timestamp"),
        ("files", "int64"),
        ("code_lines", "int64"),
        ("functions", "int64"),
        ("findings", "int64"),
        ("errors", "int64"),
        ("unmeasured", "int64"),
        ("licence", "string"),
        ("commits", "int64"),
        ("authors", "int64"),
        ("risk_basis", "string"),
    ),
    "files": (
        ("repository", "string"),
        ("path", "string"),
        ("blob", "string"),
        ("language", "string"),
        ("size_bytes", "int64"),
        ("lines", "int64"),
        ("code_lines", "int64"),
        ("comment_lines", "int64"),
        ("functions", "int64"),
        ("cyclomatic", "int64"),
        ("max_cyclomatic", "int64"),
        ("max_cognitive", "int64"),
        ("maintainability", "double"),
        ("commits", "int64"),
        ("authors", "int64"),
        ("owner", "string"),
        ("last_change", "timestamp"),
        ("defect_risk", "double"),
        ("risk_reason", "string"),
        ("problem", "string"),
    ),
    "symbols": (
        ("repository", "string"),
        ("path", "string"),
        ("name", "string"),
        ("kind", "string"),
        ("line", "int64"),
        ("end_line", "int64"),
        ("is_public", "boolean"),
        ("cyclomatic", "int64"),
        ("cognitive", "int64"),
        ("tokens", "int64"),
        ("fingerprint", "string"),
    ),
    "imports": (
        ("repository", "string"),
        ("path", "string"),
        ("line", "int64"),
        ("module", "string"),
        ("name", "string"),
        ("kind", "string"),
        ("target", "string"),
    ),
    "findings": (
        ("repository", "string"),
        ("path", "string"),
        ("line", "int64"),
        ("rule", "string"),
        ("level", "string"),
        ("message", "string"),
    ),
    "dependencies": (
        ("repository", "string"),
        ("path", "string"),
        ("line", "int64"),
        ("ecosystem", "string"),
        ("name", "string"),
        ("version", "string"),
        ("kind", "string"),
    ),
}
Row = Mapping[str, Cell]
# A row takes about 1 kB before it is written.
GROUP_ROWS = 10_000


# Write a table row by row; what is held is the file so far and the rows of one group.


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
