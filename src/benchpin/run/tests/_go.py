"""go test, through its own JSON events."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ._command import TMP, Runner, RunnerCommand, RunnerOutput
from ._project_view import ProjectView
from ._results import RunResults, UnreadableReport

_MODULE = re.compile(r"^module\s++\"?(?P<path>[^\s\"]+)", re.MULTILINE)
_FUNCTION = re.compile(r"^func ((?:Test|Example|Fuzz)\w*+)\(", re.MULTILINE)
_KINDS = (".Test", ".Example", ".Fuzz")
_PLACE = re.compile(
    r"^[ \t]*+(?P<file>[^\s:]{1,400}\.go):(?P<line>\d{1,7})(?::\d+)?(?::| )", re.MULTILINE
)
_UNBUILT = re.compile(r"^FAIL\t(\S{1,400}) \[(?:build|setup) failed\]$", re.MULTILINE)
_NOISE = re.compile(r"\s*(?:=== |--- |(?:FAIL|PASS|ok|exit status \d+)(?:\s|$)).*")
_ENDING = ".go"
_MAX_TESTS = 200_000
_MAX_OUTPUT_BYTES = 64 << 10


def _is_used_by(project: ProjectView) -> bool:
    return project.has("go.mod") or project.has("go.work")


def _command(project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    packages: list[str] = []
    names: list[str] = []
    for wanted in tests:
        package, test = _qualified(wanted)
        if wanted.endswith(_ENDING):
            packages.append(_package(str(PurePosixPath(wanted).parent)))
            names += _FUNCTION.findall(project.read(wanted.removeprefix("./")))
        elif package == "." or package.startswith("./"):
            packages.append(package)
            names.append(test)
        elif project.has(wanted.rstrip("/").removeprefix("./")) or wanted.startswith("./"):
            packages.append(_package(wanted))
        elif package:
            packages.append(package)
            names.append(test)
        elif "/" in wanted.partition("/Test")[0] and not wanted.startswith(
            ("Test", "Example", "Fuzz")
        ):
            packages.append(wanted)
        else:
            names.append(wanted)
    chosen = ("-run", _pattern(names)) if names else ()
    return RunnerCommand(
        ("go", "test", "-json", *chosen, *(dict.fromkeys(packages) or ("./...",))),
        environment={"GOPROXY": "off", "GOTOOLCHAIN": "local"},
    )


def _qualified(name: str) -> tuple[str, str]:
    """Split `example.com/module/package.TestA/case`; the package is empty if there is none."""
    for kind in _KINDS:
        package, found, rest = name.partition(kind)
        if found:
            return package, f"{kind[1:]}{rest}"
    return "", name


def _package(folder: str) -> str:
    return "." if folder in {".", ""} else f"./{folder.removeprefix('./')}"


def _pattern(names: Sequence[str]) -> str:
    """Return a pattern for tests; go matches each part of `TestA/case` by itself."""
    if len(names) == 1:
        return "/".join(f"^{re.escape(it)}$" for it in names[0].split("/"))
    tops = dict.fromkeys(it.partition("/")[0] for it in names)
    return f"^({'|'.join(map(re.escape, tops))})$"


def _read(outcome: RunnerOutput, project: ProjectView) -> RunResults:
    results = RunResults("go test -json")
    reader = _Events(project, results)
    count = 0
    for event in _events(outcome.stdout):
        count += 1
        reader.take(event)
    # Until Go 1.24 a package that could not be built had no event.
    for package in _UNBUILT.findall(outcome.stdout):
        count += 1
        reader.take({"Action": "fail", "Package": package})
    if not count:
        raise UnreadableReport("go test wrote no events")
    reader.finish(outcome.stderr)
    return results


def _events(text: str) -> Iterator[dict[str, str]]:
    """Yield the events; a line that is not one was printed by the build, or is cut."""
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                event = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict) and isinstance(event.get("Action"), str):
                yield {key: it for key, it in event.items() if isinstance(it, str)}


class _Pieces:
    """A text in pieces, up to a size."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._room = _MAX_OUTPUT_BYTES

    def add(self, piece: str) -> None:
        if self._room > 0:
            self._pieces.append(piece[: self._room])
            self._room -= len(piece)

    def text(self) -> str:
        return "".join(self._pieces)


