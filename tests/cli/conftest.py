"""What tests of the command line share: a runner in an empty workspace, and a real process."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import everything
from benchpin.cli.main import cli
from benchpin.core.tools import Toolset
from benchpin.toolsets import load_toolsets
from waiting import WAIT_S


@pytest.fixture(autouse=True)
def in_workspace(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in an empty workspace, as a person would."""
    monkeypatch.chdir(workspace)


@pytest.fixture
def run() -> Callable[..., Result]:
    """Return a function that runs the command line in this process."""

    def run_cli(*arguments: str, stdin: str | bytes | None = None) -> Result:
        return CliRunner().invoke(cli, arguments, input=stdin, prog_name="benchpin")

    return run_cli


@pytest.fixture
def with_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the fixture toolset to the real ones."""
    _install(monkeypatch, *load_toolsets(), everything.TOOLSET)


@pytest.fixture
def with_server_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no toolset but the server's own, whatever else there is."""
    _install(monkeypatch, *(it for it in load_toolsets() if it.name == "server"))


def _install(monkeypatch: pytest.MonkeyPatch, *toolsets: Toolset) -> None:
    for module in ("benchpin.app._workbench", "benchpin.cli.derived", "benchpin.cli.groups"):
        monkeypatch.setattr(f"{module}.load_toolsets", lambda: toolsets)


@pytest.fixture
def process(benchpin: str, home: Path) -> Callable[..., "subprocess.CompletedProcess[bytes]"]:
    """Return a function that runs the installed command."""

    def run_process(
        *arguments: str, stdin: bytes | int = b"", **variables: str
    ) -> "subprocess.CompletedProcess[bytes]":
        environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", **variables}
        with subprocess.Popen(
            (benchpin, *arguments),
            env=environment,
            stdin=stdin if isinstance(stdin, int) else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as child:
            try:
                given = None if isinstance(stdin, int) else stdin
                output, errors = child.communicate(given, timeout=WAIT_S)
            finally:
                child.kill()
        return subprocess.CompletedProcess(child.args, child.returncode, output, errors)

    return run_process
