import base64
import gzip
import json
import os
import pstats
import subprocess
import sys
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.performance.reading import Budget
from benchpin.performance.recording import Recording, read_recorded
from benchpin.performance.recording._programs import Program, Refused, understood
from benchpin.performance.recording._recorder import command
from benchpin.performance.recording._recording import RecordingFailed
from benchpin.performance.recording._started import CPROFILE
from benchpin.performance.values import Profile
from waiting import WAIT_S


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make interpreters that can be found, and a folder of scripts to be in."""
    for name in ("python3", "python3.12", "php", "node", "sh"):
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    monkeypatch.chdir(scripts)
    return tmp_path


def test_an_interpreter_is_known_by_its_name(programs: Path) -> None:
    found = understood(["python3.12", "-X", "dev", "-O", "app.py", "--fast"])
    assert found.interpreter == str(programs / "python3.12")
    assert (found.language, found.options) == ("python", ["-X", "dev", "-O"])
    assert found.looked_up == "python3.12"
    assert (found.rest, found.arguments) == (["app.py", "--fast"], 1)
    assert understood(["node", "--require", "a.js", "b.js"]).rest == ["b.js"]
    assert understood(["php", "-d", "x=1", "-f", "b.php", "a"]).rest == ["b.php", "a"]


@pytest.mark.usefixtures("programs")
def test_a_module_is_part_of_the_name_and_code_is_not() -> None:
    module, code = ["python3", "-m", "http.server", "80"], ["python3", "-c", "print(1)", "a"]
    assert understood(module).arguments == 1
    assert understood(code).arguments == 2


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("app.py", "print()", "python"),
        ("app.mjs", "1", "node"),
        ("index.php", "<?php", "php"),
        ("tool", "#!/usr/bin/env -S python3 -u\n", "python"),
        ("cli", "#!/usr/bin/node\n", "node"),
    ],
)
def test_a_script_is_known_by_its_first_line_or_its_ending(
    programs: Path, name: str, text: str, language: str
) -> None:
    (programs / "scripts" / name).write_text(text, encoding="utf-8")
    if "/usr/bin/node" in text:
        (programs / "scripts" / name).write_text(f"#!{programs}/node\n", encoding="utf-8")
    found = understood([f"./{name}", "a"])
    assert (found.language, found.rest) == (language, [f"./{name}", "a"])


@pytest.mark.parametrize(
    ("argv", "problem"),
    [
        (["gone"], "was not found"),
        (["python4", "a.py"], "was not found"),
        (["./notes.txt"], "no Python, PHP, Node or Java"),
        (["java", "App"], r"java was not found\. Install it \(apt install default-jdk\)"),
        (["cargo", "test"], "apt install cargo"),
        (["mvn", "test"], "apt install maven"),
        (["python3", "-V"], "No script is named"),
    ],
)
def test_what_cannot_be_profiled_is_named(programs: Path, argv: list[str], problem: str) -> None:
    (programs / "scripts" / "notes.txt").write_text("hello", encoding="utf-8")
    with pytest.raises(Refused, match=problem):
        understood(argv)


@pytest.mark.parametrize(
    ("profiler", "language", "expected"),
    [
        ("cpu-prof", "node", ["p", "--cpu-prof", "--cpu-prof-dir=OUT", "-x", "app", "a"]),
        ("spx", "php", ["p", "-d", "spx.data_dir=OUT", "-x", "app", "a"]),
        ("excimer", "php", ["p", "-d", "auto_prepend_file=OUT.php", "-x", "app", "a"]),
        (
            "cprofile",
            "python",
            ["p", "-x", "OUT-run.py", "OUT/profile.pstats", "cpu", "script", "app", "a"],
        ),
    ],
)
def test_each_profiler_has_its_command_line(
    tmp_path: Path, profiler: str, language: str, expected: list[str]
) -> None:
    out = str(tmp_path / "run")
    argv, _ = command(Program(language, "p", ["-x"], ["app", "a"], "p"), profiler, "cpu", out)
    assert argv == [it.replace("OUT", out) for it in expected]


def test_java_records_itself_before_its_class_path(tmp_path: Path) -> None:
    out = str(tmp_path)
    program = Program("java", "java", ["-cp", "lib"], ["-jar", "app.jar", "a"], "java")
    argv, variables = command(program, "jfr", "wall", out)
    recorded = f"-XX:StartFlightRecording=filename={out}/profile.jfr,settings=profile"
    kept = "-XX:FlightRecorderOptions=stackdepth=256"
    assert argv == ["java", recorded, kept, "-cp", "lib", "-jar", "app.jar", "a"]
    assert (variables, program.arguments) == ({}, 1)


def test_each_virtual_machine_of_a_maven_build_records_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Xmx1g")
    program = Program("maven", "/bin/sh", ["mvnw"], ["test", "-Dtest=A"], "sh")
    argv, variables = command(program, "jfr", "wall", str(tmp_path))
    assert argv == ["/bin/sh", "mvnw", "test", "-Dtest=A"]
    assert variables["JAVA_TOOL_OPTIONS"].startswith(
        f"-Xmx1g -XX:StartFlightRecording=filename={tmp_path},settings=profile"
    )


def test_only_the_tests_of_a_gradle_build_are_recorded(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    argv, variables = command(Program("gradle", "gradle", [], ["test"], ""), "jfr", "wall", out)
    assert argv == ["gradle", "--init-script", f"{out}.gradle", "--rerun-tasks", "test"]
    script = Path(f"{out}.gradle").read_text("utf-8")
    assert f'jvmArgs "-XX:StartFlightRecording=filename={out},settings=profile"' in script
    assert not variables


@pytest.mark.parametrize(
    ("version", "options"),
    [
        (3, ["--poolOptions.forks.execArgv=--cpu-prof"]),
        (4, ["--execArgv=--cpu-prof"]),
        (None, ["--execArgv=--cpu-prof"]),
    ],
)
def test_vitest_profiles_the_processes_of_its_tests(
    tmp_path: Path, version: int | None, options: list[str]
) -> None:
    script = tmp_path / "vitest"
    script.write_text("", "utf-8")
    if version is not None:
        (tmp_path / "package.json").write_text(f'{{"version": "{version}.1.0"}}', "utf-8")
    program = Program("node", "node", [], [str(script), "--run"], "node")
    argv, _ = command(program, "cpu-prof", "wall", str(tmp_path / "out"))
    assert argv[1] == "--cpu-prof"
    assert [it for it in argv if it in options] == options
    assert argv[-1] == "--run"


@pytest.mark.usefixtures("programs")
def test_a_wrapper_of_a_build_is_started_by_the_shell() -> None:
    found = understood(["sh", "mvnw", "-o", "test"])
    assert (found.language, found.options, found.rest) == ("maven", ["mvnw"], ["-o", "test"])


GOOD = {"exit_code": 0, "duration_ms": 1, "files": [["a", "QQ=="]], "stderr": ""}


@pytest.mark.parametrize(
    "ending",
    [
        {"profiler": "evil", "runs": [GOOD]},
        {"profiler": "cprofile", "runs": []},
        {"profiler": "cprofile", "words": -5, "runs": [GOOD]},
        {"profiler": "cprofile", "runs": [{**GOOD, "exit_code": 10**30}]},
        {"profiler": "cprofile", "runs": [{**GOOD, "duration_ms": -1}]},
        {"profiler": "cprofile", "runs": [{**GOOD, "files": [["a", "\u00e9"]]}]},
        {"profiler": "cprofile", "runs": [GOOD] * 101},
        {"profiler": "cprofile", "runs": [{**GOOD, "files": [["a", "QQ=="]] * 21}]},
        {"profiler": "cprofile", "runs": [{**GOOD, "stderr": "x" * 4_001}]},
        {"profiler": "cprofile", "version": "x" * 4_097, "runs": [GOOD]},
        {"profiler": "cprofile", "interpreter": "x" * 4_097, "runs": [GOOD]},
    ],
)
def test_an_ending_that_the_program_wrote_itself_is_a_failed_recording(ending: object) -> None:
    recording = Recording.of(["python3"], (), 1, None, "wall", 9)
    with pytest.raises(RecordingFailed):
        recording.outcome(f"{recording.mark}{json.dumps(ending)}", "", is_stopped=False)


def test_an_ending_that_is_nested_too_deep_is_a_failed_recording() -> None:
    recording = Recording.of(["python3"], (), 1, None, "wall", 9)
    with pytest.raises(RecordingFailed):
        recording.outcome(f'{recording.mark}{{"x":{"[" * 9_999}', "", is_stopped=False)


def test_all_profiles_of_a_recording_share_the_limit_of_one_file() -> None:
    packed = base64.b64encode(gzip.compress(b"a;b 1\n" * 100)).decode()
    good = {**GOOD, "files": [["a", packed]]}
    recording = Recording.of(["python3"], (), 4, None, "wall", 9)
    ending = {"profiler": "py-spy", "runs": [good] * 4}
    outcome = recording.outcome(f"{recording.mark}{json.dumps(ending)}", "", is_stopped=False)
    for limit, calls in ((2400, 100), (1200, 50)):
        found = read_recorded(outcome, "app.py", "wall", Budget(text_bytes=limit), Job())
        profiles = [it.content for it in found.readings if isinstance(it.content, Profile)]
        assert [it.events for it in profiles] == [calls] * 4


PYTESTS = """
import pytest

@pytest.fixture
def table():
    return prepare()

def prepare():
    return list(range(1000))

def test_slow(table):
    assert sum(table) > 0
"""


@pytest.mark.slow
@pytest.mark.parametrize("is_tests", [True, False])
def test_of_tests_only_they_and_their_fixtures_are_profiled(
    tmp_path: Path, *, is_tests: bool
) -> None:
    (tmp_path / "test_a.py").write_text(PYTESTS, encoding="utf-8")
    (tmp_path / "run.py").write_text(CPROFILE, encoding="utf-8")
    words = ["run.py", "out.pstats", "wall", "module", "pytest", "-q", "-p", "no:cacheprovider"]
    environment = {**os.environ, **({"BENCHPIN_PROFILE_TESTS": "1"} if is_tests else {})}
    done = subprocess.run(
        [sys.executable, *words, "test_a.py"],
        cwd=tmp_path,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    names = {name for _, _, name in pstats.Stats(str(tmp_path / "out.pstats")).stats}  # type: ignore[attr-defined]
    assert {"test_slow", "prepare"} <= names
    assert ("run_module" in names) == (not is_tests)
