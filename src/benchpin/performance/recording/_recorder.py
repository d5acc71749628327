"""Run a program several times under a profiler, and write its profiles after that.

This file is sent into the sandbox as text and runs there, without Benchpin and any other package.
The profiles travel in the output because the sandbox shares no writable folder with the outside.
"""

import base64
import contextlib
import glob
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn, TypedDict

from ._programs import Program, Refused, available, understood
from ._started import CPROFILE, EXCIMER

MAX_FILES = 20
TAIL_BYTES = 4_000
_SAMPLES_PER_S = 1_000
# Frames of a stack; the JDK keeps 64 unless it is told otherwise.
_MAX_STACK = 256
# Replaced in arguments and variables by a folder of this recording, outside the workspace.
TMP = "@TMP@"
# Options that run tests in one process; those that start other processes have them profiled.
_RUNNERS = {"jest": ["--runInBand"], "vitest": ["--no-file-parallelism"]}
_STARTERS = ("maven", "vitest")


class RecordingPlan(TypedDict):
    """What to run, and how often."""

    argv: list[str]
    path: list[str]
    """Folders to look for the interpreter in before all others; some may not be visible here."""
    globs: list[str]
    """Patterns of files that become the last arguments."""
    runs: int
    profiler: str
    """Empty for the best one that is there."""
    clock: str
    """`wall` or `cpu`."""
    environment: "dict[str, str]"
    read_only_environment: "dict[str, str]"
    """Variables for a folder that may not be written."""
    deadline: float
    max_bytes: int
    mark: str


class RunOutcome(TypedDict):
    """What one run left."""

    exit_code: int
    duration_ms: int
    files: "list[tuple[str, str]]"
    stderr: str


class Recorded(TypedDict):
    """What all runs left."""

    runs: list[RunOutcome]
    is_timed_out: bool
    problem: str


def main(text: str) -> NoReturn:
    plan: RecordingPlan = json.loads(text)
    ending: dict[str, object] = {}
    os.environ["PATH"] = os.pathsep.join([*plan["path"], os.environ.get("PATH", os.defpath)])
    with tempfile.TemporaryDirectory(prefix="profiles-", ignore_cleanup_errors=True) as folder:
        try:
            _complete(plan, folder)
            program = understood(plan["argv"])
            for profiler, version in available(program, plan["profiler"], plan["clock"]):
                recorded = _record(plan, program, profiler, folder)
                words = len(plan["argv"]) - program.arguments
                ending = {
                    "profiler": profiler,
                    "version": version,
                    "interpreter": program.interpreter,
                    "looked_up": program.looked_up,
                    "words": words,
                    **recorded,
                }
                if any(run["files"] for run in recorded["runs"]):
                    break  # Otherwise it was too short for samples: the next one counts calls.
        except Refused as refused:
            ending = {"problem": str(refused)}
        except OSError as error:
            named = error.filename or plan["argv"][0]
            ending = {"problem": f"{named} cannot be run: {error.strerror}. Name another program."}
    line = json.dumps(ending)
    sys.stdout.buffer.write(f"\n{plan['mark']}{line}\n".encode())
    sys.stdout.buffer.flush()
    sys.exit(0)


def _complete(plan: RecordingPlan, folder: str) -> None:
    """Fill in the folder for what the command writes, its files, and its variables."""
    place = Path(folder) / "tmp"
    place.mkdir()
    chosen = {} if os.access(".", os.W_OK) else plan["read_only_environment"]
    variables = {**plan["environment"], **chosen}
    os.environ.update({name: it.replace(TMP, str(place)) for name, it in variables.items()})
    plan["argv"] = [it.replace(TMP, str(place)) for it in plan["argv"]]
    for pattern in plan["globs"]:
        plan["argv"] += sorted(glob.glob(pattern, recursive=True)) or [pattern]  # noqa: PTH207 - its `..`


