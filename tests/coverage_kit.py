"""Reports of coverage, written as the tools write them."""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.facts import FileFacts
from benchpin.measures.coverage import CoverageReport, find_reports, read_reports
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


def database_of_tests(place: Path, path: str, ran: Mapping[str, set[int]]) -> None:
    """Write a data file with the lines of one file that each context ran."""
    database(place, path, has_arcs=True)
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute("CREATE TABLE context (id integer primary key, context text)")
        for number, (context, lines) in enumerate(ran.items(), start=2):
            connection.execute("INSERT INTO context VALUES (?, ?)", (number, context))
            row = (number, numbits(lines))
            connection.execute("INSERT INTO line_bits VALUES (1, ?, ?)", row)


def reports_in(root: Path, files: Sequence[FileFacts], job: Job | None = None) -> CoverageReport:
    """Return what all reports of a folder say."""
    work = job or Job()
    return read_reports(root, files, find_reports(root, files, lambda _path: True, work), work)
