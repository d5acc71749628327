import asyncio
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Progress
from benchpin.ui import _analyses as analyses
from benchpin.ui._analyses import EventHub, PageAnalyses
from page_kit import Browser


async def finished(found: analyses.PageAnalysis) -> None:
    while found.running is not None:
        await asyncio.wait({found.running})


async def test_a_result_is_shown_from_before_a_change_while_the_new_one_is_computed(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "a.py").write_text("def old():\n    return 1\n", encoding="utf-8")
    kept = PageAnalyses(Workbench.open(workspace), EventHub())
    found = await kept.ask("outline_file")
    await finished(found)
    before = found.result
    (workspace / "a.py").write_text("def new():\n    return 1\n", encoding="utf-8")
    kept.files_changed()
    monkeypatch.setattr(analyses, "PATIENCE_S", 0)
    found = await kept.ask("outline_file")
    assert not found.is_current
    assert found.result is before
    await finished(found)
    assert "new" in str(found.result)


async def test_an_unchanged_workspace_is_measured_once(workspace: Path) -> None:
    kept = PageAnalyses(Workbench.open(workspace), EventHub())
    first = await kept.ask("outline_file")
    await finished(first)
    result = first.result
    again = await kept.ask("outline_file")
    assert again.result is result


async def test_an_error_is_kept_with_its_advice_and_the_page_is_told(workspace: Path) -> None:
    events = EventHub()
    stream = events.stream()
    await anext(stream)
    found = await PageAnalyses(Workbench.open(workspace), events).ask("analyze_code_churn")
    await finished(found)
    assert found.error is not None
    assert "git init" in found.error.suggestion
    told = [await anext(stream)]
    while "ready" not in told[-1]:
        told.append(await anext(stream))


async def test_the_first_look_shows_how_far_it_is(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(analyses, "PATIENCE_S", 0)
    browser = Browser(workspace)
    page = (await browser.get("/")).text
    assert "data-waiting" in page
    assert '<progress data-progress="Comprehensive analysis"' in page
    asked = await browser.pages.site.analyses.ask("analyze_comprehensive", limit=20, format="html")
    asked.progress = Progress(3, 10, "files")
    page = (await browser.get("/")).text
    assert 'max="10" value="3"' in page
    assert "What to do first" in (await browser.wait_for("/")).text
