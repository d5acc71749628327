import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from benchpin.app import Workbench
from benchpin.cli.main import cli
from benchpin.core.calls import Job
from benchpin.ui import write_report
from benchpin.ui._report import script_in_one
from browsers import tab_in
from repositories import Tree


def test_the_scripts_of_a_report_are_one_module_without_imports_and_with_distinct_names() -> None:
    script = script_in_one()
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:function|class|const|let) (\w+)", script, re.MULTILINE)
    assert sorted(names) == sorted(set(names))


@pytest.mark.slow
def test_a_report_has_the_overview_and_every_list_in_one_file(workspace: Path) -> None:
    (workspace / "a.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
    page = write_report(Workbench.open(workspace), Job())
    assert "What to do first" in page
    assert 'id="analyze_complexity"' in page
    assert "No git repository contains" in page  # what a list lacks is said in its place
    markup = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert not re.findall(r'(?:src|href)="(?!#|data:)', markup)


@pytest.mark.slow
def test_a_report_names_its_commit_folds_its_lists_and_is_small_when_there_is_little_to_say(
    workspace: Path,
) -> None:
    tree = Tree(workspace)
    tree.commit({"a.py": b"def f(x):\n    return x\n"})
    tree.write({"a.py": b"def f(x):\n    return x + 1\n"})
    page = write_report(Workbench.open(workspace), Job())
    head = page[page.index('class="head"') : page.index('id="overview"')]
    assert re.search(r"Commit [0-9a-f]{12} of \d{4}-\d\d-\d\d, 1 file with uncommitted", head)
    assert len(page) < 150_000
    lists = page[page.index('id="analyze_defect_probability"') :]
    assert "How this was measured" in lists
    assert re.findall(r'<details class="list[^>]* open>', page) == [
        '<details class="list folder" open>'
    ]


@pytest.mark.slow
def test_the_command_writes_the_file_and_says_how_big_it_is(workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    output = workspace / "out.html"
    done = CliRunner().invoke(cli, ["report", str(workspace), "--output", str(output)])
    assert done.exit_code == 0, done.output
    assert output.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "Wrote" in done.output


@pytest.mark.slow
def test_a_report_about_hostile_names_runs_nothing_of_theirs_and_asks_nobody(
    browser: Any, hostile_repository: Path, tmp_path: Path
) -> None:
    place = tmp_path / "report.html"
    place.write_text(write_report(Workbench.open(hostile_repository), Job()), encoding="utf-8")
    with tab_in(browser, place, viewport={"width": 400, "height": 800}) as tab:
        tab.wait_for_selector("[data-contents] tbody tr")
        assert tab.evaluate("window.harmed") is None
        assert tab.evaluate("document.documentElement.scrollWidth") <= 400
        entries = tab.evaluate("performance.getEntriesByType('resource').map((it) => it.name)")
        assert [it for it in entries if not it.startswith("data:")] == []
        tab.locator("[data-contents] button", has_text="shop/").click()
        assert "pricing.py" in tab.locator("[data-contents]").inner_text()
