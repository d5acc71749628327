"""Programs are run under real profilers, in the sandbox that this machine has."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import InvalidParams, ToolDisabled
from benchpin.performance.recording._recording import RecordingFailed
from benchpin.run.sandbox import detect_sandbox

pytestmark = pytest.mark.slow
PYTHON = """
import sys

def add_squares(count):
    total = 0
    for it in range(count):
        total += it * it
    return total

def work(times):
    for _ in range(times):
        add_squares(1000)

for _ in range(3):
    work(2)
sys.exit(int(sys.argv[1]))
"""
NODE = "function work(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s }\n"
PHP = "<?php function work($n) { $s = 0; for ($i = 0; $i < $n; $i++) $s += $i; return $s; }\n"


@pytest.fixture
def bench(workspace: Path) -> Workbench:
    is_confined = detect_sandbox(workspace).confines
    return Workbench.open(workspace, allow=["execute"], unconfined=not is_confined)


def record(bench: Workbench, *command: str, **more: object) -> Any:
    return bench.call("record_profile", argv=command, **more)


def test_a_python_program_is_recorded_by_cprofile(bench: Workbench, workspace: Path) -> None:
    (workspace / "app.py").write_text(PYTHON, encoding="utf-8")
    found = record(bench, "python3", "app.py", "3", runs=2)
    assert (found.profiler, found.command, found.counts.profiles) == (
        "cprofile",
        "python3 app.py ?",
        2,
    )
    assert [it.exit_code for it in found.runs] == [3, 3]
    assert "2 runs of python3 app.py ? recorded by cprofile" in found.to_text()
    listed: Any = bench.call("list_runs")
    assert [it.name for it in listed.runs] == ["python3 app.py ?"]


def test_two_recordings_can_be_compared_function_by_function(
    bench: Workbench, workspace: Path
) -> None:
    (workspace / "app.py").write_text(PYTHON, encoding="utf-8")
    before = record(bench, "python3", "app.py", "0", runs=5, clock="cpu")
    (workspace / "app.py").write_text(PYTHON.replace("work(2)", "work(400)"), encoding="utf-8")
    after = record(bench, "python3", "app.py", "0", runs=5, clock="cpu")
    found: Any = bench.call(
        "compare_snapshots",
        before=before.normalized_snapshot_id,
        after=after.normalized_snapshot_id,
    )
    first = found.regressions[0]
    assert (first.title, first.origin, first.file) == ("add_squares", "work", "app.py")


def test_runs_with_equal_profiles_are_all_counted(bench: Workbench, workspace: Path) -> None:
    (workspace / "app.py").write_text("pass\n", encoding="utf-8")
    found = record(bench, "python3", "app.py", runs=5, clock="cpu")
    assert found.counts.profiles == 5


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_node_program_is_recorded_by_its_own_profiler(bench: Workbench, workspace: Path) -> None:
    (workspace / "app.js").write_text(NODE + "work(3e7)\n", encoding="utf-8")
    found = record(bench, "node", "app.js", runs=1)
    assert (found.profiler, found.counts.profiles) == ("cpu-prof", 1)


GO = """package planted

import "testing"

func work(count int) (sum int) {
	for at := 0; at < count; at++ {
		sum += at % 7
	}
	return sum
}

