"""Scripts that call tools, and what they must not reach."""

from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.toolsets.server import run_script as module
from benchpin.toolsets.server.run_script import ScriptResult
from sandboxes import KINDS, working

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


def test_a_script_loops_over_results_and_its_last_line_is_the_answer(bench: Workbench) -> None:
    code = """
names = [it["path"] for it in bench.call("list_directory")["entries"]]
print(len(names), "files")
{name: bench.call("read_file", path=name)["total_lines"] for name in names}
"""
    result = run(bench, code)
    assert (result.error, result.output, result.calls) == (None, "2 files\n", 3)
    assert result.value == {"a.py": 2, "b.py": 2}
    assert result.to_text() == '2 files\n{"a.py": 2, "b.py": 2}'


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
    limited = Workbench.open(bench.bench.workspace.root, tool_timeout=1)
    result = limited.call("run_script", code="print('first', flush=True)\nwhile True: pass")
    assert isinstance(result, ScriptResult)
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
