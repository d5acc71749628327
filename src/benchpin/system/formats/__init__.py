"""File formats: Parquet, TOML, JSON with comments; and sorting many names."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._jsonc import Json, as_object, as_strings, parse_object
    from ._ordering import sorted_names
    from ._parquet import Cell, ColumnType, ParquetColumn, ParquetWriter, write_parquet
    from ._toml import NotToml, masked_toml, parse_toml

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

__getattr__ = lazy(
    __name__,
    """
    _jsonc: Json as_object as_strings parse_object
    _ordering: sorted_names
    _parquet: Cell ColumnType ParquetColumn ParquetWriter write_parquet
    _toml: NotToml masked_toml parse_toml
    """,
)
