import csv
import io
import json
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as ET

import pytest
from sarif_pydantic import Sarif

from benchpin.core.content import Text
from benchpin.core.text import TextStyle, by_reason, counted
from benchpin.present import (
    Column,
    Finding,
    FindingParams,
    FindingRule,
    InnerTable,
    Report,
    Table,
    View,
    location,
)
from benchpin.present.formats._rendering import MODULES
from benchpin.present.formats._text import align


class Narrow(TextStyle):
    width = 60


@dataclass(frozen=True, slots=True)
class Smell:
    file: str
    line: int
    score: float
    name: str | None
    level: Literal["warning", "note"] = "warning"


class SmellReport(Report):
    smells: list[Smell]
    total: int
    next_cursor: str | None

    view = View["SmellReport"](
        title="Smells",
        headline=lambda it: [counted(it.total, "smell")],
        tables=(
            Table(
                rows=lambda it: it.smells,
                columns=(
                    Column("score", spec=".2f"),
                    location(),
                    Column("name", is_detail=True),
                ),
                findings=lambda it: [
                    Finding("smell", it.level, f"{it.name} smells", it.file, it.line, it.line)
                ],
                below=lambda it: [f"look at line {it.line}"],
            ),
        ),
        notes=lambda _: ["left out: 3 generated"],
        rules=[FindingRule("smell", "Smell", "It smells.")],
    )


ALL = [Smell(f"src/f{at:02}.py", at + 1, at / 3, f"n|{at}\x1b") for at in range(30)]


def report(**params: object) -> SmellReport:
    chosen = FindingParams.model_validate(params)
    page = chosen.page(ALL)
    return SmellReport(
        smells=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        format=chosen.format,
    )


def test_the_summary_has_a_heading_over_every_column_and_exactly_the_page() -> None:
    found = report(limit=2)
    assert found.to_text() == (
        "30 smells\n\nscore  location\n 0.00  src/f00.py:1\n 0.33  src/f01.py:2\n"
        f"2 of 30; next_cursor={found.next_cursor}\nleft out: 3 generated"
    )


def test_full_text_adds_columns_and_details() -> None:
    lines = report(limit=1, format="full").to_text().splitlines()
    assert lines[2:5] == [
        "score  location      name",
        " 0.00  src/f00.py:1  n|0\\x1b",
        "  look at line 1",
    ]


@pytest.mark.parametrize(("shown", "rows"), [("summary", 20), ("markdown", 20), ("csv", 30)])
def test_programs_get_every_row_by_default_and_people_twenty(shown: str, rows: int) -> None:
    assert report(format=shown).to_text().count("src/f") == rows


@pytest.mark.parametrize("shown", sorted({*MODULES, "json", "csv"}))
def test_a_limit_holds_in_every_format_and_the_next_page_goes_on_there(shown: str) -> None:
    seen: list[str] = []
    cursor = None
    while True:
        page = report(format=shown, limit=7, cursor=cursor)
        seen += [it.file for it in page.smells]
        assert all(it.file in page.to_text() for it in page.smells)
        cursor = page.next_cursor
        blocks = [it.text for it in page.to_content() if isinstance(it, Text)]
        assert (cursor is None) or any(cursor in it for it in blocks)
        if cursor is None:
            break
    assert seen == [it.file for it in ALL]


def test_csv_has_a_column_for_each_part_of_a_location_and_raw_values() -> None:
    first = next(csv.DictReader(io.StringIO(report(format="csv").to_text())))
    assert first == {"score": "0.0", "file": "src/f00.py", "line": "1", "name": "n|0\x1b"}


def test_sarif_is_sarif_and_notes_are_its_notifications() -> None:
    text = report(format="sarif").to_text()
    Sarif.model_validate_json(text)
    run = json.loads(text)["runs"][0]
    assert len(run["results"]) == 30
    [notice] = run["invocations"][0]["toolExecutionNotifications"]
    assert notice["message"]["text"] == "left out: 3 generated"


def test_junit_has_a_failed_case_for_each_finding() -> None:
    suite = ET.fromstring(report(format="junit").to_text()).find("testsuite")  # noqa: S314 - our own
    assert suite is not None
    assert suite.get("failures") == "30"


def test_junit_has_a_note_as_a_case_that_passes_with_its_text() -> None:
    smells = [Smell("a.py", 1, 0.5, "sweet", level="note"), Smell("a.py", 2, 0.5, "foul")]
    found = SmellReport(smells=smells, total=2, next_cursor=None, format="junit")
    suites = ET.fromstring(found.to_text())  # noqa: S314 - our own
    assert (suites.get("tests"), suites.get("failures")) == ("2", "1")
    assert [it.text for it in suites.iter("system-out")] == ["sweet smells"]


def test_junit_of_no_findings_is_one_test_that_passes() -> None:
    empty = SmellReport(smells=[], total=0, next_cursor=None, format="junit")
    suites = ET.fromstring(empty.to_text())  # noqa: S314 - our own
    assert (suites.get("tests"), suites.get("failures")) == ("1", "0")