func TestWork(t *testing.T) {
	if work(200_000_000) < 0 {
		t.Fail()
	}
}
"""
C = """
#include <stdio.h>
#include <stdlib.h>
static long add(long count) {
    long sum = 0;
    for (long i = 0; i < count; i++) sum += i % 7;
    return sum;
}
int main(int argc, char **argv) { printf("%ld", add(argc > 1 ? atol(argv[1]) : 1)); return 0; }
"""


@pytest.mark.skipif(
    not (shutil.which("gcc") and shutil.which("valgrind")), reason="gcc or valgrind is missing"
)
def test_a_compiled_program_is_recorded_by_valgrind(bench: Workbench, workspace: Path) -> None:
    (workspace / "app.c").write_text(C, encoding="utf-8")
    compiler = ["gcc", "-g", "-O0", "-o", "app", "app.c"]
    subprocess.run(compiler, cwd=workspace, check=True)
    found = record(bench, "./app", "20000", runs=1)
    assert (found.profiler, found.counts.profiles, found.command) == ("callgrind", 1, "./app ?")
    listed: Any = bench.call(
        "run_analysis", normalized_snapshot_id=found.normalized_snapshot_id, top_n=1
    )
    assert listed.aggregates.spans[0].function == "add"


def test_go_without_a_test_is_refused(bench: Workbench) -> None:
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    with pytest.raises(RecordingFailed, match="only tests"):
        record(bench, "go", "run", ".")


def test_a_go_test_is_recorded(bench: Workbench, workspace: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    (workspace / "go.mod").write_text("module planted\n\ngo 1.20\n", encoding="utf-8")
    (workspace / "a_test.go").write_text(GO, encoding="utf-8")
    found = record(bench, "go", "test", "-run=Work", ".", runs=1, timeout=300)
    assert (found.profiler, found.counts.profiles) == ("go-test", 1)


def _php_modules() -> str:
    if shutil.which("php") is None:
        return ""
    return subprocess.run(["php", "-m"], capture_output=True, check=False, text=True).stdout  # noqa: S607 - as the tool finds it


@pytest.mark.parametrize("profiler", ["excimer", "xdebug"])
def test_a_php_program_is_recorded(bench: Workbench, workspace: Path, profiler: str) -> None:
    if profiler not in _php_modules().lower():
        pytest.skip(f"{profiler} is not installed")
    (workspace / "app.php").write_text(f"{PHP}work(9000000);\n", encoding="utf-8")
    found = record(bench, "php", "app.php", runs=1, profiler=profiler)
    assert (found.profiler, found.counts.profiles) == (profiler, 1)


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("a\0b", "NUL byte at position 1"),
        ("\ud800", "half of a surrogate pair"),
        ("x" * 140_000, "140,000 bytes"),
    ],
)
def test_an_argument_that_no_program_can_receive_is_named(
    bench: Workbench, word: str, problem: str
) -> None:
    with pytest.raises(InvalidParams, match=rf"argv\[2\] cannot be passed .*{problem}"):
        record(bench, "python3", "app.py", word)


def test_a_command_that_the_system_refuses_is_named(bench: Workbench, workspace: Path) -> None:
    (workspace / "app.py").write_text("pass\n", encoding="utf-8")
    with pytest.raises(RecordingFailed, match="cannot be run: Argument list too long"):
        record(bench, "python3", "app.py", *(["x" * 100_000] * 60))


def environment(place: Path) -> Path:
    """Make an environment with a module that no other has."""
    subprocess.run(["python3", "-m", "venv", "--without-pip", place], check=True)  # noqa: S607 - as the tool finds it
    packages = next(place.glob("lib/python*/site-packages"))
    (packages / "only_here.py").write_text("", encoding="utf-8")
    return place


def test_the_environment_of_the_project_or_the_activated_one_is_taken(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "app.py").write_text("import only_here\n", encoding="utf-8")
    active = environment(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    unconfined = Workbench.open(workspace, allow=["execute"], unconfined=True)
    found = record(unconfined, "python3", "app.py", runs=1)
    assert (found.interpreter, found.passed_over) == (f"{active}/bin/python3", "")
    assert found.runs[0].exit_code == 0
    environment(workspace / ".venv")
    found = record(unconfined, "python3", "app.py", runs=1)
    assert (found.interpreter, found.runs[0].exit_code) == (".venv/bin/python3", 0)
    assert "with .venv/bin/python3" in found.to_text()


def test_an_activated_environment_that_the_sandbox_hides_is_named(
    bench: Workbench, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if bench.bench.is_unconfined:
        pytest.skip("no sandbox works here")
    (workspace / "app.py").write_text("pass\n", encoding="utf-8")
    active = environment(tmp_path / "active")
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    found = record(bench, "python3", "app.py", runs=1)
    assert found.passed_over == f"{active}/bin/python3"
    assert "BENCHPIN_TOOLCHAINS" in found.to_text()
    allowed = Workbench.open(workspace, allow=["execute"], toolchains=[active])
    found = record(allowed, "python3", "app.py", runs=1)
    assert (found.interpreter, found.passed_over) == (f"{active}/bin/python3", "")


def test_a_program_that_leaves_no_profile_is_refused_with_its_error(
    bench: Workbench, workspace: Path
) -> None:
    script = "import os, sys\nsys.stderr.write('no disk')\nsys.stderr.flush()\nos._exit(9)\n"
    (workspace / "app.py").write_text(script, encoding="utf-8")
    with pytest.raises(RecordingFailed, match="exit code 9: no disk"):
        record(bench, "python3", "app.py", runs=3)
    with pytest.raises(RecordingFailed, match="does not measure cpu time"):
        record(bench, "python3", "app.py", profiler="py-spy", clock="cpu")
    with pytest.raises(RecordingFailed, match=r"gone\.py was not found"):
        record(bench, "./gone.py")


def test_recording_is_off_unless_execution_is_allowed(workspace: Path) -> None:
    with pytest.raises(ToolDisabled):
        Workbench.open(workspace).call("record_profile", argv=["python3", "a.py"])


TESTS = """
import unittest

