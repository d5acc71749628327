"""How fast the pages of `benchpin ui` are in Chromium, and how big a report is.

    python bench/ui.py FOLDER...

First paint is measured when the first analysis is done. Interactions are timed in the page, to the
frame after the one that shows the change; the median and the worst of several are printed.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any
from urllib.parse import quote

from playwright.sync_api import sync_playwright

from results import help_if_asked

BENCHPIN = str(Path(sys.executable).with_name("benchpin"))
ROUNDS = 7
FRAMES = "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"
TIMED = "async () => { const start = performance.now(); %s; %s return performance.now() - start; }"
HITS = """async () => { const start = performance.now();
    await (await fetch('/hits?q=%s')).text(); return performance.now() - start; }"""
ACTIONS = {
    "another colour": "const s = document.querySelector('[data-treemap] select');"
    "s.selectedIndex = (s.selectedIndex + 1) % s.options.length;"
    "s.dispatchEvent(new Event('change'))",
    "into a folder and back": "const t = document.querySelector('[data-treemap]').treemap;"
    "t.open(t.node.path ? '' : t.node.children[0].path)",
    "pointer over the treemap": "const c = document.querySelector('canvas');"
    "const f = c.getBoundingClientRect();"
    "c.dispatchEvent(new PointerEvent('pointermove', {clientX: f.left + f.width * Math.random(),"
    "clientY: f.top + f.height * Math.random()}))",
}


def main() -> None:
    """Measure the pages of each folder."""
    for folder in sys.argv[1:]:
        measure(Path(folder))


def measure(folder: Path) -> None:
    """Print a table about one folder."""
    print(f"\n{folder.name}")
    with subprocess.Popen(
        (BENCHPIN, "ui", str(folder), "--no-open"),
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        try:
            with sync_playwright() as player:
                browser = player.chromium.launch(
                    executable_path=which("chromium"), args=["--no-sandbox"]
                )
                tab = browser.new_page(viewport={"width": 1280, "height": 800})
                _pages(tab, address)
                browser.close()
        finally:
            process.terminate()
            process.wait(30)
    _report(folder)


def _pages(tab: Any, address: str) -> None:
    start = time.monotonic()
    tab.goto(address)
    tab.wait_for_selector("main.overview:not([data-waiting]) .score", timeout=900_000)
    print(f"first analysis: {time.monotonic() - start:.1f} s")
    base = tab.evaluate("location.origin")
    _row("first paint of the overview, ms", lambda: _paint(tab, f"{base}/"))
    _row("treemap drawn after navigation, ms", lambda: _drawn(tab, f"{base}/"))
    tab.goto(f"{base}/map")
    tab.wait_for_selector("[data-contents] tbody tr")
    files = tab.evaluate("document.querySelector('[data-treemap]').treemap.data.files.length")
    print(f"files in the treemap: {files:,}")
    for name, action in ACTIONS.items():
        _row(f"{name}, ms", partial(tab.evaluate, TIMED % (action, FRAMES)))
    path = tab.evaluate("document.querySelector('[data-treemap]').treemap.data.files[100]")
    _row("page of a file, ms", lambda: _loaded(tab, f"{base}/source?path={quote(path)}"))
    words = iter(("set", "get", "test", "async", "conf", "update", "state"))
    tab.evaluate(HITS % "first")  # reads the symbols
    tab.wait_for_timeout(5_000)
    _row("matches while typing, ms", lambda: float(tab.evaluate(HITS % next(words))))


def _loaded(tab: Any, address: str) -> float:
    tab.goto(address)
    return float(tab.evaluate("performance.getEntriesByType('navigation')[0].duration"))


def _paint(tab: Any, address: str) -> float:
    tab.goto(address)
    tab.wait_for_selector(".score")
    tab.wait_for_selector("[data-treemap][data-drawn]")  # later, so that it was painted
    paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    return float(tab.evaluate(paint))


def _drawn(tab: Any, address: str) -> float:
    tab.goto(address)
    tab.wait_for_selector("[data-treemap][data-drawn]")
    return float(tab.evaluate("performance.now()"))


def _row(name: str, take: Callable[[], float]) -> None:
    times = [take() for _ in range(ROUNDS)]
    print(f"{name}: median {statistics.median(times):.0f}, worst {max(times):.0f}")


def _report(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as made:
        place = Path(made) / "report.html"
        start = time.monotonic()
        subprocess.run((BENCHPIN, "report", str(folder), "--output", str(place)), check=True)
        size = place.stat().st_size
        print(f"report: {size / 1e6:.2f} MB in {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
