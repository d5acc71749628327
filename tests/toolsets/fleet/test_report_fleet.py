import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchpin.app import Workbench
from benchpin.cli.main import cli
from browsers import chromium, tab_in
from repositories import Tree

from .conftest import HARM


def test_a_report_answers_every_question_about_the_fleet(fleet: Workbench) -> None:
    report = fleet.call("report_fleet").model_dump()
    rows = {it["question"]: it["rows"] for it in report["answers"]}

    assert (report["totals"]["repositories"], report["totals"]["failing"]) == (2, 1)
    empty = [question for question, found in rows.items() if not found]
    assert empty == []
    assert [row[0] for row in rows["trend"]] == ["two"]
    assert [row[:2] for row in rows["licences"]] == [["MIT", 1], ["unknown", 1]]


def test_the_text_has_totals_and_says_what_follows_from_the_code_alone(fleet: Workbench) -> None:
    text = fleet.call("report_fleet").to_text()

    assert text.startswith("2 repositories, 3 files, ")
    assert "1 fail the gate" in text
    assert "The defect risk of 2 repositories follows from the code alone" in text


@pytest.mark.parametrize("chosen", ["json", "markdown", "csv", "full"])
def test_a_report_has_the_formats_of_other_reports(fleet: Workbench, chosen: str) -> None:
    assert "two" in fleet.call("report_fleet", format=chosen).to_text()


@pytest.mark.slow
def test_the_command_writes_the_page(fleet: Workbench, tmp_path: Path) -> None:
    output = tmp_path / "fleet.html"
    root = str(fleet.bench.workspace.root)
    done = CliRunner().invoke(cli, ["--root", root, "fleet", "report", "--output", str(output)])

    assert done.exit_code == 0, done.output
    assert output.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_a_command_ends_without_a_word_of_the_database(tmp_path: Path) -> None:
    Tree(tmp_path / "one").commit({"a.py": b"a = 1\n"})
    command = (sys.executable, "-m", "benchpin", "--root", str(tmp_path), "fleet", "measure", "one")
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_about_hostile_names_runs_nothing_of_theirs_and_asks_nobody(
    browser: Any, fleet: Workbench, tmp_path: Path, theme: str
) -> None:
    place = tmp_path / "report.html"
    page = fleet.call("report_fleet", format="html").to_text()
    place.write_text(page, encoding="utf-8")
    look = {"color_scheme": theme, "viewport": {"width": 400, "height": 800}}
    with tab_in(browser, place, **look) as tab:
        tab.wait_for_selector("table tbody tr")
        assert HARM in tab.inner_text("main")
        assert tab.evaluate("window.harmed") is None
        assert tab.evaluate("document.images.length") == 0
        assert tab.evaluate("document.documentElement.scrollWidth") <= 400
        assert tab.evaluate("performance.getEntriesByType('resource')") == []
