import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from benchpin.app import Workbench, configure
from benchpin.core.calls import Job, Progress
from benchpin.core.errors import (
    Cancelled,
    EffectNotAllowed,
    InvalidParams,
    InvalidPath,
    PathOutsideWorkspace,
    ToolDisabled,
)
from benchpin.run import sandbox as execution
from benchpin.run.sandbox import _calls as calls
from benchpin.toolsets.navigation._tests import RunTestsReport
from sandboxes import KINDS, survivors, working
from waiting import WAIT_S, with_enough_time

pytestmark = pytest.mark.slow

Run = Callable[..., RunTestsReport]
# The packages of these tests are not in the sandbox when Benchpin runs from elsewhere.
PACKAGES = [Path(it) for it in sys.path if it.endswith("site-packages")]
CASES = """
import unittest
class Case(unittest.TestCase):
    def test_good(self): print("printed")
    def test_bad(self): self.assertEqual(1, 2)
"""
WAITING = """#!/bin/sh
cases='<testcase name="a"/><testcase name="b"><failure/></testcase><testcase name="interrupted"/>'
for it in "$@"; do
  case $it in --junitxml=*) echo "<testsuite>$cases</testsuite>" > "${it#--junitxml=}";; esac
done
echo "==== 1 failed, 1 passed in 0.1s ===="
exec sleep 600
"""


