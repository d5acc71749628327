"""Read the rows of an exported table: CSV, what `mysql --batch` prints, or JSON."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from benchpin.performance.reading import ArtifactSource, Broken, decode, skip_blanks
from benchpin.performance.slowlog import query_id
from benchpin.performance.values import Evidence, QueryClass

_DELIMITERS = ",\t;"
_NULLS = frozenset({"", "NULL", "\\N"})
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_UNESCAPED = {"n": "\n", "t": "\t", "0": "\0"}
_BETWEEN = re.compile(r"[ \t\r\n,\[]*")
_MEMBER = re.compile(r'"([A-Za-z_]{1,64})"\s*:')
_MAX_NUMBER_CHARS = 40
# More than a server counts: 64 bits of picoseconds.
_MAX_NUMBER = 1 << 70
_MAX_TEXT = 4096
_STEPS_PER_ROW = 100
# Of a head; the tables that are known have up to 60.
_MAX_COLUMNS = 200


class Row(NamedTuple):
    """A row by the names of its columns, in lower case."""

    cells: Mapping[str, object]
    place: str
    line: int | None
    """Where it ends in a text; rows of JSON have no line of their own."""

    def text(self, *names: str) -> str | None:
        found = (self.cells.get(name) for name in names)
        return next((str(it) for it in found if it is not None), None)

    def number(self, *names: str) -> Decimal | None:
        """Return the first of the columns that exists as a number; None where it is no number."""
        cell = next((self.cells[name] for name in names if name in self.cells), None)
        if isinstance(cell, Decimal):
            return _plausible(cell)
        if isinstance(cell, str) and len(cell) <= _MAX_NUMBER_CHARS:
            with suppress(InvalidOperation):
                return _plausible(Decimal(cell))
        return None


def _plausible(number: Decimal) -> Decimal | None:
    return number if number.is_finite() and 0 <= number <= _MAX_NUMBER else None


def columns(head: bytes) -> frozenset[str]:
    """Return the names of the columns of a table, by its first bytes; few for what is no table."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    if text.startswith(("{", "[")):
        return frozenset(name.lower() for name in set(_MEMBER.findall(text)))
    line, _, _ = text.partition("\n")
    names = line.split(_delimiter(line), _MAX_COLUMNS)
    return frozenset(name.strip().strip('"`').lower() for name in names)


def rows(document: bytes, source: ArtifactSource) -> Iterator[Row]:
    """Yield the rows of a table up to where it is damaged."""
    text = document.decode("utf-8-sig", "replace").replace("\0", "").lstrip()
    yield from _of_json(text, source) if text.startswith(("{", "[")) else _of_text(text, source)


def _of_json(text: str, source: ArtifactSource) -> Iterator[Row]:
    """Yield the objects of a list, or of a text in which they follow one another."""
    faults = source.faults
    at, number, is_list = 0, 0, text.startswith("[")
    while True:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        if text[at : at + 1] != "{":
            break
        number += 1
        try:
            found, at = decode(text, at)
        except Broken as error:
            faults.add(f"row {number}", f"{error.problem}; the rest is not read")
            return
        if isinstance(found, dict):
            cells = {str(name).lower(): cell for name, cell in found.items()}
            yield Row(cells, f"row {number}", None)
    is_whole = text[at : at + 1] == ("]" if is_list else "")
    if not is_whole or skip_blanks(text, at + 1) < len(text):
        faults.add(f"after row {number}", "the list of rows does not end there")


def _of_text(text: str, source: ArtifactSource) -> Iterator[Row]:
    faults = source.faults
    head, _, _ = text.partition("\n")
    delimiter = _delimiter(head)
    is_batch = delimiter == "\t" and '"' not in head
    lines = io.StringIO(text, newline="")
    if is_batch:
        reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        reader = csv.reader(lines, delimiter=delimiter)
    names: list[str] = []
    while True:
        source.spend(_STEPS_PER_ROW)  # what is no row is not yielded
        try:
            found = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            faults.add(f"line {reader.line_num}", f"{error}")
            continue
        if not names:
            names = [name.strip().strip("`").lower() for name in found]
        elif len(found) == len(names):
            cells = (_cell(cell, is_batch=is_batch) for cell in found)
            line = reader.line_num
            yield Row(dict(zip(names, cells, strict=True)), f"line {line}", line)
        elif found:
            problem = f"{len(found)} columns instead of {len(names)}"
            faults.add(f"line {reader.line_num}", problem)


def _delimiter(head: str) -> str:
    return max(_DELIMITERS, key=head.count)


def _cell(cell: str, *, is_batch: bool) -> str | None:
    if cell in _NULLS:
        return None
    if is_batch and "\\" in cell:
        return _ESCAPED.sub(lambda it: _UNESCAPED.get(it[1], it[1]), cell)
    return cell


# Rows of a table of statistics, and the class that they make.


class StatementRow(NamedTuple):
    """What a server counted about one statement; what it does not count is None."""

    fingerprint: bytes
    example: bytes
    """Without values."""
    calls: int
    total_us: Decimal
    min_us: Decimal
    max_us: Decimal
    line: int | None
    squares_us2: Decimal | None = None
    p95_us: Decimal | None = None
    lock_us: Decimal | None = None
    sent: int | None = None
    examined: int | None = None
    full_scans: int | None = None
    errors: int | None = None
    database: str | None = None
    user: str | None = None


def statement_class(fingerprint: bytes, found: Sequence[StatementRow]) -> QueryClass:
    """Add up rows of one class, such as of several users; times are rounded once."""
    slowest = max(found, key=lambda it: it.max_us)
    lock = _sum([it.lock_us for it in found])
    squares = _sum([it.squares_us2 for it in found])
    p95 = found[0].p95_us if len(found) == 1 else None
    count = sum(it.calls for it in found)
    total = round(sum((it.total_us for it in found), Decimal(0)))
    least_squares = -(-total * total // count)  # rounding must not make the variance negative
    return QueryClass(
        query_id=query_id(fingerprint),
        fingerprint=_text(fingerprint),
        example=_text(slowest.example),
        count=count,
        total_time_us=total,
        min_us=round(min(it.min_us for it in found)),
        max_us=round(slowest.max_us),
        squares_us2=None if squares is None else max(round(squares), least_squares),
        p50_us=None,
        p95_us=None if p95 is None else round(p95),
        lock_time_us=None if lock is None else round(lock),
        rows_sent=_count([it.sent for it in found]),
        rows_examined=_count([it.examined for it in found]),
        full_scans=_count([it.full_scans for it in found]),
        errors=_count([it.errors for it in found]),
        first_seen_us=None,
        last_seen_us=None,
        databases=_names(it.database for it in found),
        users=_names(it.user for it in found),
        evidence=(Evidence(line=slowest.line, time_us=round(slowest.max_us)),),
    )


def whole(number: Decimal | None) -> int | None:
    return None if number is None else int(number)


def _sum(values: Sequence[Decimal | None]) -> Decimal | None:
    known = [it for it in values if it is not None]
    return sum(known, Decimal(0)) if len(known) == len(values) else None


def _count(values: Sequence[int | None]) -> int | None:
    known = [it for it in values if it is not None]
    return sum(known) if len(known) == len(values) else None


def _names(found: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({it for it in found if it}))


def _text(sql: bytes) -> str:
    return sql.decode("utf-8", "replace")[:_MAX_TEXT]
