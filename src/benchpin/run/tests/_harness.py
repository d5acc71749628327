"""Start a test runner, end it in time, and write its reports after its output.

This file is sent into the sandbox as text and runs there, without Benchpin and any other package.
The reports travel in the output because the sandbox shares no writable folder with the outside.
"""

import contextlib
import fnmatch
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn, TypedDict

TMP = "@TMP@"
_NOT_FOUND, _CANNOT_RUN = 127, 126  # the exit codes of shells
_SKIPPED = {".git", ".venv", "venv", "node_modules"}
_MAX_FOLDERS = 20_000


class RunnerPlan(TypedDict):
    """What `RunnerCommand` says, with limits."""

    argv: list[str]
    environment: dict[str, str]
    read_only_environment: dict[str, str]
    path: list[str]
    globs: list[str]
    reports: list[str]
    max_bytes: int
    deadline: float
    grace_s: float
    mark: str


def main(text: str) -> NoReturn:
    """Run a plan and exit with the code of the runner."""
    plan: RunnerPlan = json.loads(text)
    with tempfile.TemporaryDirectory(prefix="tests-", ignore_cleanup_errors=True) as folder:
        # Not by the time: a run may start within the second in which the one before it ended.
        earlier = {it: _stamp(it) for it in _matching(plan["reports"])}
        started = time.monotonic()
        program, code, is_timed_out = _run(plan, folder)
        duration_s = time.monotonic() - started
        reports, problems = _reports(plan, folder, earlier)
    ending = {
        "program": program,
        "reports": reports,
        "problems": problems,
        "is_timed_out": is_timed_out,
        "duration_s": round(duration_s, 3),
    }
    line = json.dumps(ending, ensure_ascii=False)
    sys.stdout.buffer.write(f"\n{plan['mark']}{line}\n".encode("utf-8", "replace"))
    sys.stdout.buffer.flush()
    sys.exit(code)


def _run(plan: RunnerPlan, folder: str) -> tuple[str, int, bool]:
    """Return the program, its exit code, and whether the time was up."""
    argv = [it.replace(TMP, folder) for it in plan["argv"]]
    for pattern in plan["globs"]:
        argv += sorted(glob.glob(pattern, recursive=True)) or [pattern]  # noqa: PTH207 - its `..`
    chosen = {} if os.access(".", os.W_OK) else plan["read_only_environment"]
    environment = {**os.environ, **plan["environment"], **chosen}
    environment = {name: value.replace(TMP, folder) for name, value in environment.items()}
    first = [str(Path(it).absolute()) for it in plan["path"]]
    environment["PATH"] = os.pathsep.join([*first, environment.get("PATH", "")])
    named = str(Path(argv[0]).absolute()) if "/" in argv[0] else argv[0]
    program = shutil.which(named, path=environment["PATH"])
    if program is None:
        sys.stderr.write(f"{named}: not found\n")
        return "", _NOT_FOUND, False
    try:
        # A session of its own, so that a signal reaches all that it started.
        process = subprocess.Popen(  # noqa: S603 - the purpose of this script
            argv, executable=program, env=environment, start_new_session=True
        )
    except OSError as error:
        sys.stderr.write(f"{named}: {error.strerror}\n")
        return program, _CANNOT_RUN, False
    is_timed_out = not _ends(process, plan["deadline"] - time.monotonic())
    if is_timed_out:
        # As Ctrl-C: pytest and others then report what has run so far.
        _signal(process, signal.SIGINT)
        _ends(process, plan["grace_s"])
    _signal(process, signal.SIGKILL)
    code = process.wait()
    return program, (code if code >= 0 else 128 - code), is_timed_out


def _ends(process: "subprocess.Popen[bytes]", within_s: float) -> bool:
    try:
        process.wait(max(0.0, within_s))
    except subprocess.TimeoutExpired:
        return False
    return True


def _signal(process: "subprocess.Popen[bytes]", number: int) -> None:
    with contextlib.suppress(OSError):  # all of them have ended
        os.killpg(process.pid, number)


def _reports(
    plan: RunnerPlan, folder: str, earlier: "dict[str, tuple[int, ...]]"
) -> tuple[list[list[str]], list[str]]:
    found: list[list[str]] = []
    problems: list[str] = []
    left = plan["max_bytes"]
    own = [it.replace(TMP, folder) for it in plan["reports"] if it.startswith(TMP)]
    new = [it for it in _matching(plan["reports"]) if _stamp(it) != earlier.get(it)]
    for path in (it for it in (*own, *new) if Path(it).is_file()):
        try:
            if Path(path).stat().st_size > left:
                problems.append(f"reports over {plan['max_bytes']:,} bytes")
                break
            content = Path(path).read_bytes()
        except OSError:
            continue
        left -= len(content)
        found.append([path, content.decode("utf-8", "replace")])
    return found, problems


def _matching(patterns: "list[str]") -> "list[str]":
    """Return the reports of the project, of this run or of an earlier one."""
    found: list[str] = []
    wanted = [f"*/{it}" for it in patterns if not it.startswith(TMP)]
    if wanted:
        for count, (place, folders, names) in enumerate(os.walk(".")):
            folders[:] = sorted(set(folders) - _SKIPPED)
            paths = [f"{place}/{name}" for name in sorted(names)]
            found += [it for it in paths if any(fnmatch.fnmatch(it, each) for each in wanted)]
            if count >= _MAX_FOLDERS:
                break
    return found


def _stamp(path: str) -> "tuple[int, ...]":
    """Return what differs once a file is written again; nothing for one that is gone."""
    try:
        status = Path(path).stat()
    except OSError:
        return ()
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_size