class _Events:
    """Collects the output of each test until it ends."""

    def __init__(self, project: ProjectView, results: RunResults) -> None:
        self._project = project
        self._printed: list[str] = []
        self._results = results
        self._output: dict[tuple[str, str], _Pieces] = defaultdict(_Pieces)
        self._failed: dict[tuple[str, str], str] = {}
        """What could not be built, if that is why; a package may lack a module."""
        self._build: dict[str, _Pieces] = defaultdict(_Pieces)
        module = _MODULE.search(project.read("go.mod"))
        self._module = "" if module is None else module["path"]

    def take(self, event: dict[str, str]) -> None:
        key = (event.get("Package", ""), event.get("Test", ""))
        action, output = event["Action"], event.get("Output", "")
        self._printed.append(output)
        if action == "build-output":
            package = event.get("ImportPath", "").partition(" ")[0]
            self._build[package].add(output)
        elif action == "output":
            if len(self._output) < _MAX_TESTS or key in self._output:
                self._output[key].add(output)
        elif action == "fail":
            self._failed[key] = event.get("FailedBuild", "").partition(" ")[0]
        elif action in {"pass", "skip"} and key[1]:
            self._output.pop(key, None)
            self._results.passed += action == "pass"
            self._results.skipped += action == "skip"
            self._results.add_name(f"{key[0]}.{key[1]}", is_passed=action == "pass")

    def finish(self, stderr: str) -> None:
        """Add failures: the innermost tests, and packages that failed without one."""
        self._results.output = "".join(self._printed)
        compiler = _by_package(stderr)
        outer = {(package, test.rpartition("/")[0]) for package, test in self._failed if test}
        for (package, test), unbuilt in self._failed.items():
            if (package, test) in outer:
                continue  # because of the inner ones, which say why
            if test:
                self._add(package, f"{package}.{test}", self._output[package, test].text())
            else:
                built = _said_once(self._build[unbuilt or package].text())
                built = built or compiler.get(package, "")
                self._add(package, package, built or self._output[package, ""].text())

    def _add(self, package: str, name: str, output: str) -> None:
        lines = [it for it in output.splitlines() if it.strip() and not _NOISE.fullmatch(it)]
        text = "\n".join(self._without_foreign_frames(lines))
        folder = package.removeprefix(self._module).strip("/")
        place = None
        for match in _PLACE.finditer(text):
            file = match["file"]
            found = self._project.place(f"{folder}/{file}" if folder else file)
            found = found or self._project.place(file)
            if found is not None:
                place = (found, int(match["line"]))
                break
        message = _PLACE.sub("", text, count=1).strip() if place else text
        self._results.add_failure(name, place, message, text)

    def _without_foreign_frames(self, lines: Sequence[str]) -> Iterator[str]:
        """Leave out the lines of a stack that are not in the project."""
        is_stack = False
        for line in lines:
            is_stack = is_stack or line.startswith("goroutine ")
            if not is_stack or self._project.frames(_PLACE, line):
                yield line


def _said_once(built: str) -> str:
    """Return what a build printed without titles; each package that needs a module repeats it."""
    return "\n".join(dict.fromkeys(it for it in built.splitlines() if not it.startswith("# ")))


def _by_package(stderr: str) -> dict[str, str]:
    """Return what the compiler said about each package: it follows a line `# package`."""
    said = {}
    for section in f"\n{stderr}".split("\n# ")[1:]:
        title, _, text = section.partition("\n")
        said[title.partition(" ")[0]] = text
    return said


def _coverage(_project: ProjectView, files: Sequence[str]) -> RunnerCommand:
    """Return the options for the packages of some files, which other packages may test."""
    folders = dict.fromkeys(str(PurePosixPath(it).parent) for it in files if it.endswith(_ENDING))
    report = f"{TMP}/cover.out"
    packages = ",".join(map(_package, folders))
    return RunnerCommand((f"-coverprofile={report}", f"-coverpkg={packages}"), reports=(report,))


GO = Runner(
    "go",
    (_ENDING,),
    _is_used_by,
    _command,
    _read,
    cover=_coverage,
    stop_option="-failfast",
    to_profile="go test .",
)
