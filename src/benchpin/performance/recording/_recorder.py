"""Run a program several times under a profiler, and write its profiles after that.

This file is sent into the sandbox as text and runs there, without Benchpin and any other package.
The profiles travel in the output because the sandbox shares no writable folder with the outside.
"""

import base64
import contextlib
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
from typing import NamedTuple, NoReturn, TypedDict

from ._started import CPROFILE, EXCIMER

_SUFFIXES = {".py": "python3", ".php": "php", ".js": "node", ".mjs": "node", ".cjs": "node"}


class _Language(NamedTuple):
    """How programs of a language are started and profiled."""

    programs: "re.Pattern[str]"
    """Names of what starts them; matches nothing where they start themselves."""
    profilers: "tuple[str, ...]"
    """The first that is there is taken."""
    install: str
    """What to type where none is there."""
    with_value: "frozenset[str]" = frozenset()
    """Options of the interpreter that are followed by a value."""


_LANGUAGES = {
    "python": _Language(
        re.compile(r"python[0-9.]*|pypy[0-9.]*"),
        ("cprofile", "py-spy"),
        "pip install py-spy",
        frozenset({"-W", "-X", "--check-hash-based-pycs"}),
    ),
    "php": _Language(
        re.compile(r"php[0-9.]*"),
        ("spx", "excimer", "xdebug"),
        "apt install php-excimer, or php-xdebug",
        frozenset({"-d", "-c", "-z"}),
    ),
    "node": _Language(
        re.compile(r"node|nodejs"),
        ("cpu-prof",),
        "Node 12 or later",
        frozenset({"-r", "--require", "--import", "-C", "--conditions", "--loader"}),
    ),
    "go": _Language(re.compile(r"go"), ("go-test",), "Go 1.20 or later"),
    "native": _Language(re.compile(r"(?!)"), ("callgrind",), "apt install valgrind"),
}
# The profilers that can measure processor time.
_WITH_CPU = {"cprofile", "excimer"}
MAX_FILES = 20
TAIL_BYTES = 4_000
_SAMPLES_PER_S = 1_000


class RecordingPlan(TypedDict):
    """What to run, and how often."""

    argv: list[str]
    path: list[str]
    """Folders to look for the interpreter in before all others; some may not be visible here."""
    runs: int
    profiler: str
    """Empty for the best one that is there."""
    clock: str
    """`wall` or `cpu`."""
    environment: "dict[str, str]"
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


class Refused(Exception):
    """The program cannot be profiled; the text says why and what to do."""


class Program(NamedTuple):
    """A program as its interpreter runs it."""

    language: str
    interpreter: str
    options: list[str]
    """Of the interpreter, before the script."""
    rest: list[str]
    """The script and its arguments."""
    looked_up: str
    """The name that the interpreter was found by; empty where its path is given."""

    @property
    def arguments(self) -> int:
        """How many of the last words are arguments of the script or the code of `-c`."""
        if not self.rest:
            return 0
        is_named = self.rest[0] == "-m" and len(self.rest) > 1
        return len(self.rest) - (2 if is_named else 1)


def main(text: str) -> NoReturn:
    plan: RecordingPlan = json.loads(text)
    ending: dict[str, object] = {}
    os.environ["PATH"] = os.pathsep.join([*plan["path"], os.environ.get("PATH", os.defpath)])
    os.environ.update(plan["environment"])
    with tempfile.TemporaryDirectory(prefix="profiles-", ignore_cleanup_errors=True) as folder:
        try:
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


def understood(argv: list[str]) -> Program:
    """Find the interpreter of a command: named, or by the first line or ending of its script."""
    first = argv[0]
    language = _language(Path(first).name)
    if language is not None:
        found = shutil.which(first)
        if found is None:
            raise Refused(f"{first} was not found. Install it, or give its path.")
        return Program(language, found, *_split(language, argv[1:]), _bare(first))
    script = first if "/" in first or Path(first).is_file() else shutil.which(first) or first
    if not Path(script).is_file():
        raise Refused(f"{first} was not found. Give a program, or a script in the workspace.")
    if _is_native(script):
        return Program("native", script, [], [script, *argv[1:]], "")
    interpreter = _shebang(script) or [_SUFFIXES.get(Path(script).suffix, "")]
    named = _language(Path(interpreter[0]).name)
    found = shutil.which(interpreter[0]) if named else None
    if named is None or found is None:
        raise Refused(
            f"{first} is no Python, PHP or Node program, no compiled one and not go test, which "
            "is what can be profiled here. Name its interpreter first, such as python app.py; of "
            "Java, ingest the collapsed stacks of async-profiler."
        )
    return Program(named, found, interpreter[1:], [script, *argv[1:]], _bare(interpreter[0]))


