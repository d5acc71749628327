"""Machines on which something is missing, closed, full or forbidden."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from waiting import WAIT_S

PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'


def shell(script: str, benchpin: str, home: Path) -> "subprocess.CompletedProcess[str]":
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "BP": benchpin}
    return subprocess.run(
        ["/bin/bash", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ('"$BP" serve <&-', 2),
        (f"echo '{PING}' | \"$BP\" serve >&-", 2),
        ('"$BP" call get_status --json - <&-', 2),
        ('"$BP" tools > /dev/full', 2),
        ('"$BP" get status --root /no/such/place', 2),
        ('"$BP" toolz', 2),
        ('"$BP" --allow nonsense tools', 2),
        ('BENCHPIN_AUTH_TOKEN=" " "$BP" serve --transport http', 2),
        ('"$BP" serve --transport http --host no.such.host.invalid', 2),
    ],
)
def test_what_is_wrong_is_said_in_words_and_by_the_exit_code(
    script: str, code: int, benchpin: str, home: Path
) -> None:
    done = shell(script, benchpin, home)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_a_closed_stderr_does_not_stop_the_server(benchpin: str, home: Path) -> None:
    done = shell(f"echo '{PING}' | \"$BP\" serve 2>&-", benchpin, home)
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert done.returncode == 0


def test_without_a_home_the_temporary_folder_serves(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, workspace: Path
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    from benchpin.app import load  # noqa: PLC0415 - after the patch

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    loaded = load({"root": workspace}, {})
    assert loaded.settings.cache_dir.parent == tmp_path


@pytest.mark.parametrize(
    ("make", "problem"), [("folder", "is not a regular file"), ("loop", "cannot be read")]
)
def test_a_settings_file_that_cannot_be_read_is_not_ignored(
    make: str, problem: str, benchpin: str, workspace: Path, home: Path
) -> None:
    file = workspace / "benchpin.toml"
    if make == "folder":
        file.mkdir()
    else:
        file.symlink_to(file)
    done = shell(f'"$BP" --root {workspace} tools', benchpin, home)
    assert done.returncode == 2
    assert f"benchpin.toml {problem}" in done.stderr


def test_the_doctor_shows_everything_and_names_what_is_wrong(
    benchpin: str, workspace: Path, home: Path
) -> None:
    (workspace / "benchpin.toml").write_text("alow = []", encoding="utf-8")
    done = shell(f'"$BP" --root {workspace} doctor', benchpin, home)
    assert done.returncode == 2
    assert "ok   python" in done.stdout
    assert "note configuration: benchpin.toml: there is no setting 'alow'" in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_any_time_of_the_start_ends_the_server_well(
    number: signal.Signals, benchpin: str, workspace: Path
) -> None:
    with subprocess.Popen(
        [benchpin, "serve"],
        cwd=workspace,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        assert server.stdin is not None
        server.stdin.write(PING.encode() + b"\n")
        server.stdin.flush()
        assert server.stdout is not None
        server.stdout.readline()
        server.send_signal(number)
        assert server.wait(WAIT_S) == 0


def test_python_dash_m_is_the_command(benchpin: str, home: Path) -> None:
    python = Path(benchpin).with_name("python")
    done = shell(f"{python} -m benchpin --version", benchpin, home)
    assert done.stdout.startswith("benchpin, version")


@pytest.mark.parametrize(
    "command", ["get status", "analyze .", "analyze complexity ../x", "tools", "list comments"]
)
def test_a_folder_that_was_deleted_is_said_to_be_gone(
    command: str, benchpin: str, home: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    script = f'mkdir "{gone}" && cd "{gone}" && rmdir "{gone}" && "$BP" {command}'
    done = shell(script, benchpin, home)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: The current folder does not exist any more\n")


def test_the_doctor_works_in_a_folder_that_was_deleted(
    benchpin: str, home: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    script = f'mkdir "{gone}" && cd "{gone}" && rmdir "{gone}" && "$BP" doctor'
    done = shell(script, benchpin, home)
    assert done.returncode == 2
    assert "note configuration: The current folder does not exist any more." in done.stdout


def test_a_reader_that_goes_away_ends_the_command_quietly(
    benchpin: str, home: Path, workspace: Path
) -> None:
    (workspace / "a.txt").write_text("line\n" * 5_000, encoding="utf-8")
    command = '"$BP" search files line --max-results 5000 --format csv'
    script = f'cd "{workspace}" && {command} | head -1; echo "${{PIPESTATUS[0]}}" >&2'
    done = shell(script, benchpin, home)
    assert done.stdout.startswith("path,line")
    assert done.stderr.strip() == "0"


@pytest.mark.parametrize(("command", "code"), [("tools", 0), ("check links", 1)])
def test_a_reader_that_has_gone_leaves_the_exit_code_as_it_is(
    command: str, code: int, benchpin: str, home: Path, workspace: Path
) -> None:
    (workspace / "README.md").write_text("[gone](gone.md)\n", encoding="utf-8")
    closed = f'cd "{workspace}" && mkfifo pipe && {{ : <pipe & exec 3>pipe; wait; }}; '
    done = shell(f'{closed} "$BP" {command} >&3; echo $?', benchpin, home)
    assert (done.stdout.strip(), done.stderr) == (str(code), "")


@pytest.mark.parametrize("variables", ["COLUMNS=1", "COLUMNS=0", "LC_ALL=C", "TERM="])
@pytest.mark.parametrize("command", ["--help", "analyze --help", "get status", "search files é"])
def test_odd_terminals_and_locales_get_whole_answers(
    variables: str, command: str, benchpin: str, home: Path, workspace: Path
) -> None:
    (workspace / "a.txt").write_text("é → ü\n", encoding="utf-8")
    done = shell(f'cd "{workspace}" && {variables} "$BP" {command}', benchpin, home)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
