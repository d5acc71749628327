"""Parquet files as an independent reader sees them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.system.formats import ParquetColumn, ParquetWriter, write_parquet
from parquet_reading import read_rows


@given(
    st.lists(
        st.tuples(
            st.none() | st.text(st.characters(codec="utf-8")),
            st.none() | st.integers(-(2**63), 2**63 - 1),
            st.none() | st.floats(allow_nan=False),
            st.none() | st.booleans(),
            st.none()
            | st.datetimes(datetime(1970, 1, 2), datetime(2100, 1, 1)).map(  # noqa: DTZ001 - below
                lambda it: it.replace(microsecond=0, tzinfo=UTC)
            ),
        ),
        max_size=40,
    )
)
def test_what_is_written_is_read_back(rows: list[tuple[Any, ...]]) -> None:
    kinds = ("string", "int64", "double", "boolean", "timestamp")
    columns = [
        ParquetColumn(kind, kind, [row[at] for row in rows])  # type: ignore[arg-type] # the kinds above
        for at, kind in enumerate(kinds)
    ]
    names, found = read_rows(write_parquet(columns))
    assert names == list(kinds)
    assert [tuple(row.values()) for row in found] == rows


def test_the_file_has_its_marks() -> None:
    content = write_parquet([ParquetColumn("a", "string", ["x", None])])
    assert content[:4] == content[-4:] == b"PAR1"
    length = int.from_bytes(content[-8:-4], "little")
    assert 0 < length < len(content)


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="cells"):
        write_parquet([ParquetColumn("a", "string", ["x"]), ParquetColumn("b", "string", [])])


def test_many_columns_and_rows_fit() -> None:
    columns = [ParquetColumn(f"c{number}", "int64", list(range(20_000))) for number in range(40)]
    names, rows = read_rows(write_parquet(columns))
    assert (len(rows), len(names)) == (20_000, 40)
    assert rows[19_999]["c39"] == 19_999


def test_groups_of_rows_are_read_as_one_table() -> None:
    writer = ParquetWriter()
    for group in ([1, 2], [None], []):
        writer.add([ParquetColumn("a", "int64", group), ParquetColumn("b", "string", group)])
    _, rows = read_rows(writer.finish())
    assert [tuple(it.values()) for it in rows] == [(1, "1"), (2, "2"), (None, None)]