def _is_native(script: str) -> bool:
    """Whether a file is a compiled program: ELF."""
    with Path(script).open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _bare(program: str) -> str:
    return "" if "/" in program else program


def _language(name: str) -> "str | None":
    return next((it for it, how in _LANGUAGES.items() if how.programs.fullmatch(name)), None)


def _shebang(script: str) -> "list[str] | None":
    with Path(script).open("rb") as file:
        line = file.readline(500)
    if not line.startswith(b"#!"):
        return None
    words = line[2:].decode("utf-8", "replace").split()
    if words and Path(words[0]).name == "env":
        words = [it for it in words[1:] if not it.startswith("-")]
    return words or None


def _split(language: str, arguments: list[str]) -> "tuple[list[str], list[str]]":
    """Separate the options of an interpreter from the script and its arguments."""
    if language == "go":
        if arguments[:1] != ["test"]:
            raise Refused("Of go only tests are profiled. Give go test, with -bench or -run.")
        return ["test"], arguments[1:]
    with_value = _LANGUAGES[language].with_value
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "-":
        if arguments[at] in {"-m", "-c"} and language == "python":
            break
        if arguments[at] in {"-r", "-e", "--eval", "-p", "--print"} and language != "python":
            break
        if arguments[at] in {"-f", "--file"} and language == "php":
            return arguments[:at], arguments[at + 1 :]
        at += 2 if arguments[at] in with_value else 1
    if at >= len(arguments):
        raise Refused("No script is named. Give one after its interpreter, such as python app.py.")
    return arguments[:at], arguments[at:]


def available(program: Program, wanted: str, clock: str) -> "list[tuple[str, str]]":
    """Return the profilers that are there, with their versions: the wanted one, or all."""
    known = _LANGUAGES[program.language].profilers
    offered = [it for it in known if clock == "wall" or it in _WITH_CPU]
    if not offered or (wanted and wanted not in offered):
        named = wanted or " or ".join(known)
        use = " or ".join(offered) or "the clock wall"
        raise Refused(f"{named} does not measure {clock} time of {program.language}. Use {use}.")
    names = [wanted] if wanted else offered
    found = [(name, version) for name in names if (version := _version(program, name))]
    if not found:
        lacking = " or ".join(names)
        install = _LANGUAGES[program.language].install
        where = f"{lacking} is not installed for {program.interpreter}"
        raise Refused(f"{where}. Install it: {install}.")
    return found


def _version(program: Program, profiler: str) -> str:
    asked = {
        "cprofile": [
            program.interpreter,
            "-c",
            "import cProfile, sys; print(sys.version.split()[0])",
        ],
        "go-test": [program.interpreter, "version"],
        "callgrind": [shutil.which("valgrind") or "", "--version"],
        "py-spy": [shutil.which("py-spy") or "", "--version"],
        "cpu-prof": [program.interpreter, "--version"],
        "spx": [program.interpreter, "-r", "echo phpversion('spx');"],
        "excimer": [program.interpreter, "-r", "echo phpversion('excimer');"],
        "xdebug": [program.interpreter, "-r", "echo phpversion('xdebug');"],
    }[profiler]
    if not asked[0]:
        return ""
    try:
        done = subprocess.run(asked, capture_output=True, timeout=20, check=False)  # noqa: S603 - its own
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()[:100] if done.returncode == 0 else ""


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
        to = f"--callgrind-out-file={folder}/callgrind.out"
        return [shutil.which("valgrind") or "", "--tool=callgrind", to, "--", *rest], {}
    if profiler == "cpu-prof":
        return [
            program.interpreter,
            "--cpu-prof",
            f"--cpu-prof-dir={folder}",
            *start[1:],
            *rest,
        ], {}
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


def _record(plan: RecordingPlan, program: Program, profiler: str, folder: str) -> Recorded:
    runs: list[RunOutcome] = []
    left = plan["max_bytes"]
    is_timed_out, problem = False, ""
    for number in range(plan["runs"]):
        place = Path(folder) / f"{profiler}-{number}"
        place.mkdir()
        argv, variables = command(program, profiler, plan["clock"], str(place))
        started = time.monotonic()
        code, tail, is_timed_out = _run(argv, variables, plan["deadline"], f"{place}.err")
        duration_ms = round(1000 * (time.monotonic() - started))
        if is_timed_out:
            break
        files = [(it.name, _packed(it.read_bytes(), number)) for it in _written(place)]
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


def _run(
    argv: list[str], variables: "dict[str, str]", deadline: float, errors: str
) -> "tuple[int, str, bool]":
    """Return the exit code, the end of stderr, and whether the time was up."""
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
    return (code if code >= 0 else 128 - code), tail, is_timed_out
