"""Cut a file into its records: items of a JSON document, JSON on lines, rows of CSV."""

import csv
from collections.abc import Callable, Iterator
from typing import BinaryIO

from benchpin.engines.profiles.json_document import Broken, decode, items, member, skip_blanks
from benchpin.engines.profiles.model import Sample

from ._harvest import MOST_SAMPLES, Full, Harvest
from ._numbers import Unusable
from ._rows import Record

MOST_BYTES_OF_DOCUMENT = 64 << 20
MOST_BYTES_OF_LINES = 256 << 20
MOST_BYTES_OF_LINE = 1 << 20
_MIB = 1 << 20
Reader = Callable[[Record], Sample]


def read_document(file: BinaryIO, path: tuple[str, ...], reader: Reader, harvest: Harvest) -> None:
    """Read the records of an array that stands in a JSON document."""
    content = file.read(MOST_BYTES_OF_DOCUMENT + 1)
    is_cut = len(content) > MOST_BYTES_OF_DOCUMENT
    text = content[:MOST_BYTES_OF_DOCUMENT].decode("utf-8-sig", "replace")
    del content
    counted, line = 0, 1
    try:
        at: int | None = 0
        for name in path:
            at = None if at is None else member(text, at, name)
        if at is None:
            harvest.miss("line 1", f"it has no {'.'.join(path)}")
            return
        for place, record in items(text, at):
            line += text.count("\n", counted, place)
            counted = place
            _take(record, f"line {line}", reader, harvest)
    except Broken as error:
        limit = f"the file is larger than {MOST_BYTES_OF_DOCUMENT // _MIB} MiB; read no further"
        damage = f"the document is damaged, nothing after it was read: {error.problem}"
        harvest.miss(f"line {text.count(chr(10), 0, error.at) + 1}", limit if is_cut else damage)
    except Full:
        harvest.miss(f"line {line}", f"more than {MOST_SAMPLES} samples; read no further")


def read_json_lines(file: BinaryIO, reader: Reader, harvest: Harvest) -> None:
    """Read the records that stand one after the other, usually each on a line."""
    number = 1
    try:
        for number, line in _lines(file, harvest):
            _take_line(line, f"line {number}", reader, harvest)
    except Full:
        harvest.miss(f"line {number}", f"more than {MOST_SAMPLES} samples; read no further")


def read_csv(file: BinaryIO, reader: Reader, harvest: Harvest) -> None:
    """Read the rows of a CSV by the names in its first line; no row goes over several lines."""
    names: list[str] | None = None
    number = 1
    try:
        for number, line in _lines(file, harvest):
            if not line.strip():
                continue
            fields = _fields(line)
            if names is None:
                names = [it.strip() for it in fields or ()]
            elif fields is None:
                harvest.miss(f"line {number}", "a quote in it is not closed")
            elif len(fields) != len(names):
                harvest.miss(f"line {number}", f"it has {len(fields)} fields, not {len(names)}")
            else:
                record = dict(zip(names, fields, strict=True))
                _take(record, f"line {number}", reader, harvest)
    except Full:
        harvest.miss(f"line {number}", f"more than {MOST_SAMPLES} samples; read no further")


def _take_line(line: str, place: str, reader: Reader, harvest: Harvest) -> None:
    at = skip_blanks(line, 0)
    try:
        while at < len(line):
            record, at = decode(line, at)
            _take(record, place, reader, harvest)
            at = skip_blanks(line, at)
    except Broken as error:
        harvest.miss(place, f"it is no JSON from character {error.at + 1} on: {error.problem}")


def _take(record: object, place: str, reader: Reader, harvest: Harvest) -> None:
    if not isinstance(record, dict):
        harvest.miss(place, "it is no object")
        return
    try:
        sample = reader(record)
    except Unusable as error:
        harvest.miss(place, str(error))
    else:
        harvest.add(sample)


def _fields(line: str) -> list[str] | None:
    try:
        return next(csv.reader([line.rstrip("\r\n")], strict=True), [])
    except csv.Error:
        return None


def _lines(file: BinaryIO, harvest: Harvest) -> Iterator[tuple[int, str]]:
    number = bytes_read = 0
    while line := file.readline(MOST_BYTES_OF_LINE + 1):
        number += 1
        bytes_read += len(line)
        if len(line) > MOST_BYTES_OF_LINE:
            harvest.miss(f"line {number}", f"it is longer than {MOST_BYTES_OF_LINE // _MIB} MiB")
            while line and not line.endswith(b"\n") and bytes_read <= MOST_BYTES_OF_LINES:
                line = file.readline(MOST_BYTES_OF_LINE)
                bytes_read += len(line)
        else:
            yield number, line.decode("utf-8-sig" if number == 1 else "utf-8", "replace")
        if bytes_read > MOST_BYTES_OF_LINES:
            limit = MOST_BYTES_OF_LINES // _MIB
            harvest.miss(f"line {number}", f"the file is larger than {limit} MiB; read no further")
            return
