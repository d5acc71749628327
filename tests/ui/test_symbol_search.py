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