@pytest.fixture(params=KINDS)
def run(request: pytest.FixtureRequest, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs tests with some settings, in each kind of sandbox."""
    sandbox = working(request.param)
    for module in (execution, calls):
        monkeypatch.setattr(module, "detect_sandbox", lambda _root: sandbox)

    def run_them(job: Job | None = None, **given: object) -> RunTestsReport:
        names = ("allow", "toolchains", "unconfined")
        settings = {"allow": ["execute"], **{it: given.pop(it) for it in names if it in given}}
        bench = Workbench(configure(root=workspace, **settings))
        call = bench.prepare(bench.catalogue.find("run_tests"), given, job=job)
        return cast("RunTestsReport", call.run())

    return run_them


def _write(workspace: Path, files: dict[str, str]) -> None:
    for path, content in files.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(content, encoding="utf-8")


def test_failures_are_listed_with_their_place_and_the_output_is_stored(
    run: Run, workspace: Path
) -> None:
    _write(workspace, {"test_a.py": CASES})
    report = run()
    assert (report.runner, report.passed, report.failed, report.skipped) == ("unittest", 1, 1, 0)
    (failure,) = report.failures
    assert (failure.file, failure.line) == ("test_a.py", 5)
    assert failure.message == "AssertionError: 1 != 2"
    assert (report.is_passed, report.exit_code, report.exit_status()) == (False, 1, 1)
    assert report.output is not None
    assert report.output.uri in report.to_text()
    assert "test_a.py:5  test_a.Case.test_bad" in report.to_text()
    assert [it.uri for it in report.to_content() if hasattr(it, "uri")] == [report.output.uri]


def test_some_tests_can_be_chosen(run: Run, workspace: Path) -> None:
    _write(workspace, {"app/test_a.py": CASES})
    report = run(path="app", tests=["test_a.Case.test_good"])
    assert (report.is_passed, report.passed, report.failed) == (True, 1, 0)
    whole = run(path="app", tests=["app/test_a.py"])
    assert (whole.passed, whole.failed) == (1, 1)
    assert whole.failures[0].file == "app/test_a.py"


def test_failures_for_the_same_reason_are_shown_once(run: Run, workspace: Path) -> None:
    tests = "".join(f"    def test_{it}(self): pass\n" for it in range(60))
    fixture = "    def setUp(self): raise OSError(30, 'Read-only file system')\n"
    _write(
        workspace, {"test_a.py": f"import unittest\nclass A(unittest.TestCase):\n{fixture}{tests}"}
    )
    report = run()
    assert (report.failed, len(report.failures)) == (60, 50)
    assert report.lacks() == ["10 failures"]
    text = report.to_text()
    assert text.count("test_a.py:3  ") == 1
    assert "and 49 others alike" in text
    assert "and 10 more failures: see the output" in text
    assert "read-only without --allow write" in text


def test_pytest_writes_nothing_into_a_workspace_that_is_read_only(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    _write(workspace, {"pytest.ini": "[pytest]\n", "test_a.py": "def test_a():\n    assert 0\n"})
    before = sorted(workspace.rglob("*"))
    report = run(toolchains=PACKAGES, runner="pytest")
    assert report.read_from == "JUnit XML", report.to_text()
    assert report.program == f"{sys.prefix}/bin/python"
    assert [(it.name, it.file, it.line) for it in report.failures] == [
        ("test_a.py::test_a", "test_a.py", 2)
    ]
    assert sorted(workspace.rglob("*")) == before


REPORT = """
import os
def test_a(): pass
def pytest_unconfigure(config):
    place = config.option.xmlpath
    if os.path.exists(place):
        os.unlink(place)
    {step}
"""
HOSTILE = {
    "its report is a pipe": REPORT.format(step="os.mkfifo(place)"),
    "its report is a device": REPORT.format(step="os.symlink('/dev/zero', place)"),
    "its report is another file": REPORT.format(step="os.symlink('/etc/passwd', place)"),
    "its report declares entities": REPORT.format(
        step="open(place, 'w').write('<!DOCTYPE a [<!ENTITY b \"c\">]><testsuites/>')"
    ),
    "it ends whatever it can": "import os\nos.kill(-1, 9)\n",
}


@pytest.mark.parametrize("conftest", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_project_is_no_success_and_holds_nobody_up(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch, conftest: str
) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    cases = {"pytest.ini": "[pytest]\n", "test_a.py": "def test_a(): pass\n"}
    _write(workspace, {**cases, "conftest.py": conftest})
    report = run(toolchains=PACKAGES, runner="pytest", timeout=60)
    assert not report.is_passed
    assert (report.passed, report.read_from) == (None, None), report.to_text()
    assert "root:" not in report.to_text()


def test_what_cannot_be_read_is_named_with_the_exit_status(run: Run, workspace: Path) -> None:
    _write(workspace, {"Makefile": "test:\n\t@echo almost; exit 3\n"})
    report = run()
    assert (report.runner, report.passed, report.failed) == ("make", None, None)
    assert (report.is_passed, report.exit_code) == (False, 2)
    assert report.unread_because is not None
    assert "almost" in report.last_lines
    _write(workspace, {"Makefile": "test:\n\t@echo fine\n"})
    assert run().is_passed


def test_pytest_of_benchpin_is_not_taken_for_that_of_the_project(run: Run, workspace: Path) -> None:
    _write(workspace, {"pytest.ini": ""})
    (workspace / ".venv" / "bin").mkdir(parents=True)
    (workspace / ".venv" / "bin" / "python").symlink_to("/usr/bin/python3")
    report = run()
    assert (report.is_passed, report.program) == (None, ".venv/bin/python")
    assert (report.exit_code, report.exit_status()) == (1, 2)
    assert str(report.suggestion).startswith(
        "pytest is in no environment of the project; looked in .venv/bin/python."
    )


def test_success_without_a_report_is_unknown(run: Run, workspace: Path) -> None:
    _write(workspace, {"pytest.ini": "", ".venv/bin/python": "#!/bin/sh\necho nothing to see\n"})
    (workspace / ".venv/bin/python").chmod(0o755)
    report = run()
    assert (report.is_passed, report.exit_code, report.exit_status()) == (None, 0, 0)
    assert "so whether tests passed is unknown" in report.to_text()
    assert "nothing to see" in report.to_text()


def test_a_run_over_a_limit_of_the_sandbox_names_it(run: Run, workspace: Path) -> None:
    _write(workspace, {"Makefile": "test:\n\t@for i in `seq 300`; do sleep 60 & done; wait\n"})
    report = run()
    assert (report.exceeded, report.is_passed, report.exit_code) == ("processes", False, None)
    assert "make: stopped, over the limit of processes" in report.to_text()


def test_time_is_up_with_what_ran_until_then(run: Run, workspace: Path) -> None:
    _write(workspace, {"pytest.ini": "", ".venv/bin/python": WAITING})
    (workspace / ".venv/bin/python").chmod(0o755)
    report = with_enough_time(
        lambda limit_s: run(timeout=limit_s), 5, lambda report: bool(report.passed)
    )
    assert (report.timed_out, report.partial, report.is_passed) == (True, True, False)
    assert (report.passed, report.failed) == (1, 1)
    assert "time is up; 1 failed, 1 passed until then" in report.to_text()


def test_a_cancelled_run_ends_all_its_programs(run: Run, workspace: Path) -> None:
    mark = f"waits-{os.getpid()}-{workspace.parent.name}"
    _write(workspace, {"Makefile": f"test:\n\t@while echo started; do sleep 0.2; done # {mark}\n"})
    began = threading.Event()

    def notice(progress: Progress) -> None:
        if "started" in progress.message:
            began.set()

    job = Job(on_progress=notice)

    running: list[str] = []

    def cancel() -> None:
        began.wait(WAIT_S)
        running.extend(survivors(mark))
        job.cancel()

    ender = threading.Thread(target=cancel)
    ender.start()
    with pytest.raises(Cancelled):
        run(job=job)
    ender.join()
    assert running
    assert not survivors(mark)


def test_a_runner_that_the_sandbox_does_not_show_names_the_folder(
    run: Run, workspace: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = home / "rust" / "bin"
    folder.mkdir(parents=True)
    monkeypatch.setenv("CARGO_HOME", str(home / "rust" / "home"))
    (folder / "cargo").write_text('#!/bin/sh\necho "home: $CARGO_HOME"\n', encoding="utf-8")
    (folder / "cargo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    _write(workspace, {"Cargo.toml": "[package]\n"})
    report = run()
    assert (report.exit_code, report.is_passed, report.exit_status()) == (127, None, 2)
    assert f"cargo is installed in {home}/rust," in str(report.suggestion)
    shown = run(toolchains=[home / "rust"])
    assert f"home: {home}/rust/home" in shown.last_lines


def test_what_was_fetched_is_seen_and_the_credentials_beside_it_are_not(
    run: Run, workspace: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cargo = home / ".cargo" / "bin" / "cargo"
    cargo.parent.mkdir(parents=True)
    script = '#!/bin/sh\necho "home: $CARGO_HOME"; ls "$CARGO_HOME"; cat "$CARGO_HOME"/registry/a\n'
    cargo.write_text(f"{script}echo b > $CARGO_HOME/registry/a || echo closed\n", encoding="utf-8")
    cargo.chmod(0o755)
    (home / ".cargo" / "credentials.toml").write_text("secret", encoding="utf-8")
    (home / ".cargo" / "registry").mkdir()
    (home / ".cargo" / "registry" / "a").write_text("fetched", encoding="utf-8")
    monkeypatch.setenv("PATH", f"{cargo.parent}:/usr/bin:/bin")
    monkeypatch.delenv("CARGO_HOME", raising=False)
    _write(workspace, {"Cargo.toml": "[package]\n"})
    shown = run().last_lines
    assert f"home: {home}/.cargo" in shown
    assert "fetched" in shown
    assert "closed" in shown
    assert "credentials" not in shown


def test_a_link_of_a_virtual_environment_to_a_hidden_folder_is_explained(
    run: Run, workspace: Path, home: Path
) -> None:
    real = home / "versions" / "3" / "bin" / "python"
    real.parent.mkdir(parents=True)
    real.write_text("#!/bin/sh\n", encoding="utf-8")
    real.chmod(0o755)
    _write(workspace, {"api/pytest.ini": ""})
    (workspace / "api" / ".venv" / "bin").mkdir(parents=True)
    (workspace / "api" / ".venv" / "bin" / "python").symlink_to(real)
    assert f"{home}/versions/3," in str(run(path="api").suggestion)


def test_a_runner_that_writes_into_the_project_needs_that_right(run: Run, workspace: Path) -> None:
    _write(workspace, {"pom.xml": "<project/>"})
    with pytest.raises(EffectNotAllowed, match="maven, which writes into the project"):
        run()


def test_without_a_sandbox_the_same_tests_run(run: Run, workspace: Path) -> None:
    _write(workspace, {"test_a.py": CASES})
    report = run(unconfined=True)
    assert (report.sandbox, report.passed, report.failed) == ("none", 1, 1)


@pytest.mark.parametrize("test", ["--collect-only", "-x", "", "a\0b"])
def test_options_are_not_taken_for_tests(run: Run, workspace: Path, test: str) -> None:
    _write(workspace, {"test_a.py": CASES})
    with pytest.raises(InvalidParams, match="is not a test"):
        run(tests=[test])


def test_paths_outside_and_files_in_place_of_folders_are_refused(run: Run, workspace: Path) -> None:
    _write(workspace, {"test_a.py": CASES})
    with pytest.raises(PathOutsideWorkspace):
        run(tests=["../other/test_b.py"])
    with pytest.raises(InvalidPath):
        run(path="test_a.py")


def test_it_is_off_unless_execution_is_allowed(run: Run, workspace: Path) -> None:
    _write(workspace, {"test_a.py": CASES})
    with pytest.raises(ToolDisabled):
        run(allow=[])
