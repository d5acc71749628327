import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.engines.insight.coverage import Coverage, CoverageReport, find_coverage
from benchpin.engines.insight.coverage.database import read_database
from benchpin.engines.insight.coverage.lcov import read_lcov
from benchpin.engines.insight.coverage.model import Damaged
from benchpin.engines.insight.coverage.xml import read_xml
from benchpin.engines.source.index import FileFacts
from made_sources import parsed

CODE = '''\
def used(
    x=1,
):
    """Doc."""
    return x


def unused():
    return 2


one = lambda: 1
class K:
    def m(self):
        def inner():
            return 3
        return inner
'''
"""Measured with coverage.py 7.17.2: 8 of 10 lines and 2 of 4 functions ran."""
RAN = {1, 2, 5, 8, 12, 13, 14, 15, 17}
LINES = "".join(
    f'<line number="{line}" hits="{int(line in RAN)}"/>'
    for line in (1, 5, 8, 9, 12, 13, 14, 15, 16, 17)
)
JUMPS = ((-1, 2), (2, 1), (1, 8), (-1, 5), (5, -1), (8, 12), (12, 13), (-13, 13), (13, 14))
MORE_JUMPS = ((14, -13), (13, -1), (-14, 15), (15, 17), (17, -14))


def sources(*paths: str) -> list[FileFacts]:
    return parsed(dict.fromkeys(paths, CODE))


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())


def cobertura(filename: str, source: str = "", lines: str = LINES) -> str:
    return (
        '<?xml version="1.0" ?><!DOCTYPE coverage SYSTEM "http://cobertura.example/coverage-04.dtd">'
        f"<coverage><sources><source>{source}</source></sources><packages><package><classes>"
        f'<class filename="{filename}"><methods><method><lines>{lines}</lines></method></methods>'
        f"<lines>{lines}</lines></class></classes></package></packages></coverage>"
    )


def jacoco(name: str, package: str = "org/example") -> str:
    return (
        '<!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd"><report name="x">'
        f'<group name="g"><package name="{package}"><class name="{package}/A"/>'
        f'<sourcefile name="{name}"><line nr="3" mi="0" ci="2" mb="0" cb="0"/>'
        '<line nr="4" mi="1" ci="0" mb="0" cb="0"/><counter type="LINE" missed="1" covered="1"/>'
        "</sourcefile></package></group></report>"
    )


def lcov(path: str) -> str:
    facts = "".join(f"DA:{line},{int(line in RAN)}\n" for line in (1, 5, 8, 9, 12))
    return f"TN:\nSF:{path}\nFN:1,used\n{facts}LF:5\nLH:4\nend_of_record\n"


