"""File formats: Parquet, TOML, JSON with comments; and sorting many names."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._parquet import Cell, ColumnType, ParquetColumn, ParquetWriter, write_parquet
    from ._texts import (
        Json,
        NotToml,
        as_object,
        as_strings,
        masked_toml,
        parse_object,
        parse_toml,
        sorted_names,
    )

__all__ = [
    "Cell",
    "ColumnType",
    "Json",
    "NotToml",
    "ParquetColumn",
    "ParquetWriter",
    "as_object",
    "as_strings",
    "masked_toml",
    "parse_object",
    "parse_toml",
    "sorted_names",
    "write_parquet",
]

__getattr__ = lazy(__name__)
