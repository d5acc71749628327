import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.core.calls import Job
from benchpin.measures.coverage import (
    CoverageReport,
    DamagedReport,
    FileCoverage,
    find_reports,
    lines_that_ran,
    share_of_all,
)
from benchpin.measures.coverage._contents import LineBudget, read_lcov, read_xml
from benchpin.measures.coverage._database import read_database
from coverage_kit import CODE, cobertura, database, jacoco, lcov, reports_in, sources, write
from made_sources import parsed


def found(root: Path, *paths: str) -> CoverageReport:
    return reports_in(root, sources(*paths))


def test_without_a_report_there_is_none(tmp_path: Path) -> None:
    assert find_reports(tmp_path, sources("pkg/a.py"), lambda _path: True, Job()) == ()


@pytest.mark.parametrize(
    "report",
    [
        {"coverage.xml": cobertura("pkg/a.py", "/elsewhere/project")},
        {"coverage/cobertura-coverage.xml": cobertura("a.py", "pkg")},
        {"reports/coverage.xml": cobertura("pkg\\a.py")},
        {"target/site/cobertura/coverage.xml": cobertura("/ci/build/pkg/a.py")},
        {"pkg/coverage.xml": cobertura("a.py")},
    ],
)
def test_cobertura_counts_each_line_once_and_finds_its_file(
    tmp_path: Path, report: dict[str, str]
) -> None:
    write(tmp_path, {**report, "pkg/a.py": CODE})
    assert found(tmp_path, "pkg/a.py", "other.py").by_file == {"pkg/a.py": FileCoverage(8, 10)}


def test_an_absolute_path_of_this_workspace_is_taken_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": cobertura(str(tmp_path / "a.py"))})
    assert found(tmp_path, "a.py").by_file == {"a.py": FileCoverage(8, 10)}