def command(
    program: Program, profiler: str, clock: str, folder: str
) -> "tuple[list[str], dict[str, str]]":
    """Return the command line and the variables of one run, whose profiles go to a folder."""
    start, rest = [program.interpreter, *program.options], program.rest
    if profiler == "cprofile":
        return [*start, *_profiled_python(rest, clock, folder)], {}
    if profiler == "py-spy":
        out = ["-o", f"{folder}/profile.txt", "-f", "raw", "-r", str(_SAMPLES_PER_S)]
        return [shutil.which("py-spy") or "", "record", *out, "--", *start, *rest], {}
    if profiler == "go-test":
        built = ["-cpuprofile", f"{folder}/cpu.pprof", "-o", f"{folder}.test"]
        return [*start, *built, *rest], {}
    if profiler == "callgrind":
        return _under_valgrind(program, folder), {}
    if profiler == "jfr":
        return _recorded_java(program, folder)
    if profiler == "cpu-prof":
        recorded = ["--cpu-prof", f"--cpu-prof-dir={folder}"]
        name = Path(rest[0]).name
        more = [*_RUNNERS.get(name, ()), *(_workers(rest[0], recorded) if name == "vitest" else [])]
        return [program.interpreter, *recorded, *start[1:], rest[0], *more, *rest[1:]], {}
    if profiler == "spx":
        settings = {"SPX_ENABLED": "1", "SPX_REPORT": "full", "XDEBUG_MODE": "off"}
        return [program.interpreter, "-d", f"spx.data_dir={folder}", *start[1:], *rest], settings
    if profiler == "excimer":
        prepended = Path(f"{folder}.php")
        event = "EXCIMER_CPU" if clock == "cpu" else "EXCIMER_REAL"
        script = EXCIMER.replace("PERIOD", str(1 / _SAMPLES_PER_S)).replace("EVENT", event)
        prepended.write_text(script.replace("FOLDER", folder), encoding="utf-8")
        options = ["-d", f"auto_prepend_file={prepended}"]
        return [program.interpreter, *options, *start[1:], *rest], {"XDEBUG_MODE": "off"}
    options = ["-d", f"xdebug.output_dir={folder}", "-d", "xdebug.start_with_request=yes"]
    return [program.interpreter, *options, *start[1:], *rest], {"XDEBUG_MODE": "profile"}


def _profiled_python(rest: list[str], clock: str, folder: str) -> list[str]:
    runner = Path(f"{folder}-run.py")
    runner.write_text(CPROFILE, encoding="utf-8")
    start = [str(runner), f"{folder}/profile.pstats", clock]
    if rest[0] == "-m" and len(rest) > 1:
        return [*start, "module", *rest[1:]]
    if rest[0] == "-c" and len(rest) > 1:
        code = Path(f"{folder}-code.py")
        code.write_text(rest[1], encoding="utf-8")
        return [*start, "code", str(code), *rest[2:]]
    return [*start, "script", *rest]


def _under_valgrind(program: Program, folder: str) -> list[str]:
    valgrind = [shutil.which("valgrind") or "", "--tool=callgrind"]
    if program.language == "cargo":
        runner = [*valgrind, f"--callgrind-out-file={folder}/callgrind.out.%p", "--"]
        # Cargo starts each test program with it. JSON of such texts is TOML as well.
        setting = f'target."cfg(all())".runner={json.dumps(runner)}'
        return [program.interpreter, "--config", setting, *program.rest]
    return [*valgrind, f"--callgrind-out-file={folder}/callgrind.out", "--", *program.rest]


def _recorded_java(program: Program, folder: str) -> "tuple[list[str], dict[str, str]]":
    """Return how to start a virtual machine that records itself, or those of a build's tests."""
    started = [program.interpreter, *program.options]
    kept = f"-XX:FlightRecorderOptions=stackdepth={_MAX_STACK}"
    if program.language == "java":
        to = f"-XX:StartFlightRecording=filename={folder}/profile.jfr,settings=profile"
        return [started[0], to, kept, *started[1:], *program.rest], {}
    # A folder: each virtual machine names its file after its process.
    options = f"-XX:StartFlightRecording=filename={folder},settings=profile {kept}"
    if program.language == "gradle":
        script = Path(f"{folder}.gradle")
        listed = ", ".join(map(json.dumps, options.split()))
        script.write_text(
            f"allprojects {{ tasks.withType(Test).configureEach {{ jvmArgs {listed} }} }}\n",
            encoding="utf-8",
        )
        # A test task whose results are known is not run again.
        more = ["--init-script", str(script), "--rerun-tasks"]
        return [*started, *more, *program.rest], {}
    known = os.environ.get("JAVA_TOOL_OPTIONS", "")
    return [*started, *program.rest], {"JAVA_TOOL_OPTIONS": f"{known} {options}".strip()}