def test_markdown_cells_do_not_end_their_row() -> None:
    assert "n\\|0" in report(format="markdown").to_text()


class SmellyFiles(Report):
    files: dict[str, list[Smell]]

    view = View["SmellyFiles"](
        title="Smelly files",
        headline=lambda it: [counted(len(it.files), "file")],
        tables=(
            Table(
                rows=lambda it: list(it.files.items()),
                columns=(Column("outer", lambda it: it[0]),),
                inner=InnerTable(
                    title=lambda it: f"{it[0]}: {counted(len(it[1]), 'smell')}",
                    rows=lambda it: it[1],
                    columns=(location(), Column("name")),
                    summary_rows=2,
                ),
            ),
            Table(
                rows=lambda it: sorted(it.files),
                columns=(
                    Column("file", lambda it: it),
                    Column("size", len, is_below=True),
                ),
                title="Names",
                summary_rows=1,
            ),
        ),
    )


def test_a_page_folds_the_groups_after_the_first_ten() -> None:
    files = {f"f{at:02}.py": [Smell(f"f{at:02}.py", 1, 1.0, None)] for at in range(13)}
    page = SmellyFiles(files=files, format="html").to_text()
    assert "<h3>f09.py: 1 smell</h3>" in page
    assert "<details><summary>f10.py: 1 smell</summary>" in page
    assert page.count("<summary>f") == 3


def smelly(shown: str) -> str:
    files = {
        "a.py": [Smell("a.py", line, 1.0, None) for line in (1, 2, 3)],
        "b.py": [Smell("b.py", 1, 1.0, "x`y")],
        "c.py": [],
    }
    return SmellyFiles(files=files, format=shown).to_text()


def test_the_summary_of_rows_inside_rows_says_how_many_are_left_out() -> None:
    assert smelly("summary") == (
        "3 files\n\n"
        "a.py: 3 smells\n  a.py:1\n  a.py:2\n  and 1 more\n"
        "b.py: 1 smell\n  location  name\n  b.py:1    x`y\n"
        "c.py: 0 smells\n"
        "\nNames\nfile\na.py\n1 of 3; format=full shows the rest"
    )


def test_full_text_shows_all_rows_and_what_is_below_them() -> None:
    lines = smelly("full").splitlines()
    assert lines[3:6] == ["  a.py:1", "  a.py:2", "  a.py:3"]
    assert lines[-6:] == ["a.py", "  4", "b.py", "  4", "c.py", "  4"]


def test_csv_of_rows_inside_rows_repeats_the_outer_columns() -> None:
    assert smelly("csv").splitlines()[:2] == ["outer,file,line,name", "a.py,a.py,1,"]


def test_markdown_of_rows_inside_rows_has_a_heading_and_a_table_for_each() -> None:
    assert smelly("markdown").split("\n## ")[1] == (
        "Smelly files\n\n### a.py: 3 smells\n\n| location |\n| --- |\n| a.py:1 |\n"
        "| a.py:2 |\n| a.py:3 |\n"
        "\n### b.py: 1 smell\n\n| location | name |\n| --- | --- |\n| b.py:1 | x\\`y |\n"
        "\n### c.py: 0 smells\n"
    )


def test_a_column_without_any_value_is_not_shown_to_people() -> None:
    nameless = SmellReport(
        smells=[Smell("a.py", 1, 0.5, None)], total=1, next_cursor=None, format="full"
    )
    assert "name" not in nameless.to_text()
    assert "name" in nameless.model_copy(update={"format": "csv"}).to_text()


def test_reasons_are_counted_in_the_plural_where_they_are_nouns() -> None:
    assert by_reason({"symbolic link": 1, "generated": 2}) == "1 symbolic link, 2 generated"
    assert by_reason({"symbolic link": 4}) == "4 symbolic links"


def test_wide_characters_are_aligned_by_the_columns_they_fill() -> None:
    lines = align([Column[str]("name", str), Column[str]("next", len)], ["漢字", "abc", "e\u0301"])
    assert lines == ["name  next", "漢字     2", "abc      3", "e\u0301        2"]


def test_a_long_path_among_the_words_of_a_cell_is_shortened() -> None:
    long = "worst 69 at " + "resources/" * 12 + "Header.vue:1 template in 3 files"
    columns = (Column[str]("check", lambda it: it[:5]), Column[str]("result", str))
    lines = "\n".join(align(columns, [long], Narrow())).split("\n")
    assert max(map(len, lines)) <= Narrow.width
    assert any("…/Header.vue:1" in it for it in lines)


def test_a_cell_is_read_once() -> None:
    read: list[str] = []

    def cell(row: str) -> str:
        read.append(row)
        return row

    align([Column[str]("name", cell)], ["a", "b"])
    assert read == ["a", "b"]
