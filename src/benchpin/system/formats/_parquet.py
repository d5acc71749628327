"""Write a table as a Parquet file: plain encoding, Zstandard, every cell optional.

Written by hand, because the libraries for Parquet are heavier than the rest of Benchpin together
(pyarrow takes over 100 MB, fastparquet needs pandas). The format is parquet-format 2.9: pages, then
a footer in Thrift's compact protocol.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Literal

Cell = str | int | float | bool | datetime | None
ColumnType = Literal["string", "int64", "double", "boolean", "timestamp"]

_MAGIC = b"PAR1"
_CREATED_BY = "benchpin version 1.0 (build plain)"
# Zstandard's default.
_LEVEL = 3

_BOOLEAN, _INT64, _DOUBLE, _BYTE_ARRAY = 0, 2, 5, 6
_UTF8, _TIMESTAMP_MILLIS = 0, 9
_OPTIONAL = 1
_PLAIN, _RLE = 0, 3
_ZSTD = 6
_DATA_PAGE = 0

_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12
_LONG_LIST = 15


@dataclass(frozen=True, slots=True)
class ParquetColumn:
    """A name, a type, and a cell for each row."""

    name: str
    type: ColumnType
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class _Chunk:
    """The cells of a column in a group of rows, and their position in the file."""

    name: str
    type: ColumnType
    offset: int
    size: int
    unpacked: int


@dataclass(frozen=True, slots=True)
class _RowGroup:
    """Some rows."""

    rows: int
    chunks: tuple[_Chunk, ...]


class ParquetWriter:
    """Writes a file group by group: what it holds is the file, not the cells."""

    def __init__(self) -> None:
        self._body = bytearray(_MAGIC)
        self._groups: list[_RowGroup] = []

    def add(self, columns: Sequence[ParquetColumn]) -> None:
        """Add a group of rows; the first one, which may be empty, sets names and types.

        Raises:
            ValueError: when columns differ in length.
        """
        rows = {len(column.cells) for column in columns}
        if len(rows) != 1:
            message = f"columns have {sorted(rows)} cells"
            raise ValueError(message)
        [count] = rows
        chunks = []
        for column in columns:
            page, unpacked = _page(column)
            chunks.append(_Chunk(column.name, column.type, len(self._body), len(page), unpacked))
            self._body += page
        self._groups.append(_RowGroup(count, tuple(chunks)))

    def finish(self) -> bytes:
        """Return the file."""
        footer = _footer(self._groups)
        return bytes(self._body + footer + struct.pack("<I", len(footer)) + _MAGIC)


def write_parquet(columns: Sequence[ParquetColumn]) -> bytes:
    """Return a table as the bytes of a Parquet file with one group of rows.

    Raises:
        ValueError: when columns differ in length.
    """
    writer = ParquetWriter()
    writer.add(columns)
    return writer.finish()


def _page(column: ParquetColumn) -> tuple[bytes, int]:
    """Return a column as one page, and its unpacked size."""
    from benchpin.system.zstd import compress  # noqa: PLC0415 - loaded when used

    levels = _levels(column.cells)
    present = [cell for cell in column.cells if cell is not None]
    plain = struct.pack("<I", len(levels)) + levels + _TYPES[column.type][2](present)
    packed = compress(plain, _LEVEL)
    levels_and_values = _struct(
        (1, _I32, len(column.cells)), (2, _I32, _PLAIN), (3, _I32, _RLE), (4, _I32, _RLE)
    )
    header = _struct(
        (1, _I32, _DATA_PAGE),
        (2, _I32, len(plain)),
        (3, _I32, len(packed)),
        (5, _STRUCT, levels_and_values),
    )
    return header + packed, len(header) + len(plain)


def _levels(cells: Sequence[Cell]) -> bytes:
    """Return the definition levels: 1 for a cell with a value, 0 for a null, as runs."""
    runs = ((flag, len(list(run))) for flag, run in groupby(cell is not None for cell in cells))
    return b"".join(_varint(length << 1) + bytes([flag]) for flag, length in runs)


def _strings(cells: Sequence[Cell]) -> bytes:
    texts = [str(cell).encode("utf-8", "replace") for cell in cells]
    return b"".join(part for text in texts for part in (struct.pack("<I", len(text)), text))


def _booleans(cells: Sequence[Cell]) -> bytes:
    packed = bytearray(-(-len(cells) // 8))
    for at, cell in enumerate(cells):
        packed[at // 8] |= bool(cell) << at % 8
    return bytes(packed)


def _times(cells: Sequence[Cell]) -> bytes:
    moments = [int(it.timestamp() * 1_000) if isinstance(it, datetime) else 0 for it in cells]
    return struct.pack(f"<{len(moments)}q", *moments)


_Encoder = Callable[[Sequence[Cell]], bytes]
# Physical type, converted type and encoder of each type of column.
_TYPES: dict[ColumnType, tuple[int, int | None, _Encoder]] = {
    "string": (_BYTE_ARRAY, _UTF8, _strings),
    "int64": (_INT64, None, lambda cells: struct.pack(f"<{len(cells)}q", *cells)),
    "double": (_DOUBLE, None, lambda cells: struct.pack(f"<{len(cells)}d", *cells)),
    "boolean": (_BOOLEAN, None, _booleans),
    "timestamp": (_INT64, _TIMESTAMP_MILLIS, _times),
}

# A field of a Thrift structure: number, type, and value or encoded bytes.
_Field = tuple[int, int, int | bytes]


def _footer(groups: Sequence[_RowGroup]) -> bytes:
    chunks = groups[0].chunks
    root = _struct((4, _BINARY, _text("schema")), (5, _I32, len(chunks)))
    schema = [root, *map(_schema_element, chunks)]
    return _struct(
        (1, _I32, 1),
        (2, _LIST, _list(_STRUCT, schema)),
        (3, _I64, sum(group.rows for group in groups)),
        (4, _LIST, _list(_STRUCT, [*map(_row_group, groups)])),
        (6, _BINARY, _text(_CREATED_BY)),
    )


def _schema_element(chunk: _Chunk) -> bytes:
    physical, converted, _ = _TYPES[chunk.type]
    fields: list[_Field] = [
        (1, _I32, physical),
        (3, _I32, _OPTIONAL),
        (4, _BINARY, _text(chunk.name)),
    ]
    if converted is not None:
        fields.append((6, _I32, converted))
    return _struct(*fields)


def _row_group(group: _RowGroup) -> bytes:
    return _struct(
        (1, _LIST, _list(_STRUCT, [_column_chunk(chunk, group.rows) for chunk in group.chunks])),
        (2, _I64, sum(chunk.unpacked for chunk in group.chunks)),
        (3, _I64, group.rows),
    )


def _column_chunk(chunk: _Chunk, rows: int) -> bytes:
    metadata = _struct(
        (1, _I32, _TYPES[chunk.type][0]),
        (2, _LIST, _list(_I32, [_zigzag(_PLAIN), _zigzag(_RLE)])),
        (3, _LIST, _list(_BINARY, [_text(chunk.name)])),
        (4, _I32, _ZSTD),
        (5, _I64, rows),
        (6, _I64, chunk.unpacked),
        (7, _I64, chunk.size),
        (9, _I64, chunk.offset),
    )
    return _struct((2, _I64, chunk.offset), (3, _STRUCT, metadata))


def _struct(*fields: _Field) -> bytes:
    """Return a structure in Thrift's compact protocol.

    A field header has four bits for the step from the previous field number, so steps are below 16.
    """
    parts, last = bytearray(), 0
    for number, kind, value in fields:
        parts.append((number - last) << 4 | kind)
        parts += _zigzag(value) if isinstance(value, int) else value
        last = number
    return bytes(parts) + b"\0"


def _list(kind: int, members: Sequence[bytes]) -> bytes:
    size = len(members)
    head = bytes([size << 4 | kind]) if size < _LONG_LIST else bytes([0xF0 | kind]) + _varint(size)
    return head + b"".join(members)


def _text(text: str) -> bytes:
    encoded = text.encode()
    return _varint(len(encoded)) + encoded


def _zigzag(number: int) -> bytes:
    return _varint(number << 1 if number >= 0 else (-number << 1) - 1)


def _varint(number: int) -> bytes:
    parts = bytearray()
    while number > 0x7F:  # noqa: PLR2004 - seven bits a byte
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*parts, number])
