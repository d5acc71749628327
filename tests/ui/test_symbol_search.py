"""The search field finds symbols without looking at every file again."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.code import CodeIndex, index_of
from benchpin.facts import FileSelection
from benchpin.ui import _site as symbol_search
from benchpin.ui._analyses import EventHub, PageAnalyses
from benchpin.ui._site import SymbolSearch
from page_kit import Browser


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note each time that the index of the workspace is read."""
    noted: list[str] = []

    def noting(selection: FileSelection) -> CodeIndex:
        noted.append("read")
        return index_of(selection)

    monkeypatch.setattr(symbol_search, "index_of", noting)
    return noted


async def names(search: SymbolSearch, written: str) -> list[str]:
    return [it.qualified for it in await search.find(written, 10)]


async def ready(told: AsyncIterator[str]) -> None:
    """Wait until a page is told that there is something new."""
    async for event in told:
        if "event: ready" in event:
            return


async def test_files_are_looked_at_again_only_after_a_change(
    workspace: Path, read: list[str]
) -> None:
    (workspace / "a.py").write_text("def load_all():\n    return 1\n", encoding="utf-8")
    workbench = Workbench.open(workspace)
    analyses = PageAnalyses(workbench, EventHub())
    events = EventHub()
    told = events.stream()
    await anext(told)
    search = SymbolSearch(workbench, analyses, events)
    await search.find("load", 10)
    await ready(told)
    assert await names(search, "load") == ["load_all"]
    assert await names(search, "all") == ["load_all"]
    assert await names(search, "nothing") == []
    assert read == ["read"]
    (workspace / "a.py").write_text("def load_some():\n    return 1\n", encoding="utf-8")
    analyses.files_changed()
    assert await names(search, "load") == ["load_all"]
    await ready(told)
    assert await names(search, "load") == ["load_some"]
    assert read == ["read", "read"]


async def test_an_exact_symbol_comes_first_then_symbols_then_code_then_documents(
    workspace: Path,
) -> None:
    files = {
        "docs/request.md": "# Request\n",
        "examples/request.py": "class Request:\n    pass\n",
        "src/request.py": "class RequestPath:\n    pass\n",
        "src/base.py": "class Request:\n    pass\n",
    }
    for name, text in files.items():
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text(text, encoding="utf-8")
    browser = Browser(workspace)
    page = (await browser.wait_for("/search?q=Request")).text
    order = [
        "/symbol?name=src%2Fbase.py%3A%3ARequest",
        "/symbol?name=examples%2Frequest.py%3A%3ARequest",
        "/symbol?name=src%2Frequest.py%3A%3ARequestPath",
        '<a href="/source?path=src%2Frequest.py"',
        '<a href="/source?path=docs%2Frequest.md"',
    ]
    places = [page.index(it) for it in order]
    assert places == sorted(places)
    hits = ""
    while "/symbol?" not in hits:  # the first search reads the index
        hits = (await browser.get("/hits?q=request")).text
    places = [hits.index(it.removeprefix("<a ")) for it in order]
    assert places[0] == min(places)
    assert places[-1] == max(places)


async def test_a_question_is_answered_with_code(workspace: Path) -> None:
    text = """def retry_delivery(mail):
    # Try a failed delivery again.
    mail.attempts += 1  # \u202e
"""
    (workspace / "mail.py").write_text(text, encoding="utf-8")
    browser = Browser(workspace)
    page = (await browser.wait_for("/search?q=where+is+a+failed+delivery+tried+again%3F")).text
    answer = page[page.index('class="answer"') :]
    assert "/symbol?name=mail.py%3A%3Aretry_delivery" in answer
    assert "mail.attempts += 1" in answer
    assert "\u202e" not in answer
    page = (await browser.wait_for("/search?q=delivery")).text
    assert 'class="answer"' not in page
    assert "ask=1" in page
    assert 'class="answer"' in (await browser.wait_for("/search?q=delivery&ask=1")).text
