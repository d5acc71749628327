"""Have axe-core look for what keeps people out: on the pages of `benchpin ui`, and in reports.

A serious or critical violation fails, in the light or the dark theme, on a screen or a phone.
So does a message on the console, or a page that is wider than the screen.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

from playwright.sync_api import sync_playwright

from npm_packages import FOLDER, ROOT, UNAVAILABLE, Unavailable, prepare

AXE = FOLDER / "node_modules" / "axe-core" / "axe.min.js"
BENCHPIN = str(Path(sys.executable).with_name("benchpin"))
SUBJECT = ROOT / "src" / "benchpin" / "ui"
"""Small, and with everything that a page shows."""
PAGES = (
    "/",
    "/map",
    "/findings/analyze_complexity",
    "/findings/analyze_graph_metrics",
    "/performance",
    "/findings/quality_gate",
    "/findings/analyze_duplicates",
    "/source?path=_analyses.py",
    "/source?path=_analyses.py&history=1",
    "/symbol?name=PageAnalyses.ask",
    "/search?q=Links",
    "/search?q=where+is+a+page+rendered",
    "/change?base=HEAD~3",
)
LOOKS = (("light", 1440), ("dark", 1440), ("light", 390), ("dark", 390))
BAD = frozenset({"serious", "critical"})
READY = "html[data-ready] main:not([data-waiting])"
JUDGE = "axe.run(document, {resultTypes: ['violations']})"
WAIT_MS = 120_000


def main() -> None:
    """Judge every page in every look."""
    chromium = which("chromium")
    if chromium is None:
        print("Chromium is not installed: apt-get install chromium")
        sys.exit(UNAVAILABLE)
    try:
        prepare()
    except Unavailable as error:
        print(error)
        sys.exit(UNAVAILABLE)
    with (
        sync_playwright() as player,
        _served() as address,
        tempfile.TemporaryDirectory() as folder,
    ):
        report = Path(folder) / "report.html"
        subprocess.run((BENCHPIN, "report", str(SUBJECT), "--output", str(report)), check=True)
        fleet = _fleet_report(Path(folder))
        browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        found = [it for look in LOOKS for it in _look(browser, *look, address, (report, fleet))]
        browser.close()
    for it in found:
        print(it)
    if found:
        sys.exit(f"{len(found)} serious violations")
    print(f"No serious violation on {len(PAGES) + 2} pages")


def _fleet_report(folder: Path) -> Path:
    """Return a report on two folders that share a file."""
    shutil.copytree(SUBJECT, folder / "fleet" / "one")
    shutil.copytree(SUBJECT / "static", folder / "fleet" / "two")
    report = folder / "fleet.html"
    command = (BENCHPIN, "--root", str(folder / "fleet"), "fleet")
    subprocess.run((*command, "measure", "one", "two"), check=True)
    subprocess.run((*command, "report", "--output", str(report)), check=True)
    return report


def _look(
    browser: Any, theme: str, width: int, address: str, reports: tuple[Path, ...]
) -> Iterator[str]:
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 800})
    tab = context.new_page()
    said: list[str] = []
    tab.on("console", lambda it: said.append(it.text))
    tab.on("pageerror", lambda it: said.append(str(it)))
    tab.goto(address)
    tab.wait_for_selector(READY, timeout=WAIT_MS)
    base = tab.evaluate("location.origin")
    for page in PAGES:
        tab.goto(base + page)
        tab.wait_for_selector(READY, timeout=WAIT_MS)
        yield from _violations(tab, f"{page} {theme} {width}")
        if tab.evaluate("document.documentElement.scrollWidth") > width:
            yield f"{page} {theme}: wider than {width} pixels"
        yield from (f"{page} {theme} {width}: the console says {it}" for it in said)
        said.clear()
    for report in reports:
        tab.goto(report.as_uri())
        tab.wait_for_selector("tbody tr")
        yield from _violations(tab, f"{report.stem} {theme}")
    context.close()


@contextmanager
def _served() -> Iterator[str]:
    with subprocess.Popen(
        (BENCHPIN, "ui", str(SUBJECT), "--no-open"),
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def _violations(tab: Any, name: str) -> Iterator[str]:
    tab.evaluate(AXE.read_text(encoding="utf-8"))
    for found in tab.evaluate(JUDGE)["violations"]:
        if found["impact"] in BAD:
            places = ", ".join(str(node["target"][0]) for node in found["nodes"][:3])
            yield f"{name}: {found['id']}, {found['help']}: {places}"


if __name__ == "__main__":
    main()