def numbits(lines: set[int]) -> bytes:
    """Pack numbers as the documentation of coverage.numbits says."""
    packed = bytearray(max(lines) // 8 + 1)
    for line in lines:
        packed[line // 8] |= 1 << line % 8
    return bytes(packed)


def database(place: Path, path: str, *, has_arcs: bool, version: int = 7) -> None:
    """Write a data file with the tables that coverage.py has."""
    with closing(sqlite3.connect(place)) as connection, connection:
        for table in (
            "coverage_schema (version integer)",
            "meta (key text, value text)",
            "file (id integer primary key, path text)",
            "line_bits (file_id integer, context_id integer, numbits blob)",
            "arc (file_id integer, context_id integer, fromno integer, tono integer)",
        ):
            connection.execute(f"CREATE TABLE {table}")
        connection.execute("INSERT INTO coverage_schema VALUES (?)", (version,))
        connection.execute("INSERT INTO file VALUES (1, ?)", (path,))
        if has_arcs:
            rows = ((1, 1, *jump) for jump in JUMPS + MORE_JUMPS)
            connection.executemany("INSERT INTO arc VALUES (?, ?, ?, ?)", rows)
        else:
            connection.execute("INSERT INTO line_bits VALUES (1, 1, ?)", (numbits(RAN),))


def found(root: Path, *paths: str) -> CoverageReport:
    report = find_coverage(root, sources(*paths), lambda _path: True)
    assert report is not None
    return report


def test_without_a_report_there_is_none(tmp_path: Path) -> None:
    assert find_coverage(tmp_path, sources("pkg/a.py"), lambda _path: True) is None


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
    assert found(tmp_path, "pkg/a.py", "other.py").by_file == {"pkg/a.py": Coverage(8, 10)}


def test_an_absolute_path_of_this_workspace_is_taken_as_it_is(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": cobertura(str(tmp_path / "a.py"))})
    assert found(tmp_path, "a.py").by_file == {"a.py": Coverage(8, 10)}


def test_the_source_folder_decides_between_files_of_one_name(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": cobertura("pkg/a.py", "/ci/project/src")})
    report = found(tmp_path, "lib/pkg/a.py", "src/pkg/a.py")
    assert list(report.by_file) == ["src/pkg/a.py"]


def test_a_path_that_may_mean_two_files_means_none(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": cobertura("pkg/a.py")})
    report = found(tmp_path, "one/pkg/a.py", "two/pkg/a.py")
    assert report.by_file == {}
    assert report.share is None
    assert report.problems[0].reason == "it speaks of no file of the workspace"


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
    assert found(tmp_path, path, "app/A.kt").by_file == {path: Coverage(1, 2)}


@pytest.mark.parametrize("place", ["lcov.info", "coverage/lcov.info", "packages/web/lcov.info"])
def test_lcov_is_read(tmp_path: Path, place: str) -> None:
    write(tmp_path, {place: lcov("packages/web/a.ts")})
    report = find_coverage(tmp_path, parsed({"packages/web/a.ts": "x = 1"}), lambda _path: True)
    assert report is not None
    assert report.by_file == {"packages/web/a.ts": Coverage(4, 5)}
    assert report.share == 0.8


@pytest.mark.parametrize("has_arcs", [False, True])
def test_the_data_of_coverage_py_tells_which_functions_ran(
    tmp_path: Path, *, has_arcs: bool
) -> None:
    database(tmp_path / ".coverage", str(tmp_path / "pkg/a.py"), has_arcs=has_arcs)
    assert found(tmp_path, "pkg/a.py").by_file == {"pkg/a.py": Coverage(2, 4, "functions")}


def test_lines_are_believed_before_functions_and_the_newest_report_first(tmp_path: Path) -> None:
    database(tmp_path / ".coverage", str(tmp_path / "a.py"), has_arcs=False)
    write(tmp_path, {"coverage.xml": cobertura("a.py"), "lcov.info": lcov("a.py"), "a.py": CODE})
    os.utime(tmp_path / "coverage.xml", (1000, 1000))
    os.utime(tmp_path / "lcov.info", (2000, 2000))
    report = found(tmp_path, "a.py")
    assert report.by_file == {"a.py": Coverage(4, 5)}
    assert [it.path for it in report.reports] == ["lcov.info", "coverage.xml", ".coverage"]
    assert [it.changed_since for it in report.reports] == [1, 1, 1]


def test_a_report_newer_than_its_sources_is_not_stale(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": CODE, "coverage.xml": cobertura("a.py")})
    os.utime(tmp_path / "a.py", (1000, 1000))
    assert [it.changed_since for it in found(tmp_path, "a.py").reports] == [0]


def test_what_may_not_be_read_is_not_named(tmp_path: Path) -> None:
    write(tmp_path, {"coverage.xml": cobertura("a.py")})
    assert find_coverage(tmp_path, sources("a.py"), lambda path: path != "coverage.xml") is None


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
    with suppress(Damaged):
        READERS[name](bytes(data))


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
    monkeypatch.setattr("benchpin.engines.insight.coverage.report.MAX_BYTES", 100)
    write(tmp_path, {"coverage.xml": cobertura("a.py")})
    assert "it is bigger than" in found(tmp_path, "a.py").problems[0].reason


def test_a_report_with_too_many_lines_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchpin.engines.insight.coverage.model.MOST_LINES", 5)
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
    assert report.by_file == {"a.py": Coverage(4, 5)}
    assert [it.path for it in report.problems] == ["coverage.xml"]
