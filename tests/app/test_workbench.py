import asyncio
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import Field

import benchpin
import everything
from app.kit import KITS, Done
from benchpin.app import Call, Listing, Workbench, configure
from benchpin.app._catalogue import Verdict
from benchpin.core.calls import Bench, Caller, Job
from benchpin.core.errors import (
    BenchpinError,
    Cancelled,
    ConfigError,
    FileMissing,
    InvalidParams,
    InvalidPath,
    ToolDisabled,
    UnknownTool,
)
from benchpin.core.results import Result
from benchpin.core.tools import Effect, Params, Toolset, tool
from benchpin.toolsets import load_toolsets
from benchpin.toolsets.server.get_status import Status, StatusParams, get_status
from everything.count_slowly import Counted, CountParams
from everything.echo import Echo, EchoParams


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    """Return a workbench with the fixture toolset and the default rights."""
    return Workbench(configure(root=workspace), [*load_toolsets(), everything.TOOLSET])


@pytest.mark.slow
def test_a_tool_is_called_by_name(shop: Workbench) -> None:
    assert shop.call("get_status").to_text().startswith(f"benchpin {benchpin.__version__} on ")
    assert shop.call("count_slowly", items=3, pause_s=0) == Counted(counted=3)


def test_an_async_tool_is_called_by_name_or_alias(shop: Workbench) -> None:
    assert shop.call("echo", text="hello") == Echo(text="hello")
    assert shop.call("echo.say", text="hello") == Echo(text="hello")


async def test_an_async_tool_can_be_called_where_a_loop_is_running(shop: Workbench) -> None:
    assert asyncio.get_running_loop().is_running()
    assert shop.call("echo", text="hello") == Echo(text="hello")


