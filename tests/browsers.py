"""Chromium for tests of pages; they are skipped where it is missing."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

import pytest

CHROMIUM = which("chromium") or which("chromium-browser") or which("google-chrome")


@contextmanager
def opened(page: str | Path, **options: Any) -> Iterator[Any]:
    """Open a page offline; the test fails if it writes an error to the console."""
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    errors: list[str] = []
    with playwright.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            context = browser.new_context(offline=True, **options)
            tab = context.new_page()
            tab.on("pageerror", lambda error: errors.append(str(error)))
            tab.on("console", lambda said: errors.extend([said.text] * (said.type == "error")))
            tab.goto(page if isinstance(page, str) else page.as_uri())
            yield tab
            assert errors == []
        finally:
            browser.close()