def slow_sum(count):
    total = 0
    for it in range(count):
        total += it * it
    return total

class Sums(unittest.TestCase):
    def test_slow(self):
        self.assertGreater(slow_sum(300_000), 0)

    def test_other(self):
        self.fail()
"""
JAVA = """
class App {
  static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
  public static void main(String[] args) { System.out.println(fib(42)); }
}
"""


def functions_of(bench: Workbench, recorded: Any) -> list[str]:
    snapshot = recorded.normalized_snapshot_id
    found: Any = bench.call("run_analysis", normalized_snapshot_id=snapshot, top_n=100)
    return [it.function for it in found.aggregates.spans]


def test_a_test_is_recorded_by_its_name(bench: Workbench, workspace: Path) -> None:
    (workspace / "test_sums.py").write_text(TESTS, encoding="utf-8")
    found: Any = bench.call("record_profile", tests=["test_sums.Sums.test_slow"], runs=1)
    assert (found.command, found.profiler) == ("unittest test_sums.Sums.test_slow", "cprofile")
    assert found.runs[0].exit_code == 0
    assert "slow_sum" in functions_of(bench, found)


def test_a_go_test_is_recorded_by_its_name(bench: Workbench, workspace: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    (workspace / "go.mod").write_text("module planted\n\ngo 1.20\n", encoding="utf-8")
    (workspace / "a_test.go").write_text(GO, encoding="utf-8")
    found: Any = bench.call("record_profile", tests=["TestWork"], runs=1, timeout=300)
    assert (found.command, found.profiler) == ("go TestWork", "go-test")


@pytest.mark.skipif(
    not (shutil.which("java") and shutil.which("jfr")), reason="a JDK is not installed"
)
def test_a_java_program_is_recorded_by_flight_recorder(bench: Workbench, workspace: Path) -> None:
    (workspace / "App.java").write_text(JAVA, encoding="utf-8")
    found = record(bench, "java", "App.java", runs=1)
    assert (found.profiler, found.command) == ("jfr", "java App.java")
    assert "App.fib" in functions_of(bench, found)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "nothing to record"),
        ({"argv": ["python3", "a.py"], "tests": ["test_a.py"]}, "Both argv and tests"),
        ({"tests": ["--version"]}, "'--version' is not a test"),
        ({"tests": ["test_a.py"], "runner": "make"}, "make test takes no tests|may start anything"),
        ({"tests": ["test_a.py"]}, "No test runner was found"),
    ],
)
def test_what_is_to_be_recorded_has_to_be_clear(
    bench: Workbench, arguments: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidParams, match=problem):
        bench.call("record_profile", **arguments)


def test_a_runner_that_is_not_installed_is_named(bench: Workbench, workspace: Path) -> None:
    (workspace / "conftest.py").write_text("", encoding="utf-8")
    (workspace / ".venv" / "bin").mkdir(parents=True)
    (workspace / ".venv" / "bin" / "python").symlink_to("/usr/bin/python3")
    (workspace / "test_a.py").write_text("def test_a(): pass\n", encoding="utf-8")
    system = subprocess.run(
        ["/usr/bin/python3", "-c", "import pytest"], check=False, capture_output=True
    )
    if system.returncode == 0:
        pytest.skip("the system has pytest")
    with pytest.raises(RecordingFailed, match="pytest is in no environment"):
        bench.call("record_profile", tests=["test_a.py"], runs=1)
