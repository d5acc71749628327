import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchpin.app import Call, Workbench
from benchpin.core.calls import Job
from benchpin.core.errors import (
    ConfigError,
    InvalidParams,
    TimeLimitExceeded,
    ToolDisabled,
    UnknownTool,
)
from benchpin.core.results import Result
from benchpin.core.tools import Effect
from benchpin.toolsets.server.get_status import Status
from everything.serving import kernel_for
from waiting import WAIT_S
from wire import Wire, request


class Done(Result):
    def to_text(self) -> str:
        return "done"


def test_any_enabled_tool_can_be_called(tmp_path: Path) -> None:
    result = Workbench.open(tmp_path).call("call_tool", name="get_status", arguments={})
    assert isinstance(result, Status)


def test_the_errors_are_those_of_the_tool(tmp_path: Path) -> None:
    bench = Workbench.open(tmp_path)
    with pytest.raises(UnknownTool):
        bench.call("call_tool", name="get_statuses")
    with pytest.raises(ToolDisabled):
        bench.call("call_tool", name="write_file", arguments={"path": "a", "content": "b"})
    with pytest.raises(InvalidParams, match="verbosity"):
        bench.call("call_tool", name="get_status", arguments={"verbosity": 1})
    with pytest.raises(InvalidParams, match="does not call itself"):
        bench.call("call_tool", name="call_tool", arguments={"name": "get_status"})


def test_its_reach_is_the_strongest_effect_that_is_allowed(tmp_path: Path) -> None:
    reach = {
        effect: Workbench.open(tmp_path, allow=[effect]).catalogue.find("call_tool").reach
        for effect in (Effect.WRITE, Effect.EXECUTE)
    }
    assert reach == {Effect.WRITE: Effect.WRITE, Effect.EXECUTE: Effect.EXECUTE}
    read_only = Workbench.open(tmp_path, read_only=True).catalogue.find("call_tool")
    assert read_only.reach is Effect.READ


@pytest.mark.parametrize("name", ["call_tool", "run_script"])
def test_its_reach_counts_tools_that_are_exposed_by_name(tmp_path: Path, name: str) -> None:
    def reach(*others: str) -> Effect:
        bench = Workbench.open(tmp_path, expose_tools=[name, *others])
        return next(it for it in bench.catalogue.listings() if it.name == name).reach

    assert reach("write_file") is Effect.WRITE
    assert reach("read_file", "execute_command") is Effect.EXECUTE
    assert reach("read_file") is Effect.READ


def test_no_tool_is_called_without_time(tmp_path: Path) -> None:
    bench = Workbench.open(tmp_path, expose_tools=["call_tool", "write_file"])
    late = bench.prepare(
        bench.catalogue.find("call_tool"),
        {"name": "write_file", "arguments": {"path": "a", "content": "b"}},
        job=Job(time_limit_s=0),
    )
    with pytest.raises(TimeLimitExceeded, match="write_file was not started"):
        late.run()
    assert not (tmp_path / "a").exists()


async def test_on_the_wire_it_must_be_enabled_itself(tmp_path: Path) -> None:
    wire = Wire(kernel_for(tmp_path, expose_tools=["echo"]))
    await wire.handshake()
    through = await wire.call("call_tool", name="echo", arguments={"text": "a"})
    assert through["result"]["isError"]
    assert "'call_tool' is disabled" in through["result"]["content"][0]["text"]
    direct = await wire.ask(request("call_tool", name="echo", arguments={"text": "a"}))
    assert "'call_tool' is disabled" in str(direct["error"])
    await wire.close()


async def test_on_the_wire_it_is_the_call_itself(tmp_path: Path) -> None:
    wire = Wire(kernel_for(tmp_path))
    await wire.handshake()
    direct = await wire.call("append_line", path="a.txt", line="one")
    through = await wire.call(
        "call_tool", name="append_line", arguments={"path": "b.txt", "line": "one"}
    )
    assert not through["result"].get("isError")
    assert through["result"]["content"][0]["type"] == direct["result"]["content"][0]["type"]
    unknown = await wire.call("call_tool", name="append_lines", arguments={})
    assert unknown["result"]["isError"]
    assert "append_line" in unknown["result"]["content"][0]["text"]
    wrong = await wire.call("call_tool", name="echo", arguments={"texts": "a"})
    assert wrong == await wire.call("echo", texts="a")
    await wire.close()


async def test_a_profile_lists_its_tools_and_the_others_can_be_called(tmp_path: Path) -> None:
    profiles = {"mine": ["echo", "get_status"]}
    wire = Wire(kernel_for(tmp_path, profile="mine", profiles=profiles))
    listed = await wire.ask(request("tools/list"))
    assert [it["name"] for it in listed["result"]["tools"]] == ["echo", "get_status"]
    assert (await wire.call("sleep_for", seconds=0))["result"]["structuredContent"]
    await wire.close()


def test_lean_lists_ten_tools_and_full_all_but_those_that_stand_in(tmp_path: Path) -> None:
    lean = Workbench.open(tmp_path, profile="lean").catalogue.listed_for("")
    assert len(lean) <= 10
    assert {"find_tools", "call_tool"} <= {it.name for it in lean}
    full = Workbench.open(tmp_path).catalogue
    assert {it.name for it in full.enabled} - {it.name for it in full.listed_for("")} == {
        "find_tools",
        "call_tool",
    }


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [({"profile": "slim"}, "profile 'slim'"), ({"profiles": {"a": ["ecko"]}}, "tool 'ecko'")],
)
def test_unknown_profiles_and_tools_are_named(
    tmp_path: Path, settings: dict[str, object], wrong: str
) -> None:
    with pytest.raises(ConfigError, match=wrong):
        Workbench.open(tmp_path, **settings)


def test_heavy_tools_that_others_call_run_one_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Workbench.open(tmp_path)
    running, most = 0, 0

    def work(_call: Call) -> Result:
        nonlocal running, most
        running += 1
        most = max(most, running)
        threading.Event().wait(0.01)  # lets another thread run, if there is one
        running -= 1
        return Done()

    monkeypatch.setattr(Call, "run", work)
    tools = bench.bench.installation.tools
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: tools.call("analyze_complexity", {}, bench.bench), range(6)))
    assert most == 1


def test_one_that_waits_for_another_ends_with_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Workbench.open(tmp_path)
    has_started, may_end = threading.Event(), threading.Event()

    def work(_call: Call) -> Result:
        has_started.set()
        may_end.wait(WAIT_S)
        return Done()

    monkeypatch.setattr(Call, "run", work)
    tools = bench.bench.installation.tools
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(tools.call, "analyze_complexity", {}, bench.bench)
        assert has_started.wait(WAIT_S)
        short = bench.bench.for_call(
            job=Job(time_limit_s=0.2),
            caller=bench.bench.caller,
            client=None,
            effects=bench.bench.effects,
        )
        with pytest.raises(TimeLimitExceeded, match="analyze_complexity was not started"):
            tools.call("analyze_complexity", {}, short)
        may_end.set()
        assert isinstance(first.result(), Result)
