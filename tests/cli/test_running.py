import subprocess
import sys
from pathlib import Path

import pytest

from benchpin.app import Call
from benchpin.cli.flags import Flags
from benchpin.cli.running import run_tool
from benchpin.core.calls import Bench, Caller
from benchpin.core.errors import InternalError, ToolDisabled, UnknownTool
from benchpin.core.results import Result
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
    run_tool(Flags({"root": workspace}).workbench(), "echo", {"text": "hello"})
    assert seen[0].caller == Caller(agent_id="operator", from_agent="cli", session_id="cli")


def test_there_is_a_time_limit_only_where_somebody_set_one(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = _benches(monkeypatch)
    run_tool(Flags({"root": workspace}).workbench(), "echo", {"text": ""})
    run_tool(Flags({"root": workspace, "tool_timeout": 60.0}).workbench(), "echo", {"text": ""})
    monkeypatch.setenv("BENCHPIN_TOOL_TIMEOUT", "5")
    run_tool(Flags({"root": workspace}).workbench(), "echo", {"text": ""})
    limits = [bench.job.time_left_s() for bench in seen]
    assert limits[0] is None
    assert 5 < (limits[1] or 0) <= 60
    assert 0 < (limits[2] or 0) <= 5


def test_an_interruption_cancels_the_job_and_exits_with_130(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped: list[str] = []

    def interrupt(call: Call) -> Result:
        with call.bench.job.stopping(lambda: stopped.append("child")):
            raise KeyboardInterrupt

    monkeypatch.setattr(Call, "run", interrupt)
    with pytest.raises(SystemExit) as ended:
        run_tool(Flags({"root": workspace}).workbench(), "echo", {"text": ""})
    assert ended.value.code == 130


def test_errors_are_for_the_command_to_show(workspace: Path) -> None:
    with pytest.raises(UnknownTool):
        run_tool(Flags({"root": workspace}).workbench(), "ekko", {})
    barred = Flags({"root": workspace, "read_only": True})
    with pytest.raises(ToolDisabled):
        run_tool(barred.workbench(), "append_line", {"path": "a", "line": "b"})


def test_a_defect_is_said_plainly_and_shown_only_when_asked_for(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InternalError, match="not your request"):
        run_tool(Flags({"root": workspace}).workbench(), "fail_oddly", {})
    monkeypatch.setenv("BENCHPIN_DEBUG", "tools")
    with pytest.raises(ZeroDivisionError):
        run_tool(Flags({"root": workspace}).workbench(), "fail_oddly", {})


@pytest.mark.slow
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_ends_a_command_and_removes_what_it_made_for_a_while(
    name: str, code: int, tmp_path: Path
) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    script = (
        "import signal, tempfile\n"
        "from benchpin.cli.running import cancelling_on_interrupt, ending_with_a_code\n"
        "from benchpin.core.calls import Job\n"
        f"with ending_with_a_code(), tempfile.TemporaryDirectory(dir={str(folder)!r}):\n"
        f"    with cancelling_on_interrupt(Job()):\n        signal.raise_signal(signal.{name})\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True)
    assert (done.returncode, list(folder.iterdir())) == (code, [])