async def test_a_call_runs_on_the_loop_that_is_there(shop: Workbench) -> None:
    called = shop.prepare(shop.catalogue.find("echo"), {"text": "hello"})
    assert await called.run_on_loop() == Echo(text="hello")
    counting = shop.prepare(shop.catalogue.find("count_slowly"), {"items": 1, "pause_s": 0})
    assert await counting.run_on_loop() == Counted(counted=1)


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("ekko", {}, UnknownTool),
        ("append_line", {"path": "a", "line": "b"}, ToolDisabled),
        ("echo", {}, InvalidParams),
        ("echo", {"text": 5}, InvalidParams),
        ("fail_known", {}, FileMissing),
        ("fail_oddly", {}, ZeroDivisionError),
    ],
)
def test_a_call_that_cannot_be_done_raises(
    shop: Workbench, name: str, arguments: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        shop.call(name, **arguments)


def test_a_tool_that_was_imported_takes_and_gives_typed_values(shop: Workbench) -> None:
    status = shop.run(get_status, StatusParams())
    assert isinstance(status, Status)
    assert status.workspace == str(shop.bench.workspace.root)
    assert "echo" in status.enabled_tools
    assert "append_line" not in status.enabled_tools


class SpanParams(Params):
    first: int = Field(alias="from")
    last: int = Field(alias="to", default=9)


class Span(Result):
    length: int

    def to_text(self) -> str:
        return str(self.length)


@tool(title="Measure", effect=Effect.READ)
def look_twice(params: SpanParams, _bench: Bench) -> Span:
    """Measure a span."""
    return Span(length=params.last - params.first)


def test_typed_arguments_survive_their_aliases(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.kit.TOOLS", {"look_twice": look_twice})
    shop = Workbench(configure(root=workspace), KITS[1:])
    assert shop.run(look_twice, SpanParams(first=2, last=7)).length == 5
    assert shop.call("look_twice", **{"from": 4}) == Span(length=5)


class Clock:
    """A clock that advances by one second with each reading."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def test_a_result_that_lacks_something_is_marked_partial(shop: Workbench) -> None:
    job = Job(time_limit_s=5, monotonic=Clock())
    arguments = CountParams(items=10, pause_s=0).model_dump()
    result = shop.prepare(shop.catalogue.find("count_slowly"), arguments, job=job).run()
    assert isinstance(result, Counted)
    assert result.partial
    assert result.missing == [f"{10 - result.counted} of 10 items"]


def test_what_a_tool_says_is_missing_comes_first(
    shop: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    @tool(title="Look", effect=Effect.READ)
    def look_partly(_params: EchoParams, bench: Bench) -> Echo:
        """Look at a part."""
        bench.job.leave_out("b")
        return Echo(text="", partial=True, missing=["a"])

    monkeypatch.setattr(Toolset, "load_tool", lambda *_: look_partly)
    result = shop.prepare(shop.catalogue.find("echo"), {"text": ""}).run()
    assert (result.partial, result.missing) == (True, ["a", "b"])


def test_of_much_that_is_missing_the_first_is_named(shop: Workbench) -> None:
    job = Job()
    for at in range(12):
        job.leave_out(f"folder {at}")
    result = shop.prepare(shop.catalogue.find("echo"), {"text": ""}, job=job).run()
    assert result.missing == [*(f"folder {at}" for at in range(10)), "2 more"]


def test_a_cancelled_call_ends_with_an_error(shop: Workbench) -> None:
    job = Job()
    job.cancel()
    called = shop.prepare(shop.catalogue.find("count_slowly"), {"pause_s": 0}, job=job)
    with pytest.raises(Cancelled):
        called.run()


def test_arguments_are_checked_before_anything_is_done(shop: Workbench) -> None:
    with pytest.raises(InvalidParams):
        shop.prepare(shop.catalogue.find("echo"), {"txt": "hello"})


def test_a_call_has_its_own_job_and_caller(shop: Workbench) -> None:
    listing = shop.catalogue.find("echo")
    caller = Caller("mcp_client", "mcp", "s1")
    first = shop.prepare(listing, {"text": "a"}, caller=caller)
    second = shop.prepare(listing, {"text": "a"})
    assert first.bench.caller is caller
    assert second.bench.caller.from_agent == "python"
    assert first.bench.job is not second.bench.job


def test_a_tool_that_was_exposed_may_do_what_it_is_for_and_no_more(workspace: Path) -> None:
    shop = Workbench(configure(root=workspace, expose_tools=["do_write"]), KITS)
    assert shop.call("do_write") == Done(effects=["read", "record", "write"])
    assert shop.bench.effects == {Effect.READ, Effect.RECORD}


def test_opening_reads_files_and_variables_like_the_command_line(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "benchpin.toml").write_text("read_only = true", encoding="utf-8")
    monkeypatch.setenv("BENCHPIN_ALLOW", "write")
    shop = benchpin.Workbench.open(workspace, tool_timeout=5)
    assert shop.bench.workspace.root == workspace
    assert shop.configuration.settings.tool_timeout == 5
    assert shop.configuration.settings.allow == {Effect.WRITE}
    assert shop.bench.effects == {Effect.READ}


def test_a_configuration_of_settings_alone_reads_nothing(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "benchpin.toml").write_text("read_only = true", encoding="utf-8")
    monkeypatch.setenv("BENCHPIN_ALLOW", "write")
    shop = benchpin.Workbench(benchpin.configure(root=workspace))
    assert shop.bench.effects == {Effect.READ, Effect.RECORD}


def test_opening_takes_the_current_folder_or_a_text(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace)
    assert Workbench.open().bench.workspace.root == workspace
    assert Workbench.open(str(workspace)).bench.workspace.root == workspace


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"root": "/no/such/folder"}, InvalidPath),
        ({"alow": ["write"]}, ConfigError),
        ({"allow": ["everything"]}, ConfigError),
        ({"toolsets": ["sever"]}, ConfigError),
    ],
)
def test_settings_that_cannot_be_used_are_refused(
    settings: dict[str, object], error: type[BenchpinError]
) -> None:
    with pytest.raises(error):
        Workbench(configure(**settings))


def test_folders_may_begin_at_home(workspace: Path) -> None:
    home = Path(os.environ["HOME"])
    shop = Workbench.open(workspace, artifacts=["~/logs"], cache_dir="~/cache-of-mine")
    assert shop.bench.artifact_dirs == (home / "logs",)
    assert shop.bench.cache_dir == home / "cache-of-mine"
    stored = shop.bench.results.store("x")
    [place] = (home / "cache-of-mine" / "results").glob(f"*/{stored.id}.txt")
    assert place.is_file()


@pytest.mark.slow  # it starts a worker
def test_facts_are_kept_where_a_relative_cache_folder_is_seen_from_here(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "a.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "of-mine")
    for settings, place in (({"cache_dir": "mine"}, "mine"), ({}, "of-mine/benchpin")):
        with closing(Workbench.open(workspace, **settings)) as shop:
            shop.call("analyze_complexity")
        [facts] = (tmp_path / place / "source").glob("facts-*.sqlite")
        with closing(sqlite3.connect(facts)) as kept:
            assert kept.execute("SELECT COUNT(*) FROM outline").fetchone() == (1,)


def test_no_workspace_sees_the_results_of_another(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    Workbench.open(tmp_path / "one").bench.results.store("secret")
    assert list(Workbench.open(tmp_path / "other").bench.results.all()) == []


def test_nothing_is_written_before_it_is_needed(workspace: Path) -> None:
    shop = Workbench.open(workspace)
    shop.call("get_status")
    assert not shop.bench.cache_dir.exists()
    assert list(workspace.iterdir()) == []


def test_a_call_is_a_plain_value(shop: Workbench) -> None:
    listing = shop.catalogue.find("echo")
    assert shop.prepare(listing, {"text": "a"}).params == EchoParams(text="a")
    assert isinstance(shop.prepare(listing, {"text": "a"}), Call)
    verdict = Verdict(True, "read is allowed")
    assert listing == Listing(everything.TOOLSET, listing.tool.definition, verdict, Effect.READ)
