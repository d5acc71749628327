"""Tables that are larger than what is held of them."""

from pathlib import Path

import pytest

from benchpin.fleet._schema import TableWriter
from benchpin.system.formats import ColumnType

COLUMNS: tuple[tuple[str, ColumnType], ...] = (("name", "string"), ("line", "int64"))


@pytest.mark.parametrize("rows", [0, 1, 3, 4, 7])
def test_rows_are_read_in_order_whatever_group_they_are_in(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.setattr("benchpin.fleet._schema.GROUP_ROWS", 3)
    writer = TableWriter(COLUMNS)
    for line in range(rows):
        writer.add({"line": line} if line % 2 else {"line": line, "name": f"n{line}"})
    file = tmp_path / "table.parquet"
    file.write_bytes(writer.finish())

    found = duckdb.execute("SELECT name, line FROM read_parquet(?)", [str(file)]).fetchall()
    assert found == [(None if line % 2 else f"n{line}", line) for line in range(rows)]
