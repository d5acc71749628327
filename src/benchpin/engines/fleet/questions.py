"""What is asked of the tables of a fleet: named questions, and read-only SQL, with DuckDB.

A question sees one view for each table, with the newest measurement of every repository, and
`earlier` with the repositories as they were measured before. It cannot read or write anything else:
external access is off but for the tables, one SELECT at a time is run, and rows, time, threads and
memory are bounded.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from benchpin.core import BenchpinError, InvalidParams, Job, TimeLimitExceeded

from .packs import open_memory
from .place import Place
from .records import Measurement, read_records
from .schema import TABLES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_ROWS = 1_000
_MOST_CELL_CHARS = 1_000
Cell = str | int | float | bool | None


class NothingMeasured(BenchpinError):
    """The place has no measurement yet."""

    kind = "nothing_measured"


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows, and whether there are more."""

    columns: list[str]
    rows: list[list[Cell]]
    has_more: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A question with a name."""

    about: str
    sql: str
    needs_name: bool = False
    """Whether it is about something with a name: a symbol, a package."""


QUESTIONS: Mapping[str, Question] = {
    "repositories": Question(
        "The repositories, the largest first.",
        "SELECT repository, commit[:12] AS commit, committed_at, files, code_lines, functions, "
        "findings, errors, licence FROM repositories ORDER BY code_lines DESC, repository",
    ),
    "hotspots": Question(
        "The files of all repositories that change often and are hard to follow.",
        "SELECT repository, path, commits, max_cognitive, code_lines, owner, "
        "commits * max_cognitive AS weight FROM files WHERE commits > 0 AND max_cognitive > 0 "
        "ORDER BY weight DESC, repository, path",
    ),
    "failing": Question(
        "The repositories with functions at twice a threshold or worse.",
        "SELECT repository, errors, findings, code_lines, "
        "round(1000.0 * errors / greatest(code_lines, 1), 3) AS errors_per_1000_lines "
        "FROM repositories WHERE errors > 0 ORDER BY errors_per_1000_lines DESC, repository",
    ),
    "clones": Question(
        "Functions that several repositories have, also under other names.",
        "SELECT count(DISTINCT repository) AS repositories, count(*) AS places, "
        "max(tokens) AS tokens, min(name) AS name, "
        "list(DISTINCT repository ORDER BY repository)[:5]::VARCHAR AS among, "
        "min(repository || '/' || path || ':' || line) AS first_place "
        "FROM symbols WHERE fingerprint IS NOT NULL GROUP BY fingerprint "
        "HAVING count(DISTINCT repository) > 1 "
        "ORDER BY repositories DESC, max(tokens) * count(*) DESC, first_place",
    ),
    "licences": Question(
        "How many repositories have which licence.",
        "SELECT coalesce(licence, 'unknown') AS licence, count(*) AS repositories, "
        "list(repository ORDER BY repository)[:5]::VARCHAR AS among FROM repositories "
        "GROUP BY licence ORDER BY repositories DESC, licence",
    ),
    "owners": Question(
        "Who made most of the changes of the last year, and in how many files and repositories.",
        "SELECT owner, count(DISTINCT repository) AS repositories, count(*) AS files, "
        "sum(code_lines) AS code_lines FROM files WHERE owner IS NOT NULL "
        "GROUP BY owner ORDER BY files DESC, owner",
    ),
    "dependencies": Question(
        "The packages that most repositories depend on, and in how many versions.",
        "SELECT ecosystem, name, count(DISTINCT repository) AS repositories, "
        "count(DISTINCT version) AS versions FROM dependencies "
        "GROUP BY ecosystem, name ORDER BY repositories DESC, ecosystem, name",
    ),
    "dependents": Question(
        "Who depends on a package, and in which version.",
        "SELECT repository, path, line, version, kind, ecosystem FROM dependencies "
        "WHERE lower(name) = lower($name) ORDER BY repository, path, line",
        needs_name=True,
    ),
    "symbol": Question(
        "Where functions and types of a name are defined.",
        "SELECT repository, path, line, name, kind, is_public, cyclomatic FROM symbols "
        "WHERE name = $name OR suffix(name, '.' || $name) ORDER BY repository, path, line",
        needs_name=True,
    ),
    "users": Question(
        "Who imports a module, or a name from one.",
        "SELECT repository, path, line, module, name, kind FROM imports "
        "WHERE (name = $name OR module = $name OR starts_with(module, $name || '.') "
        "OR module || '.' || name = $name) ORDER BY repository, path, line",
        needs_name=True,
    ),
    "copies": Question(
        "Where copies of a function are, also under other names.",
        "SELECT repository, path, line, end_line, name, tokens FROM symbols "
        "WHERE fingerprint IN (SELECT fingerprint FROM symbols WHERE fingerprint IS NOT NULL "
        "AND (name = $name OR suffix(name, '.' || $name))) "
        "ORDER BY fingerprint, repository, path, line",
        needs_name=True,
    ),
    "pattern": Question(
        "Symbols whose name matches a regular expression.",
        "SELECT repository, path, line, name, kind FROM symbols "
        "WHERE regexp_matches(name, $name) ORDER BY repository, path, line",
        needs_name=True,
    ),
    "trend": Question(
        "What changed between the last two measurements of each repository.",
        "SELECT now.repository, now.code_lines - earlier.code_lines AS code_lines, "
        "now.functions - earlier.functions AS functions, "
        "now.findings - earlier.findings AS findings, now.errors - earlier.errors AS errors, "
        'earlier."commit"[:12] AS since FROM repositories AS now JOIN earlier USING (repository) '
        "ORDER BY abs(now.errors - earlier.errors) DESC, abs(now.code_lines - earlier.code_lines) "
        "DESC, now.repository",
    ),
}
"""The questions that are answered without SQL."""


class FleetTables:
    """The tables of the newest measurements, ready to be asked."""

    def __init__(self, place: Place, cache_folder: Path, version: str) -> None:
        """Open the tables of a version; those of a store are fetched once.

        Raises:
            DependencyMissing: when the extra is not installed.
            NothingMeasured: when there is no measurement.
            StoreFails: when the place cannot be read.
        """
        records = read_records(place, version)
        if not records:
            raise NothingMeasured(
                "No repository has been measured here",
                suggestion="Measure some first: benchpin fleet measure 'mirrors/*'.",
            )
        self.measurements = [its[0] for _, its in sorted(records.items())]
        earlier = [it for _, its in sorted(records.items()) if (it := _previous(its)) is not None]
        self._database = open_memory()
        files: dict[str, list[Path]] = {
            table: [
                place.file_of(f"{it.tables}{table}.parquet", cache_folder)
                for it in self.measurements
            ]
            for table in TABLES
        }
        files["earlier"] = [
            place.file_of(f"{it.tables}repositories.parquet", cache_folder) for it in earlier
        ]
        for table, paths in files.items():
            self._database.execute(_view(table, paths))
        _confine(self._database, {path for paths in files.values() for path in paths})

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the database."""
        self._database.close()

    def ask(self, question: str, name: str | None, limit: int, job: Job) -> Answer:
        """Answer a question by its name.

        Raises:
            InvalidParams: when there is no such question, or it needs a name.
            TimeLimitExceeded: when the time of the job is up.
        """
        known = QUESTIONS.get(question)
        if known is None:
            raise InvalidParams(
                f"There is no question {question!r}",
                suggestion=f"Ask one of: {', '.join(QUESTIONS)}; or give sql.",
            )
        if known.needs_name and not name:
            raise InvalidParams(
                f"The question {question!r} needs a name",
                suggestion="Give the name of a symbol, module or package as name.",
            )
        return self._run(known.sql, {"name": name} if known.needs_name else {}, limit, job)

    def query(self, sql: str, limit: int, job: Job) -> Answer:
        """Run one SELECT.

        Raises:
            InvalidParams: when it is anything else, or wrong.
            TimeLimitExceeded: when the time of the job is up.
        """
        import duckdb  # noqa: PLC0415 - an extra

        try:
            statements = self._database.extract_statements(sql)
        except duckdb.Error as error:
            raise _wrong(error) from error
        kinds = [it.type for it in statements]
        if kinds != [duckdb.StatementType.SELECT]:
            raise InvalidParams(
                "Only one SELECT can be run at a time",
                suggestion=f"Ask the tables {', '.join(TABLES)} with one SELECT.",
            )
        return self._run(sql, {}, limit, job)

    def _run(self, sql: str, values: Mapping[str, object], limit: int, job: Job) -> Answer:
        import duckdb  # noqa: PLC0415 - an extra

        with _interrupted_in_time(self._database, job):
            try:
                found = self._database.execute(sql, dict(values))
                columns = [it[0] for it in found.description]
                rows = found.fetchmany(limit + 1)
            except duckdb.InterruptException as error:
                job.check()
                raise TimeLimitExceeded(
                    "The question was not answered in time",
                    suggestion="Ask for less: add a WHERE, or allow more time with --timeout.",
                ) from error
            except duckdb.Error as error:
                raise _wrong(error) from error
        shown = [[_cell(it) for it in row] for row in rows[:limit]]
        return Answer(columns, shown, has_more=len(rows) > limit)