def test_the_source_folder_decides_between_files_of_one_name(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": cobertura("pkg/a.py", "/ci/project/src")})
    report = found(tmp_path, "lib/pkg/a.py", "src/pkg/a.py")
    assert list(report.by_file) == ["src/pkg/a.py"]


def test_a_path_that_may_mean_two_files_means_none(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": cobertura("pkg/a.py")})
    report = found(tmp_path, "one/pkg/a.py", "two/pkg/a.py")
    assert report.by_file == {}
    assert share_of_all(report.by_file.values()) is None
    assert report.problems[0].reason == "it names no file of the workspace"


@pytest.mark.parametrize(
    "place",
    [
        "target/site/jacoco/jacoco.xml",
        "build/reports/jacoco/test/jacocoTestReport.xml",
        "app/target/site/jacoco/jacoco.xml",
    ],
)
def test_jacoco_is_matched_by_package_and_name(tmp_path: Path, place: str) -> None:
    write(tmp_path, {place: jacoco("A.kt")})
    path = "app/src/main/kotlin/org/example/A.kt"
    assert found(tmp_path, path, "app/A.kt").by_file == {path: FileCoverage(1, 2)}


@pytest.mark.parametrize("place", ["lcov.info", "coverage/lcov.info", "packages/web/lcov.info"])
def test_lcov_is_read(tmp_path: Path, place: str) -> None:
    write(tmp_path, {place: lcov("packages/web/a.ts")})
    report = reports_in(tmp_path, parsed({"packages/web/a.ts": "x = 1"}))
    assert report.by_file == {"packages/web/a.ts": FileCoverage(4, 5)}
    assert share_of_all(report.by_file.values()) == 0.8


@pytest.mark.parametrize("has_arcs", [False, True])
def test_the_data_of_coverage_py_tells_which_functions_ran(
    tmp_path: Path, *, has_arcs: bool
) -> None:
    database(tmp_path / ".coverage", str(tmp_path / "pkg/a.py"), has_arcs=has_arcs)
    assert found(tmp_path, "pkg/a.py").by_file == {"pkg/a.py": FileCoverage(2, 4, "functions")}


def test_lines_are_believed_before_functions_and_the_newest_report_first(tmp_path: Path) -> None:
    database(tmp_path / ".coverage", str(tmp_path / "a.py"), has_arcs=False)
    write(tmp_path, {"coverage.xml": cobertura("a.py"), "lcov.info": lcov("a.py"), "a.py": CODE})
    os.utime(tmp_path / "coverage.xml", (1000, 1000))
    os.utime(tmp_path / "lcov.info", (2000, 2000))
    report = found(tmp_path, "a.py")
    assert report.by_file == {"a.py": FileCoverage(4, 5)}
    assert [it.path for it in report.reports] == ["lcov.info", "coverage.xml", ".coverage"]
    assert [it.changed_since for it in report.reports] == [1, 1, 1]


def test_a_report_newer_than_its_sources_is_not_stale(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": CODE, "coverage.xml": cobertura("a.py")})
    os.utime(tmp_path / "a.py", (1000, 1000))
    assert [it.changed_since for it in found(tmp_path, "a.py").reports] == [0]


def test_what_may_not_be_read_is_not_named(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": cobertura("a.py")})
    assert find_reports(tmp_path, sources("a.py"), lambda path: path != "coverage.xml", Job()) == ()


BOMB = (
    '<!DOCTYPE coverage [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    "<coverage><sources><source>&b;</source></sources></coverage>"
)
OUTSIDE = (
    '<!DOCTYPE coverage [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    "<coverage><sources><source>&x;</source></sources></coverage>"
)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("coverage.xml", BOMB, "it declares XML entities"),
        ("coverage.xml", OUTSIDE, "it declares XML entities"),
        ("coverage.xml", "<html/>", "neither Cobertura nor JaCoCo"),
        ("coverage.xml", cobertura("a.py")[:-20], "it is not whole XML"),
        ("coverage.xml", "<coverage>" + "<a>" * 99, "nested over 64 deep"),
        ("coverage.xml", cobertura("a.py", lines='<line number="-1" hits="1"/>'), "'-1' where a"),
        ("coverage.xml", cobertura("a.py", lines='<line number="1"/>'), "where a number belongs"),
        ("coverage.xml", cobertura(""), "a file without a name"),
        ("coverage.xml", b"", "it is not whole XML"),
        ("lcov.info", "", "it has no records"),
        ("lcov.info", lcov("a.py")[:-15], "its last record does not end"),
        ("lcov.info", "SF:a.py\nDA:x,1\nend_of_record\n", "'x' where a number belongs"),
        ("lcov.info", b"\xff\xfe\x00", "it has no records"),
        (".coverage", b"!coverage.py: This is a private format", "SQLite cannot read it"),
        (".coverage", b"", "SQLite cannot read it"),
        (".coverage", b"SQLite format 3\0" + b"\xff" * 5000, "SQLite cannot read it"),
    ],
)
def test_a_hostile_or_damaged_report_is_named_with_the_reason(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    write(tmp_path, {name: content})
    report = found(tmp_path, "a.py")
    assert not report.by_file
    (problem,) = report.problems
    assert problem.path == name
    assert reason in problem.reason


READERS = {"coverage.xml": read_xml, "lcov.info": read_lcov, ".coverage": read_database}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return a good report of each kind."""
    place = tmp_path_factory.mktemp("whole") / "data"
    database(place, "a.py", has_arcs=True)
    texts = {"coverage.xml": cobertura("a.py"), "lcov.info": lcov("a.py")}
    return {name: text.encode() for name, text in texts.items()} | {".coverage": place.read_bytes()}


@pytest.mark.parametrize("name", READERS)
@given(edits=st.lists(st.tuples(st.integers(0, 1 << 15), st.binary(max_size=4)), max_size=6))
def test_a_report_with_any_bytes_changed_is_read_or_refused(
    whole: dict[str, bytes], name: str, edits: list[tuple[int, bytes]]
) -> None:
    data = bytearray(whole[name])
    for place, changed in edits:
        at = place % len(data)
        data[at : at + len(changed)] = changed or b""
    with suppress(DamagedReport):
        READERS[name](bytes(data), LineBudget(Job()))


def test_data_of_an_unknown_format_is_not_guessed_at(tmp_path: Path) -> None:
    database(tmp_path / ".coverage", "a.py", has_arcs=False, version=99)
    assert "its format is 99" in found(tmp_path, "a.py").problems[0].reason


def test_a_view_in_the_place_of_a_table_is_refused(tmp_path: Path) -> None:
    database(tmp_path / ".coverage", "a.py", has_arcs=False)
    with closing(sqlite3.connect(tmp_path / ".coverage")) as connection, connection:
        connection.execute("DROP TABLE arc")
        connection.execute("CREATE VIEW arc AS SELECT 1 AS file_id, 1 AS fromno, 1 AS tono")
    assert found(tmp_path, "a.py").problems[0].reason == "it is no data file of coverage.py"


def test_a_report_that_is_too_big_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchpin.measures.coverage._report.MAX_BYTES", 100)
    write(tmp_path, {"coverage.xml": cobertura("a.py")})
    assert "it is bigger than" in found(tmp_path, "a.py").problems[0].reason


def test_a_report_with_too_many_lines_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchpin.measures.coverage._contents.MAX_LINES", 5)
    write(tmp_path, {"coverage.xml": cobertura("a.py")})
    assert found(tmp_path, "a.py").problems[0].reason == "it has more than 5 lines"


def test_a_link_out_of_the_workspace_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    write(tmp_path, {"secret.xml": cobertura("a.py")})
    (root / "coverage.xml").symlink_to(tmp_path / "secret.xml")
    report = found(root, "a.py")
    assert (report.by_file, report.problems[0].reason) == ({}, "not a regular file")


def test_a_damaged_report_does_not_hide_a_good_one(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": "<broken", "lcov.info": lcov("a.py")})
    report = found(tmp_path, "a.py")
    assert report.by_file == {"a.py": FileCoverage(4, 5)}
    assert [it.path for it in report.problems] == ["coverage.xml"]


def test_the_lines_that_ran_are_read_from_the_reports_of_runners() -> None:
    of_go = "mode: set\nexample.com/m/a.go:3.10,5.2 1 1\nexample.com/m/a.go:7.1,8.2 1 0\n"
    ran = {3: True, 4: True, 5: True, 7: False, 8: False}
    assert lines_that_ran(of_go, Job()) == {"example.com/m/a.go": ran}
    of_python = "SF:a.py\nDA:1,1\nDA:2,0\nend_of_record\n"
    assert lines_that_ran(of_python, Job()) == {"a.py": {1: True, 2: False}}
    with pytest.raises(DamagedReport):
        lines_that_ran("nothing", Job())
