from pathlib import Path

import pytest

from benchpin.app import Call
from benchpin.cli.running import run_tool
from benchpin.cli.settings import Flags
from benchpin.core import Bench, Caller, InternalError, Result, ToolDisabled, UnknownTool
from everything.echo import Echo

pytestmark = pytest.mark.usefixtures("with_everything")


def _benches(monkeypatch: pytest.MonkeyPatch) -> list[Bench]:
    """Return a list to which every call adds its bench instead of running."""
    seen: list[Bench] = []

    def note(call: Call) -> Result:
        seen.append(call.bench)
        return Echo(text="")

    monkeypatch.setattr(Call, "run", note)
    return seen


def test_a_tool_is_run_for_the_operator(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = _benches(monkeypatch)
    run_tool(Flags({"root": workspace}), "echo", {"text": "hello"})
    assert seen[0].caller == Caller(agent_id="operator", from_agent="cli", session_id="cli")


def test_there_is_a_time_limit_only_where_a_flag_sets_one(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHPIN_TOOL_TIMEOUT", "5")
    seen = _benches(monkeypatch)
    run_tool(Flags({"root": workspace}), "echo", {"text": ""})
    run_tool(Flags({"root": workspace, "tool_timeout": 60.0}), "echo", {"text": ""})
    assert seen[0].job.time_left_s() is None
    assert 0 < (seen[1].job.time_left_s() or 0) <= 60


def test_an_interruption_cancels_the_job_and_exits_with_130(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[str] = []

    def interrupt(call: Call) -> Result:
        with call.bench.job.stopping(lambda: stopped.append("child")):
            raise KeyboardInterrupt

    monkeypatch.setattr(Call, "run", interrupt)
    with pytest.raises(SystemExit) as ended:
        run_tool(Flags({"root": workspace}), "echo", {"text": ""})
    assert ended.value.code == 130


def test_errors_are_for_the_command_to_show(workspace: Path) -> None:
    with pytest.raises(UnknownTool):
        run_tool(Flags({"root": workspace}), "ekko", {})
    barred = Flags({"root": workspace, "read_only": True})
    with pytest.raises(ToolDisabled):
        run_tool(barred, "append_line", {"path": "a", "line": "b"})


def test_a_defect_is_said_plainly_and_shown_only_when_asked_for(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InternalError, match="not your request"):
        run_tool(Flags({"root": workspace}), "fail_oddly", {})
    monkeypatch.setenv("BENCHPIN_DEBUG", "tools")
    with pytest.raises(ZeroDivisionError):
        run_tool(Flags({"root": workspace}), "fail_oddly", {})
