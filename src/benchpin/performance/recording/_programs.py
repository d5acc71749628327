"""What starts a program, and the profilers that there are for it.

This file is sent into the sandbox as text with `_recorder.py`, and runs there without Benchpin.
"""

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

_SHELLS = ("sh", "bash")
_SUFFIXES = {".py": "python3", ".php": "php", ".js": "node", ".mjs": "node", ".cjs": "node"}


class _Language(NamedTuple):
    """How programs of a language are started and profiled."""

    programs: "re.Pattern[str]"
    """Names of what starts them; matches nothing where they start themselves."""
    profilers: "tuple[str, ...]"
    """The first that is there is taken."""
    install: str
    """What to type where no profiler is there."""
    install_program: str
    """What to type where the program that starts them is not there."""
    with_value: "frozenset[str]" = frozenset()
    """Options of the interpreter that are followed by a value."""


_LANGUAGES = {
    "python": _Language(
        re.compile(r"python[0-9.]*|pypy[0-9.]*"),
        ("cprofile", "py-spy"),
        "pip install py-spy",
        "apt install python3",
        frozenset({"-W", "-X", "--check-hash-based-pycs"}),
    ),
    "php": _Language(
        re.compile(r"php[0-9.]*"),
        ("spx", "excimer", "xdebug"),
        "apt install php-excimer, or php-xdebug",
        "apt install php-cli",
        frozenset({"-d", "-c", "-z"}),
    ),
    "node": _Language(
        re.compile(r"node|nodejs"),
        ("cpu-prof",),
        "apt install nodejs (12 or later)",
        "apt install nodejs",
        frozenset({"-r", "--require", "--import", "-C", "--conditions", "--loader"}),
    ),
    "java": _Language(
        re.compile(r"java"),
        ("jfr",),
        "apt install default-jdk (11 or later)",
        "apt install default-jdk",
        frozenset(
            {
                *("-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules"),
                *("--add-opens", "--add-exports", "--add-reads", "--upgrade-module-path"),
            }
        ),
    ),
    "maven": _Language(
        re.compile(r"mvnw?"), ("jfr",), "apt install default-jdk", "apt install maven"
    ),
    "gradle": _Language(
        re.compile(r"gradlew?"), ("jfr",), "apt install default-jdk", "apt install gradle"
    ),
    "go": _Language(
        re.compile(r"go"), ("go-test",), "apt install golang-go", "apt install golang-go"
    ),
    "cargo": _Language(
        re.compile(r"cargo"), ("callgrind",), "apt install valgrind", "apt install cargo"
    ),
    "native": _Language(re.compile(r"(?!)"), ("callgrind",), "apt install valgrind", ""),
}
# The profilers that can measure processor time.
_WITH_CPU = {"cprofile", "excimer"}


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
        is_named = self.rest[0] in {"-m", "-jar", "--module"} and len(self.rest) > 1
        return len(self.rest) - (2 if is_named else 1)


def understood(argv: list[str]) -> Program:
    """Find the interpreter of a command: named, or by the first line or ending of its script."""
    first = argv[0]
    language = _language(Path(first).name)
    if language is not None:
        found = shutil.which(first)
        if found is None:
            install = _LANGUAGES[language].install_program
            raise Refused(f"{first} was not found. Install it ({install}), or give its path.")
        return Program(language, found, *_split(language, argv[1:]), _bare(first))
    wrapped = _language(Path(argv[1]).name) if first in _SHELLS and len(argv) > 1 else None
    if wrapped in {"maven", "gradle"}:
        return Program(wrapped, shutil.which(first) or first, [argv[1]], argv[2:], first)
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
            f"{first} is no Python, PHP, Node or Java program, no compiled one and no test of Go, "
            "Cargo, Maven or Gradle, which is what can be profiled here. Name its interpreter "
            "first, such as python app.py."
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
    if language in {"maven", "gradle", "cargo"}:
        return [], arguments
    with_value = _LANGUAGES[language].with_value
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "-":
        if arguments[at] in {"-m", "-c"} and language == "python":
            break
        if arguments[at] in {"-jar", "-m", "--module"} and language == "java":
            break
        if arguments[at] in {"-r", "-e", "--eval", "-p", "--print"} and language in {"node", "php"}:
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
        "jfr": [
            program.interpreter if program.language == "java" else shutil.which("java") or "",
            "--version",
        ],
    }[profiler]
    if not asked[0]:
        return ""
    try:
        done = subprocess.run(asked, capture_output=True, timeout=20, check=False)  # noqa: S603 - its own
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return lines[0][:100] if lines and done.returncode == 0 else ""
