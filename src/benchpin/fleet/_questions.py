"""What is asked of the tables of a fleet: named questions, and read-only SQL.

A question sees one view for each table, with the newest measurement of every repository, and
`earlier` with the repositories as they were measured before. `answering` answers it in a process of
its own, with bounded rows, time and memory.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchpin.core.calls import Job, Permissions
from benchpin.core.errors import BenchpinError, Cancelled, InvalidParams, TimeLimitExceeded
from benchpin.system.processes import require_extra
from benchpin.workspace.files import looks_binary
from benchpin.workspace.git import check
from benchpin.workspace.search import Pattern, compile_pattern, matching_lines

from ._answering import Answer, Answers, Cell, Order
from ._members import Member, member_at
from ._place import Place
from ._schema import TABLES, Measurement, read_records
from ._sources import open_source

MAX_ROWS = 1_000
COLUMNS = ["repository", "path", "line", "text"]
_CHECK_EVERY = 64  # files between two looks at the job


class NothingMeasured(BenchpinError):
    """The place has no measurement yet."""

    kind = "nothing_measured"


@dataclass(frozen=True, slots=True)
class Question:
    """A question with a name."""

    about: str
    sql: str
    needs_name: bool = False
    """Whether it is about something with a name: a symbol, a package."""


# The questions that are answered without SQL.
QUESTIONS: Mapping[str, Question] = {
    "repositories": Question(
        "The repositories, the largest first.",
        "SELECT repository, commit[:12] AS commit, committed_at, files, code_lines, functions, "
        "findings, errors, licence, maintainability, "
        "CASE WHEN errors > 0 THEN 'fails' ELSE 'passes' END AS gate "
        "FROM repositories LEFT JOIN (SELECT repository, "
        "round(sum(maintainability * code_lines) / sum(code_lines), 1) AS maintainability "
        "FROM files WHERE maintainability IS NOT NULL GROUP BY repository) USING (repository) "
        "ORDER BY code_lines DESC, repository",
    ),
    "totals": Question(
        "All repositories together.",
        "SELECT count(*) AS repositories, coalesce(sum(files), 0)::BIGINT AS files, "
        "coalesce(sum(code_lines), 0)::BIGINT AS code_lines, "
        "coalesce(sum(functions), 0)::BIGINT AS functions, "
        "coalesce(sum(findings), 0)::BIGINT AS findings, count(*) FILTER (errors > 0) AS failing, "
        "count(*) FILTER (risk_basis <> 'code and history') AS without_history, "
        "(SELECT count(*) FROM files WHERE defect_risk >= 0.7) AS high_risk_files "
        "FROM repositories",
    ),
    "languages": Question(
        "The languages of all repositories.",
        "SELECT language, count(DISTINCT repository) AS repositories, count(*) AS files, "
        "sum(code_lines) AS code_lines FROM files WHERE code_lines IS NOT NULL "
        "GROUP BY language ORDER BY code_lines DESC, language",
    ),
    "hotspots": Question(
        "The files of all repositories that change often and are hard to follow.",
        "SELECT repository, path, commits, max_cognitive, code_lines, owner, "
        "commits * max_cognitive AS weight FROM files WHERE commits > 0 AND max_cognitive > 0 "
        "ORDER BY weight DESC, repository, path",
    ),
    "risk": Question(
        "The files of all repositories that are most likely to need a bug fix within a year.",
        "SELECT repository, path, defect_risk AS risk, files.code_lines, owner, "
        "risk_reason AS reason, risk_basis AS basis FROM files JOIN repositories "
        "USING (repository) WHERE defect_risk IS NOT NULL "
        "ORDER BY defect_risk DESC, repository, path",
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
        "count(DISTINCT version) AS versions, "
        "list(DISTINCT version ORDER BY version) FILTER (version IS NOT NULL)[:5]::VARCHAR "
        "AS among FROM dependencies "
        "GROUP BY ecosystem, name ORDER BY repositories DESC, ecosystem, name",
    ),
    "dependents": Question(
        "Who depends on a package, and in which version; then manifests that could not be read.",
        "SELECT repository, path, line, version, kind, ecosystem FROM dependencies "
        "WHERE lower(name) = lower($name) UNION ALL "
        "SELECT repository, path, line, NULL, 'not read', NULL FROM findings "
        "WHERE rule = 'unread-manifest' "
        "ORDER BY kind = 'not read', repository, path, line",
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


class FleetTables:
    """The tables of the newest measurements, ready to be asked."""

    def __init__(self, place: Place, cache_folder: Path, version: str) -> None:
        """Find the tables of a version; those of a store are fetched once.

        Raises:
            DependencyMissing: when the extra is not installed.
            NothingMeasured: when there is no measurement.
            StoreFails: when the place cannot be read.
        """
        require_extra("fleet", "A question about a fleet")
        records = read_records(place, version)
        if not records:
            raise NothingMeasured(
                "No repository has been measured here",
                suggestion="Measure some first with measure_fleet.",
            )
        self.measurements = [its[0] for _, its in sorted(records.items())]
        earlier = [it for _, its in sorted(records.items()) if (it := _previous(its)) is not None]

        def files(table: str, its: Sequence[Measurement]) -> list[str]:
            return [str(place.file_of(f"{it.tables}{table}.parquet", cache_folder)) for it in its]

        self._files = {table: files(table, self.measurements) for table in TABLES}
        self._files["earlier"] = files("repositories", earlier)

    def ask(self, question: str, name: str | None, limit: int, job: Job) -> Answer:
        """Answer a question by its name; some are about a symbol, module or package.

        Raises:
            TimeLimitExceeded: when the time of the job is up.
        """
        known = QUESTIONS[question]
        values = {"name": name} if known.needs_name and name else {}
        [answer] = self._answers([(known.sql, values)], limit, job)
        return answer

    def ask_all(self, questions: Sequence[str], limit: int, job: Job) -> list[Answer]:
        """Answer questions that need no name, by one process.

        Raises:
            TimeLimitExceeded: when the time of the job is up.
        """
        return self._answers([(QUESTIONS[it].sql, {}) for it in questions], limit, job)

    def query(self, sql: str, limit: int, job: Job) -> Answer:
        """Run one SELECT.

        Raises:
            InvalidParams: when it is anything else, or wrong.
            TimeLimitExceeded: when the time of the job is up.
        """
        [answer] = self._answers([(sql, {})], limit, job)
        return answer

    def _answers(
        self, asked: Sequence[tuple[str, dict[str, str]]], limit: int, job: Job
    ) -> list[Answer]:
        with closing(Answers()) as process:
            orders = [Order(self._files, sql, limit, values) for sql, values in asked]
            found = [process.ask(order, job) for order in orders]
        for answer in found:
            if answer.problem:
                raise _wrong(answer.problem)
        return found


def _previous(its: Sequence[Measurement]) -> Measurement | None:
    """Return the newest measurement of another commit than the last one."""
    return next((it for it in its if it.commit != its[0].commit), None)


def _wrong(reason: str) -> InvalidParams:
    return InvalidParams(
        f"The question cannot be answered: {reason}",
        suggestion=f"There are the tables {', '.join(TABLES)} and earlier; see docs/fleet.md.",
    )


# Search the text of the code that was measured: every repository at its measured commit.


class TextSearch:
    """Searches the repositories of a workspace; RE2 takes time in proportion to the text."""

    def __init__(self, root: Path, permissions: Permissions, job: Job) -> None:
        self._root, self._permissions, self._job = root.resolve(), permissions, job

    def search(self, measured: Sequence[Measurement], pattern: str, limit: int) -> Answer:
        """Return the lines that match, by repository and path; the job notes what is left out.

        Raises:
            Cancelled: when the job was cancelled.
            InvalidParams: when it is not a regular expression.
        """
        compiled = compile_pattern(pattern, ignore_case=False)
        rows: list[list[Cell]] = []
        for at, measurement in enumerate(measured):
            self._job.report(at, len(measured), "repositories")
            member = member_at(self._root, measurement.name, self._permissions)
            if member is None:
                self._job.leave_out(f"{measurement.name}, which is not in this workspace")
                continue
            try:
                with closing(self._lines(member, measurement.commit, compiled)) as lines:
                    rows += islice(lines, limit + 1 - len(rows))
            except TimeLimitExceeded:
                self._job.leave_out(f"{len(measured) - at} of {len(measured)} repositories")
                break
            except Cancelled:
                raise
            except BenchpinError as error:
                self._job.leave_out(f"{measurement.name}: {error.message}")
            if len(rows) > limit:
                break
        return Answer(COLUMNS, rows[:limit], len(rows) > limit)

    def _lines(
        self, member: Member, commit: str, pattern: Pattern
    ) -> Generator[list[Cell], None, None]:
        source = open_source(member.path)
        code = source.tree(commit, member.may_read, self._job).code
        with source.opened(self._job) as contents:
            read = zip(code, contents.read_each(code), strict=True)
            for at, (file, content) in enumerate(read):
                if at % _CHECK_EVERY == 0:
                    check(self._job)
                if content and not looks_binary(content):
                    for found in matching_lines(file.path, content, pattern):
                        yield [member.name, found.path, found.line, found.text]
