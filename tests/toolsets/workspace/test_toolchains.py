"""Programs of folders that the operator shows inside the sandbox."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.app import Workbench, configure
from benchpin.run import sandbox as execution
from benchpin.run.sandbox import ExecutionReport
from benchpin.run.sandbox import _calls as calls
from benchpin.toolsets.workspace.execute_command import CommandParams, execute_command
from sandboxes import KINDS, working

pytestmark = pytest.mark.slow

Run = Callable[..., ExecutionReport]


@pytest.fixture(params=KINDS)
def run(request: pytest.FixtureRequest, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a command with some settings, in each kind of sandbox."""
    sandbox = working(request.param)
    for module in (execution, calls):
        monkeypatch.setattr(module, "detect_sandbox", lambda _root: sandbox)

    def run_command(command: str, **settings: object) -> ExecutionReport:
        bench = Workbench(configure(root=workspace, allow=["execute", "write"], **settings))
        return bench.run(execute_command, CommandParams.parse({"command": command}))

    return run_command


def _program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True)
    place = folder / name
    place.write_text("#!/bin/sh\necho ran\n", encoding="utf-8")
    place.chmod(0o755)
    return place


@pytest.fixture
def tool(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a toolchain in the home folder, whose programs are on PATH."""
    folder = home / ".tool"
    _program(folder / "versions" / "2" / "bin", "hammer")
    monkeypatch.setenv("PATH", f"{folder}/versions/2/bin:/usr/bin:/bin")
    monkeypatch.setenv("TOOL_HOME", f"{folder}/versions")
    return folder


def test_the_folder_to_allow_is_named(run: Run, tool: Path) -> None:
    for command in ("hammer", "env hammer", "true; hammer --version", "bash -c 'true; hammer'"):
        report = run(command)
        assert report.exit_code == 127
        assert report.suggestion is not None
        assert f"hammer is installed in {tool}/versions/2," in report.suggestion
        assert "BENCHPIN_TOOLCHAINS" in report.to_text()


def test_a_program_that_is_nowhere_has_no_suggestion(run: Run, tool: Path) -> None:
    assert run("anvil").suggestion is None
    assert run("cat /nowhere/hammer; exit 127").suggestion is None
    assert run("/nowhere/hammer", toolchains=[tool]).suggestion is None


def test_a_toolchain_is_on_the_path_and_read_only(run: Run, tool: Path) -> None:
    report = run(f"hammer; echo $TOOL_HOME; touch {tool}/new", toolchains=[tool])
    assert report.stdout == f"ran\n{tool}/versions\n"
    assert "Read-only file system" in report.stderr
    assert not (tool / "new").exists()


def test_only_the_toolchain_is_shown(run: Run, tool: Path, home: Path) -> None:
    (home / "secret").write_text("hunter2", encoding="utf-8")
    report = run(f"cat {home}/secret; ls -A {home}", toolchains=[tool])
    assert report.stdout == ".tool\n"


def test_a_toolchain_behind_a_link_is_shown_under_both_names(
    run: Run, tool: Path, home: Path
) -> None:
    (home / "linked").symlink_to(tool)
    both = f"{home}/linked/versions/2/bin/hammer; {tool}/versions/2/bin/hammer"
    assert run(both, toolchains=[home / "linked"]).stdout == "ran\nran\n"


def test_a_virtual_environment_of_the_workspace_is_read_only(run: Run, workspace: Path) -> None:
    _program(workspace / ".venv" / "bin", "hammer")
    report = run("hammer; touch .venv/new; touch new", toolchains=[Path(".venv")])
    assert report.stdout == "ran\n"
    assert sorted(it.name for it in workspace.iterdir()) == [".venv", "new"]
    assert [it.name for it in (workspace / ".venv").iterdir()] == ["bin"]


def test_a_link_of_a_virtual_environment_that_leads_outside_is_explained(
    run: Run, workspace: Path, tool: Path
) -> None:
    (workspace / ".venv" / "bin").mkdir(parents=True)
    (workspace / ".venv" / "bin" / "python").symlink_to(tool / "versions" / "2" / "bin" / "hammer")
    report = run(".venv/bin/python")
    assert report.suggestion is not None
    assert f"{tool}/versions/2," in report.suggestion
    assert run(".venv/bin/python", toolchains=[tool]).stdout == "ran\n"


def test_a_program_in_local_bin_does_not_open_all_of_local(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(home / ".local" / "bin", "hammer")
    monkeypatch.setenv("PATH", f"{home}/.local/bin:/usr/bin:/bin")
    assert f"installed in {home}/.local/bin," in str(run("hammer").suggestion)


def test_a_toolchain_that_is_missing_is_ignored(run: Run, home: Path) -> None:
    assert run("echo ran", toolchains=[home / "none"]).stdout == "ran\n"


@pytest.mark.parametrize("is_shipped", [False, True])
def test_a_link_in_the_place_of_a_toolchain_shows_nothing_outside(
    run: Run, workspace: Path, tmp_path: Path, *, is_shipped: bool
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "key").write_text("TOPSECRET", encoding="utf-8")
    chosen = [Path(".venv"), Path("tools/py"), workspace / "more"]
    (workspace / "tools").mkdir()
    if is_shipped:
        for name in (".venv", "tools/py", "more"):
            (workspace / name).symlink_to(outside)
    else:
        made = f"ln -s {outside} .venv; ln -s {outside} more; ln -s {outside} tools/py"
        run(made, toolchains=chosen)
    look = f"cat .venv/key more/key tools/py/key {outside}/key; ls {outside}"
    report = run(look, toolchains=chosen)
    assert "TOPSECRET" not in report.stdout
    assert report.stdout == ""


def test_the_parent_of_a_toolchain_cannot_be_swapped_for_a_link(
    run: Run, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside" / "py").mkdir(parents=True)
    (tmp_path / "outside" / "py" / "key").write_text("TOPSECRET", encoding="utf-8")
    (workspace / "tools").mkdir()
    swap = f"mv tools old; ln -s {tmp_path / 'outside'} tools"
    run(swap, toolchains=[Path("tools/py")])
    report = run(f"cat tools/py/key {tmp_path}/outside/py/key", toolchains=[Path("tools/py")])
    assert report.stdout == ""