def _workers(script: str, options: list[str]) -> list[str]:
    """Return how vitest, which starts processes for tests, hands options to them."""
    manifest = Path(script).resolve().parent / "package.json"
    try:
        version = int(str(json.loads(manifest.read_text("utf-8"))["version"]).partition(".")[0])
    except (OSError, ValueError, KeyError, TypeError):
        version = 0
    if version and version < 4:  # noqa: PLR2004 - since then it has the option itself
        return ["--pool=forks", *(f"--poolOptions.forks.execArgv={it}" for it in options)]
    return ["--pool=forks", *(f"--execArgv={it}" for it in options)]


def _record(plan: RecordingPlan, program: Program, profiler: str, folder: str) -> Recorded:
    runs: list[RunOutcome] = []
    left = plan["max_bytes"]
    is_timed_out, problem = False, ""
    for number in range(plan["runs"]):
        place = Path(folder) / f"{profiler}-{number}"
        place.mkdir()
        argv, variables = command(program, profiler, plan["clock"], str(place))
        started = time.monotonic()
        code, tail, is_timed_out, number_of_process = _run(
            argv, variables, plan["deadline"], f"{place}.err"
        )
        duration_ms = round(1000 * (time.monotonic() - started))
        if is_timed_out:
            break
        written = _written(place)
        if program.language in _STARTERS or Path((program.rest or [""])[0]).name in _STARTERS:
            written = _of_others(written, number_of_process)
        files = [(it.name, _packed(it.read_bytes(), number)) for it in written]
        left -= sum(len(content) for _, content in files)
        if left < 0:
            problem = f"profiles over {plan['max_bytes']:,} bytes; fewer runs are recorded"
            break
        runs.append(
            {
                "exit_code": code,
                "duration_ms": duration_ms,
                "files": [(name, base64.b64encode(it).decode()) for name, it in files],
                "stderr": tail,
            }
        )
        if not files:
            break
    return {"runs": runs, "is_timed_out": is_timed_out, "problem": problem}


def _packed(content: bytes, number: int) -> bytes:
    """Return a profile packed by gzip, as some profilers write it."""
    if content.startswith(b"\x1f\x8b"):
        return content
    # A snapshot counts equal files once; the number in the header tells equal runs apart.
    return gzip.compress(content, 6, mtime=number)


def _written(place: Path) -> list[Path]:
    files = [it for it in sorted(place.iterdir()) if it.is_file() and it.stat().st_size]
    return files[:MAX_FILES]


def _of_others(files: list[Path], process: int) -> list[Path]:
    """Return the profiles of other processes than one that only starts them, if there are any."""
    own = re.compile(rf"CPU\.[0-9]+\.[0-9]+\.{process}\.|hotspot-pid-{process}-")
    return [it for it in files if not own.match(it.name)] or files


def _run(
    argv: list[str], variables: "dict[str, str]", deadline: float, errors: str
) -> "tuple[int, str, bool, int]":
    """Return the exit code, the end of stderr, whether the time was up, and the process."""
    environment = {**os.environ, **variables}
    with Path(errors).open("w+b") as log:
        # A session of its own, so that a signal reaches all that it started.
        process = subprocess.Popen(  # noqa: S603 - the purpose of this script
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            env=environment,
            start_new_session=True,
        )
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
            is_timed_out = False
        except subprocess.TimeoutExpired:
            is_timed_out = True
        with contextlib.suppress(OSError):  # all of them have ended
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
        log.seek(max(0, log.seek(0, os.SEEK_END) - TAIL_BYTES))
        tail = log.read().decode("utf-8", "replace")
    return (code if code >= 0 else 128 - code), tail, is_timed_out, process.pid
