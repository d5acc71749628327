"""Apps in Chromium, inside a host that does as the specification says."""

import asyncio
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.server import Kernel
from benchpin.server.apps import APPS
from browsers import chromium, tab_in
from wire import HANDSHAKE, Wire, request

from .test_negotiation import CODE, SHOWS_APPS

pytestmark = pytest.mark.slow
HOST = Path(__file__).with_name("host.html")
FIXTURES = Path(__file__).parents[2] / "fixtures" / "performance"
PROFILE = "spx-full-20261115_064605-vm-3470-1102520059"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Give one browser to all tests here."""
    with chromium() as running:
        yield running


def fetched(workspace: Path, tool: str, arguments: dict[str, object]) -> tuple[str, Any]:
    """Return the page of a tool's app and the result of a call, as a host gets both."""

    async def ask() -> tuple[str, Any]:
        wire = Wire(Kernel(Workbench.open(workspace)))
        params = {**HANDSHAKE["params"], "capabilities": SHOWS_APPS}
        await wire.ask({**HANDSHAKE, "params": params})
        page = await wire.ask(request("resources/read", uri=APPS[tool].uri))
        answer = await wire.ask(request("tools/call", name=tool, arguments=arguments))
        await wire.close()
        return page["result"]["contents"][0]["text"], answer["result"]

    with ThreadPoolExecutor(1) as apart:  # the browser has the loop of this thread
        return apart.submit(lambda: asyncio.run(ask())).result()


@contextmanager
def shown(
    browser: Any, workspace: Path, tool: str, **arguments: object
) -> Iterator[tuple[Any, Any]]:
    """Show the app of a call; yield the host and the app."""
    page, result = fetched(workspace, tool, arguments)
    bench = Workbench.open(workspace)

    def call(asked: dict[str, Any]) -> dict[str, object]:
        answer = bench.call(asked["name"], **asked["arguments"])
        return {"content": [{"type": "text", "text": answer.to_text()}]}

    with tab_in(browser, HOST) as host:
        host.expose_function("callServer", call)
        host.evaluate("([page, result]) => open(page, result)", [page, result])
        yield host, host.frame_locator("iframe")


def test_a_gate_is_shown_in_the_colours_of_the_host_and_a_click_calls_tools(
    workspace: Path, browser: Any
) -> None:
    (workspace / "risky.py").write_text(CODE)
    with shown(browser, workspace, "quality_gate", project_path=".") as (host, app):
        app.locator('a[href="#open:risky.py%3A1"]').first.click()
        app.locator("aside .answer pre").wait_for()
        assert "risky" in app.locator("aside .answer").inner_text()
        app.locator('aside input[name="text"]').fill("why so many?")
        app.get_by_role("button", name="Add comment").click()
        app.locator("aside .comment").wait_for(state="hidden")
        calls = [it["params"] for it in host.evaluate("seen") if it.get("method") == "tools/call"]
        assert [it["name"] for it in calls] == ["outline_file", "add_comment"]
        paper = "getComputedStyle(document.body).backgroundColor"
        frame = host.frames[1]
        assert frame.evaluate(paper) == "rgb(1, 2, 3)"
        ink = "getComputedStyle(document.body).color"
        assert frame.evaluate(ink) == "rgb(230, 232, 235)"
        host.evaluate('notify("ui/notifications/host-context-changed", { theme: "light" })')
        frame.wait_for_function(f'{ink} === "rgb(28, 30, 33)"')
        sizes = [it for it in host.evaluate("seen") if it["method"].endswith("size-changed")]
        assert sizes[-1]["params"]["height"] > 200
    found = Workbench.open(workspace).call("get_file_comments", filePath="risky.py")
    assert "why so many?" in found.to_text()


def test_a_treemap_is_drawn_without_evaluating_text(workspace: Path, browser: Any) -> None:
    (workspace / "risky.py").write_text(CODE)
    with shown(browser, workspace, "analyze_comprehensive", project_path=".") as (_host, app):
        app.locator(".drawing svg").first.wait_for()
        assert app.locator(".drawing svg").first.bounding_box()["width"] > 300


def test_a_flame_graph_is_drawn_from_the_result(workspace: Path, browser: Any) -> None:
    for suffix in ("json", "txt.gz"):
        shutil.copy(FIXTURES / "spx" / f"{PROFILE}.{suffix}", workspace)
    ingested: Any = Workbench.open(workspace).call("ingest_artifacts", path=".")
    wanted = {"normalized_snapshot_id": ingested.normalized_snapshot_id}
    with shown(browser, workspace, "run_analysis", **wanted) as (_host, app):
        item = app.locator(".flame-item")
        item.wait_for(state="attached")
        assert " Total " in (item.text_content() or "")
