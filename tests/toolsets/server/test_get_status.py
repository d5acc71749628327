from dataclasses import replace
from datetime import timedelta

import pytest

import benchpin
from benchpin.app import Workbench
from benchpin.run import sandbox as execution
from benchpin.toolsets.server import get_status as module
from benchpin.toolsets.server.get_status import SandboxStatus, Status, StatusParams, get_status


@pytest.fixture(autouse=True)
def sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the same sandbox on every machine."""
    found = execution.Sandbox("bubblewrap", "/usr/bin/bwrap")
    monkeypatch.setattr(module, "detect_sandbox", lambda _root: found)


def test_the_status_shows_the_state_of_the_server(
    shop: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.bench.results.store("five!")
    later = shop.bench.installation.started_s + 61.23456
    monkeypatch.setattr(module, "monotonic", lambda: later)
    assert get_status(StatusParams(), shop.bench) == Status(
        version=benchpin.__version__,
        workspace=str(shop.bench.workspace.root),
        enabled_tools=[it.name for it in shop.catalogue.enabled],
        sandbox=SandboxStatus(name="bubblewrap", detail="/usr/bin/bwrap"),
        cache_bytes=5,
        uptime_s=61.235,
    )


def test_uptime_does_not_go_backwards_when_the_clock_is_set_back(shop: Workbench) -> None:
    bench = replace(shop.bench, now=lambda: shop.started_at - timedelta(days=1))
    status = get_status(StatusParams(), bench)
    assert isinstance(status, Status)
    assert status.uptime_s >= 0


def test_the_status_is_said_one_fact_a_line() -> None:
    status = Status(
        version="1.2.3",
        workspace="/ws",
        enabled_tools=["a_b", "c_d"],
        sandbox=SandboxStatus(name="none", detail="not installed"),
        cache_bytes=1234567,
        uptime_s=61.6,
    )
    assert status.to_text().splitlines() == [
        "benchpin 1.2.3 on /ws, up 62 s",
        "2 tools: a_b, c_d",
        "sandbox: none (not installed)",
        "cache: 1,234,567 bytes",
    ]


def test_only_what_is_on_is_named(shop: Workbench) -> None:
    alone = Workbench.open(shop.bench.workspace.root, expose_tools=["get_status"])
    assert alone.run(get_status, StatusParams()).enabled_tools == ["get_status"]


def test_without_a_sandbox_by_choice_there_is_none(shop: Workbench) -> None:
    bare = Workbench.open(shop.bench.workspace.root, unconfined=True)
    assert bare.run(get_status, StatusParams()).sandbox.name == "none"


def test_an_empty_cache_is_no_failure(shop: Workbench) -> None:
    assert not shop.bench.cache_dir.exists()
    assert shop.run(get_status, StatusParams()).cache_bytes == 0


def test_a_broken_link_in_the_cache_is_no_failure(shop: Workbench) -> None:
    shop.bench.results.store("five!")
    (shop.bench.cache_dir / "dangling").symlink_to("gone")
    assert shop.run(get_status, StatusParams()).cache_bytes == 5


def test_it_takes_no_arguments(shop: Workbench) -> None:
    with pytest.raises(benchpin.BenchpinError):
        shop.call("get_status", verbose=True)
