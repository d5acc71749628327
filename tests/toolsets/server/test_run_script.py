"""Scripts that call tools, and what they must not reach."""

import threading
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Bench
from benchpin.core.errors import Cancelled
from benchpin.core.results import Result
from benchpin.toolsets.server import run_script as module
from benchpin.toolsets.server.run_script import ScriptResult
from sandboxes import KINDS, working
from waiting import with_enough_time

pytestmark = pytest.mark.slow


@pytest.fixture(params=KINDS)
def bench(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Workbench:
    sandbox = working(request.param)
    monkeypatch.setattr(module, "detect_sandbox", lambda _root: sandbox)
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a.py").write_text("def a():\n    return 1\n", encoding="utf-8")
    (root / "b.py").write_text("def b():\n    return 2\n", encoding="utf-8")
    return Workbench.open(root)


def run(bench: Workbench, code: str) -> ScriptResult:
    result = bench.call("run_script", code=code)
    assert isinstance(result, ScriptResult)
    return result


def limited(bench: Workbench, code: str) -> Callable[[float], ScriptResult]:
    """Return what runs a script with some time limit of the server."""
    root = bench.bench.workspace.root
    return lambda limit_s: run(Workbench.open(root, tool_timeout=limit_s), code)


def test_a_script_loops_over_results_and_its_last_line_is_the_answer(bench: Workbench) -> None:
    code = """
names = [it["path"] for it in bench.call("list_directory")["entries"]]
print(len(names), "files")
{name: bench.call("read_file", path=name)["total_lines"] for name in names}
"""
    result = run(bench, code)
    assert (result.error, result.output, result.calls) == (None, "2 files\n", 3)
    assert result.value == {"a.py": 2, "b.py": 2}
    assert result.to_text() == "2 files\na.py: 2\nb.py: 2"


def test_the_errors_of_tools_can_be_caught(bench: Workbench) -> None:
    code = """
try:
    bench.call("read_file", path="missing.py")
except ToolError as error:
    kind = error.kind
kind
"""
    assert run(bench, code).value == "file_missing"


def test_a_script_cannot_do_more_than_its_caller(bench: Workbench) -> None:
    result = run(bench, 'bench.call("write_file", path="c.py", content="x")')
    assert result.is_failure()
    assert "--allow write" in (result.error or "")
    assert not (bench.bench.workspace.root / "c.py").exists()


def test_an_error_names_the_line_of_the_script(bench: Workbench) -> None:
    result = run(bench, "x = 1\nx / 0")
    assert 'File "<script>", line 2' in (result.error or "")
    assert "ZeroDivisionError" in (result.error or "")
    assert "_script_host" not in (result.error or "")


@pytest.mark.parametrize(
    "code",
    [
        "import pathlib; [str(it) for it in pathlib.Path({root!r}).iterdir()]",
        "import pathlib; pathlib.Path({root!r}, 'a.py').read_text()",
        "import socket; socket.create_connection(('127.0.0.1', 9))",
        "import pathlib; pathlib.Path('/etc/written').write_text('x')",
    ],
)
def test_the_script_itself_sees_no_workspace_and_no_network(bench: Workbench, code: str) -> None:
    result = run(bench, code.format(root=str(bench.bench.workspace.root)))
    assert result.is_failure()
    assert "Error" in (result.error or "")


def test_it_sees_no_other_process_and_no_environment(bench: Workbench) -> None:
    code = """
import os
pids = [it for it in os.listdir("/proc") if it.isdigit()]
(len(pids) < 5, sorted(os.environ))
"""
    answer = run(bench, code).value
    assert isinstance(answer, list)
    few, names = answer
    assert few
    assert isinstance(names, list)
    assert not {"PWD", "VIRTUAL_ENV", "BENCHPIN_ROOT"} & {str(it) for it in names}


NONSENSE = """
import os
for descriptor in range(3, 20):
    try:
        os.write(descriptor, {text!r})
    except OSError:
        pass
"""


@pytest.mark.parametrize("text", [b"nonsense\n", b"{}\n", b"[1]\n", b'{"call": 1}\n', b"\xff\n"])
def test_nonsense_on_the_pipe_ends_the_script_and_nothing_else(
    bench: Workbench, text: bytes
) -> None:
    assert run(bench, NONSENSE.format(text=text)).is_failure()
    assert run(bench, "1 + 1").value == 2


def test_what_is_written_to_the_real_output_is_lost(bench: Workbench) -> None:
    assert run(bench, "import os; os.write(1, b'{\"value\": 1}\\n'); 2").value == 2


def test_calls_are_bounded(bench: Workbench) -> None:
    endless = "while True:\n    try: bench.call('no_such_tool')\n    except ToolError: pass"
    stopped = run(bench, endless)
    assert "more than 1,000 calls" in (stopped.error or "")


def test_an_endless_script_ends_with_the_time_limit(bench: Workbench) -> None:
    code = "print('first', flush=True)\nwhile True: pass"
    result = with_enough_time(limited(bench, code), 1, lambda result: result.output != "")
    assert result.partial
    assert result.output == "first\n"


def test_a_script_that_does_not_read_its_answers_is_no_harm(bench: Workbench) -> None:
    (bench.bench.workspace.root / "big.txt").write_text("x" * 100 + "\n", encoding="utf-8")
    code = """
import json, os
for _ in range(50):
    bench._channel.send({"call": "read_file", "arguments": {"path": "big.txt"}})
"done"
"""
    assert run(bench, code).value == "done"


def test_odd_values_become_text(bench: Workbench) -> None:
    assert run(bench, "{1, 2}").value == "{1, 2}"
    assert run(bench, "float('nan')").value == "nan"
    assert run(bench, "'\\ud800'").error is None


SEND = """
import json, os, time
def send(count, path):
    call = json.dumps({"call": "read_file", "arguments": {"path": path}}).encode() + b"\\n"
    bench._channel._sink.write(call * count)
    bench._channel._sink.flush()
"""

KIND_OF = """
try:
    bench.call({call})
except ToolError as error:
    kind = error.kind
kind
"""

Serve = Callable[[Bench], Result]


class Done(Result):
    def to_text(self) -> str:
        return "done"


@pytest.fixture
def serve(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Callable[[Serve], list[str]]:
    """Return what replaces the tools by a function; it returns the names that are called."""

    def replace(function: Serve) -> list[str]:
        names: list[str] = []

        def call(_tools: object, name: str, _arguments: object, caller: Bench) -> Result:
            names.append(name)
            return function(caller)

        monkeypatch.setattr(type(bench.bench.installation.tools), "call", call)
        return names

    return replace


def wait_until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        threading.Event().wait(0.01)


def test_a_script_that_reads_no_answers_gets_no_more(bench: Workbench) -> None:
    text = ("y" * 99 + "\n") * 2000
    (bench.bench.workspace.root / "big.txt").write_text(text, encoding="utf-8")
    code = SEND + "send(200, 'big.txt')\ntime.sleep(600)"
    result = with_enough_time(limited(bench, code), 3, lambda result: result.calls >= 3)
    assert result.partial
    assert 3 <= result.calls <= (1 << 20) // len(text) + 3


def test_a_script_may_read_its_answers_late(bench: Workbench) -> None:
    text = ("y" * 99 + "\n") * 2000
    (bench.bench.workspace.root / "big.txt").write_text(text, encoding="utf-8")
    code = "send(20, 'big.txt')\n{bench._channel.receive()['result']['path'] for _ in range(20)}"
    result = run(bench, f"{SEND}\n{code}")
    assert (result.error, result.calls, result.value) == (None, 20, "{'big.txt'}")


def test_a_result_above_the_limit_is_an_error_of_the_call(bench: Workbench) -> None:
    (bench.bench.workspace.root / "big.txt").write_text("é\n" * 3000, encoding="utf-8")
    terse = Workbench.open(bench.bench.workspace.root, limits={"response_bytes": 5000})
    result = run(terse, KIND_OF.format(call="'read_file', path='big.txt'"))
    assert result.value == "response_too_large"


@pytest.mark.parametrize(
    "call",
    ["'run_script', code='1'", "'call_tool', **{'name': 'run_script', 'arguments': {'code': '1'}}"],
)
def test_a_script_starts_no_other(bench: Workbench, call: str) -> None:
    result = run(bench, f"bench.call({call})")
    assert "A script cannot call run_script" in (result.error or "")


def test_no_call_runs_after_the_script_has_ended(
    bench: Workbench, serve: Callable[[Serve], list[str]]
) -> None:
    before = {it.pid for it in psutil.Process().children()}

    def has_ended() -> bool:
        own = [it for it in psutil.Process().children() if it.pid not in before]
        return all(it.status() == "zombie" for it in own)

    def outlive(_caller: Bench) -> Result:
        wait_until(has_ended)  # the launcher ends after the script
        return Done()

    calls = serve(outlive)
    result = run(bench, SEND + "print('sent')\nsend(50, 'a.py')\nos._exit(0)")
    assert result.output == "sent\n"
    assert result.calls == len(calls) <= 1  # none if its end was noticed first


def test_no_call_runs_after_the_time_limit(
    bench: Workbench, serve: Callable[[Serve], list[str]]
) -> None:
    def linger(caller: Bench) -> Result:
        wait_until(lambda: caller.job.is_expired)
        return Done()

    calls = serve(linger)
    code = SEND + "send(50, 'a.py')\ntime.sleep(600)"
    result = with_enough_time(limited(bench, code), 1, lambda result: result.calls > 0)
    assert result.partial
    assert len(calls) == 1


def test_no_call_runs_after_a_cancellation(
    bench: Workbench, serve: Callable[[Serve], list[str]]
) -> None:
    def cancel(caller: Bench) -> Result:
        caller.job.cancel()
        return Done()

    calls = serve(cancel)
    with pytest.raises(Cancelled):
        run(bench, SEND + "send(50, 'a.py')\ntime.sleep(60)")
    assert len(calls) == 1


def test_a_call_above_the_limit_is_not_made(
    bench: Workbench, serve: Callable[[Serve], list[str]]
) -> None:
    calls = serve(lambda _caller: Done())
    result = run(bench, "while True: bench.call('read_file', path='a.py')")
    assert "more than 1,000 calls" in (result.error or "")
    assert (len(calls), result.calls) == (1000, 1000)


def test_a_bug_in_a_tool_is_an_error_of_the_call_and_is_logged(
    bench: Workbench, serve: Callable[[Serve], list[str]], caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_caller: Bench) -> Result:
        raise ZeroDivisionError

    serve(fail)
    assert run(bench, KIND_OF.format(call="'read_file', path='a.py'")).value == "internal_error"
    assert "tool read_file failed" in caplog.text


def test_a_script_that_leaves_without_an_outcome_was_not_late(bench: Workbench) -> None:
    assert run(bench, "import os; os._exit(3)").error == "The script ended early, with exit code 3"


def test_an_error_of_a_tool_shows_the_line_of_the_script_only(bench: Workbench) -> None:
    result = run(bench, 'x = 1\nbench.call("read_file", path="missing.py")')
    assert 'File "<script>", line 2' in (result.error or "")
    assert "main.py" not in (result.error or "")
    assert "missing.py" in (result.error or "")


def test_a_script_that_exits_with_a_status_has_failed(bench: Workbench) -> None:
    assert "status 3" in (run(bench, "import sys; sys.exit(3)").error or "")
    assert not run(bench, "import sys; sys.exit()").is_failure()
