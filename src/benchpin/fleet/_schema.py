"""What is kept of each measurement: a record of when, and tables with the columns to ask for.

Records are only added, under names that sort by time, so that two processes that measure the same
repository at once lose nothing.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

import msgspec

from benchpin.core.calls import Permissions
from benchpin.facts.store import engines_version
from benchpin.system.formats import Cell, ColumnType, ParquetColumn, ParquetWriter

from ._place import RECORD_BYTES, Place, names_in

_FOLDER = "records/"
_ID = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
# Measurements of a repository that are remembered.
_KEPT = 20


class Measurement(msgspec.Struct, frozen=True):
    """One repository at one commit."""

    name: str
    commit: str
    measured_at: datetime
    version: str
    """What its tables depend on besides the commit."""

    @property
    def tables(self) -> str:
        """Where in the place its tables are."""
        return tables_folder(self.version, self.name, self.commit)


def tables_folder(version: str, name: str, commit: str) -> str:
    """Return where in the place the tables of a commit are."""
    return f"tables/{version}/{member_digest(name)}/{commit}/"


def member_digest(name: str) -> str:
    """Return the name of a repository as object names contain it."""
    return hashlib.blake2b(name.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def tables_version(permissions: Permissions) -> str:
    """Return what tables depend on besides the commit: the engines, and what may be read."""
    rules = [
        [(rule.pattern, sorted(rule.operations)) for rule in layer] for layer in permissions.layers
    ]
    scope = hashlib.blake2b(repr(rules).encode(), digest_size=6).hexdigest() if rules else "all"
    return f"{engines_version()}-{scope}"


def read_records(place: Place, version: str) -> dict[str, list[Measurement]]:
    """Return the measurements of each repository with a version, the newest first.

    Raises:
        StoreFails: when the place cannot be read.
    """
    found: dict[str, list[Measurement]] = {}
    for name in reversed(names_in(place, _FOLDER)):
        folder = name.rpartition("/")[0]
        if len(found.get(folder, ())) < _KEPT:
            read = _decoded(place.get(name, RECORD_BYTES))
            its = [it for it in read if it.version == version and _ID.fullmatch(it.commit)]
            found.setdefault(folder, []).extend(its)
    return {its[0].name: its for its in found.values() if its}


def _decoded(data: bytes | None) -> Iterable[Measurement]:
    try:
        return [msgspec.json.decode(data or b"", type=Measurement)]
    except (ValueError, RecursionError):
        return []


def add_record(place: Place, measurement: Measurement) -> None:
    """Remember a measurement.

    Raises:
        StoreFails: when the place cannot be written.
    """
    moment = measurement.measured_at.astimezone(UTC)
    name = f"{moment:%Y%m%dT%H%M%S%f}-{measurement.commit[:12]}.json"
    folder = f"{_FOLDER}{member_digest(measurement.name)}/"
    place.put(folder + name, msgspec.json.encode(measurement))


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
