"""Chromium for tests of pages; they are skipped where it is missing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

import pytest

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")


@contextmanager
def chromium() -> Iterator[Any]:
    """Start Chromium."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with playwright.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def tab_in(browser: Any, page: str | Path, **options: Any) -> Iterator[Any]:
    """Open a page, offline unless told otherwise; an error on its console fails the test."""
    errors: list[str] = []
    context = browser.new_context(**{"offline": True, **options})
    tab = context.new_page()
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda said: errors.extend([said.text] * (said.type == "error")))
    tab.goto(page if isinstance(page, str) else page.as_uri())
    yield tab
    context.close()
    assert errors == []


@contextmanager
def opened(page: str | Path, **options: Any) -> Iterator[Any]:
    """Open a page in a browser of its own."""
    with chromium() as browser, tab_in(browser, page, **options) as tab:
        yield tab