def _previous(its: Sequence[Measurement]) -> Measurement | None:
    """Return the newest measurement of another commit than the last one."""
    return next((it for it in its if it.commit != its[0].commit), None)


def _view(name: str, paths: Sequence[Path]) -> str:
    columns = TABLES["repositories" if name == "earlier" else name]
    if not paths:
        empty = ", ".join(f'NULL AS "{column}"' for column, _ in columns)
        columns_only = f"SELECT {empty} WHERE false"
        return f"CREATE VIEW {name} AS {columns_only}"
    listed = ", ".join("'" + str(path).replace("'", "''") + "'" for path in paths)
    return f"CREATE VIEW {name} AS FROM read_parquet([{listed}])"


def _confine(database: "DuckDBPyConnection", paths: set[Path]) -> None:
    """Let the database read these files and nothing else, for good."""
    database.execute("SET allowed_paths = ?", [[str(path) for path in sorted(paths)]])
    database.execute("SET enable_external_access = false")
    database.execute("SET lock_configuration = true")


@contextmanager
def _interrupted_in_time(database: "DuckDBPyConnection", job: Job) -> Iterator[None]:
    left = job.time_left_s()
    timer = threading.Timer(threading.TIMEOUT_MAX if left is None else left, database.interrupt)
    timer.daemon = True
    timer.start()
    try:
        with job.stopping(database.interrupt):
            yield
    finally:
        timer.cancel()


def _wrong(error: Exception) -> InvalidParams:
    reason = " ".join(str(error).split())[:_MOST_CELL_CHARS]
    return InvalidParams(
        f"The query is wrong: {reason}",
        suggestion=f"There are the tables {', '.join(TABLES)} and earlier; see docs/fleet.md.",
    )


def _cell(value: object) -> Cell:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value)[:_MOST_CELL_CHARS]
