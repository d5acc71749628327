import os
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, TimeLimitExceeded
from benchpin.measures.coverage import FileCoverage, find_reports, read_reports
from benchpin.measures.coverage._contents import DamagedReport, LineBudget, read_xml
from benchpin.measures.coverage._database import read_database
from benchpin.measures.coverage._report import UnusedReport
from coverage_kit import cobertura, database, lcov, numbits, reports_in, sources, write


def anything(_path: str) -> bool:
    return True


def ticking(limit: float) -> Job:
    """Return a job for which each look at the clock takes a second."""
    ticks = count()
    return Job(time_limit_s=limit, monotonic=lambda: float(next(ticks)))


def test_reports_that_there_is_no_time_for_are_left_out_with_the_reason(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": "<broken", "lcov.info": lcov("a.py")})
    job = Job(time_limit_s=0)
    report = reports_in(tmp_path, sources("a.py"), job)
    assert report.by_file == {}
    assert {it.reason for it in report.problems} == {"out of time"}
    assert job.missing == ["2 of 2 coverage reports"]


def test_a_report_that_is_half_matched_when_the_time_is_up_counts_for_nothing(
    tmp_path: Path,
) -> None:
    paths = [f"m{number}.py" for number in range(50)]
    write(tmp_path, {"lcov.info": "".join(map(lcov, paths)), "coverage.xml": cobertura("m1.py")})
    os.utime(tmp_path / "lcov.info", (1000, 1000))
    job = ticking(20)
    report = reports_in(tmp_path, sources(*paths), job)
    assert report.by_file == {"m1.py": FileCoverage(8, 10)}
    assert report.problems == (UnusedReport("lcov.info", "out of time"),)
    assert job.missing == ["1 of 2 coverage reports"]


def test_a_cancelled_job_is_heard_while_reports_are_found_and_while_they_are_read(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"coverage.xml": cobertura("a.py")})
    files = sources("a.py")
    found = find_reports(tmp_path, files, anything, Job())
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        find_reports(tmp_path, files, anything, job)
    with pytest.raises(Cancelled):
        read_reports(tmp_path, files, found, job)


def test_the_time_is_watched_inside_a_long_report() -> None:
    lines = "".join(f'<line number="{number}" hits="1"/>' for number in range(20_000))
    with pytest.raises(TimeLimitExceeded):
        read_xml(cobertura("a.py", lines=lines).encode(), LineBudget(ticking(4)))


def test_a_report_rewritten_within_a_second_is_another_one(tmp_path: Path) -> None:
    place = tmp_path / "coverage.xml"
    write(tmp_path, {"coverage.xml": cobertura("a.py")})
    read = []
    for mtime_ns in (10**18 + 1, 10**18 + 2):
        os.utime(place, ns=(mtime_ns, mtime_ns))
        read.append(reports_in(tmp_path, sources("a.py")).reports)
    assert read[0] != read[1]
    write(tmp_path, {"coverage.xml": cobertura("a.py") + "\n"})
    os.utime(place, ns=(mtime_ns, mtime_ns))
    assert reports_in(tmp_path, sources("a.py")).reports not in read


@pytest.mark.parametrize("folder", ["TestResults", "build/reports/jacoco", "build", "coverage"])
def test_what_lies_behind_a_linked_folder_is_not_even_named(tmp_path: Path, folder: str) -> None:
    outside, root = tmp_path / "outside", tmp_path / "root"
    names = ("coverage.xml", "private/salaries.xml", "reports/jacoco/secret.xml")
    write(outside, dict.fromkeys(names, cobertura("a.py")))
    (root / folder).parent.mkdir(parents=True)
    (root / folder).symlink_to(outside)
    assert find_reports(root, sources("a.py"), anything, Job()) == ()


def test_reports_in_a_folder_of_results_are_found(tmp_path: Path) -> None:
    write(tmp_path, {"TestResults/run/one/coverage.cobertura.xml": cobertura("a.py")})
    assert reports_in(tmp_path, sources("a.py")).by_file == {"a.py": FileCoverage(8, 10)}


def changed(place: Path, *statements: str) -> bytes:
    database(place, "a.py", has_arcs=False)
    with closing(sqlite3.connect(place)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return place.read_bytes()


@pytest.mark.parametrize(
    ("reason", "statements"),
    [
        (
            "it has columns that are computed",
            (
                "DROP TABLE file",
                "CREATE TABLE file (id, path AS (hex(zeroblob(1000))))",
                "INSERT INTO file (id) VALUES (1)",
            ),
        ),
        (
            "it has columns that are computed",
            ("DROP TABLE arc", "CREATE TABLE arc (file_id, fromno, tono AS (fromno) STORED)"),
        ),
        ("it is no data file", ("CREATE VIEW more AS SELECT 1",)),
        (
            "it is no data file",
            ("CREATE TRIGGER more AFTER INSERT ON file BEGIN SELECT 1; END",),
        ),
        (
            "it is no data file",
            ("DROP TABLE meta", "CREATE VIRTUAL TABLE meta USING fts5(key, value)"),
        ),
    ],
)
def test_a_database_that_brings_code_along_is_refused(
    tmp_path: Path, reason: str, statements: tuple[str, ...]
) -> None:
    data = changed(tmp_path / "data", *statements)
    with pytest.raises(DamagedReport, match=reason):
        read_database(data, LineBudget(Job()))


def test_a_value_longer_than_any_file_has_lines_is_refused(tmp_path: Path) -> None:
    data = changed(tmp_path / "data", "UPDATE line_bits SET numbits = zeroblob(2000000)")
    with pytest.raises(DamagedReport, match="too big"):
        read_database(data, LineBudget(Job()))


def test_bits_without_lines_are_counted_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchpin.measures.coverage._contents.MAX_LINES", 50_000)
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)"
    data = changed(
        tmp_path / "data",
        "UPDATE line_bits SET numbits = zeroblob(100000)",
        "DROP TABLE file",
        "CREATE TABLE file (id, path)",
        f"{rows} INSERT INTO file SELECT 1, 'a.py' FROM n",
    )
    with pytest.raises(DamagedReport, match="more than 50,000 lines"):
        read_database(data, LineBudget(Job()))


def test_the_bits_of_a_very_long_file_are_read(tmp_path: Path) -> None:
    place = tmp_path / "data"
    database(place, "a.py", has_arcs=False)
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("UPDATE line_bits SET numbits = ?", (numbits({1, 1_000_000}),))
    (lines,) = read_database(place.read_bytes(), LineBudget(Job())).files.values()
    assert lines.entered == frozenset({1, 1_000_000})
