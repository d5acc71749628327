"""cargo test, by its text: stable Rust writes no other format."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import PurePosixPath

from ._command import TMP, Runner, RunnerCommand, RunnerOutput
from ._project_view import ProjectView
from ._results import RunResults, UnreadableReport

_SUMMARY = re.compile(
    r"^test result: \w+\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed; "
    r"(?P<ignored>\d{1,9}) ignored",
    re.MULTILINE,
)
_LINE = re.compile(r"^test (?P<name>[^\n]{1,400}?) \.\.\. (?P<how>ok|ignored)", re.MULTILINE)
_SECTION = re.compile(r"^---- (?P<name>[^\n]{1,400}) stdout ----$", re.MULTILINE)
_PANIC = re.compile(r"\b(?P<file>[^\s':,]{1,400}\.rs):(?P<line>\d{1,7}):\d")
_ERROR = re.compile(r"^error(?:\[E\d{4}\])?: (?P<message>[^\n]{1,400})$", re.MULTILINE)
_SPAN = re.compile(r"^[ \t]*+--> (?P<file>[^\s:]{1,400}\.rs):(?P<line>\d{1,7}):", re.MULTILINE)
_DOCTEST = re.compile(r"(?P<file>[^\s:]{1,400}\.rs) - .{0,400} \(line (?P<line>\d{1,7})\)")


def _command(_project: ProjectView, tests: Sequence[str]) -> RunnerCommand:
    targets: list[str] = []
    names: list[str] = []
    for test in tests:
        path = PurePosixPath(test)
        if test.endswith(".rs") and path.parent.name == "tests":
            targets += ["--test", path.stem]
        elif test.endswith(".rs"):
            names.append(_module(path))
        else:
            names.append(test)
    argv = ("cargo", "test", "--no-fail-fast", *targets)
    return RunnerCommand(
        (*argv, "--", *names) if names else argv,
        environment={"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never"},
        read_only_environment={"CARGO_TARGET_DIR": f"{TMP}/target"},
    )


def _module(path: PurePosixPath) -> str:
    """Return the module of a source file: src/a/b.rs is a::b."""
    parts = [it for it in path.with_suffix("").parts if it != "src"]
    if parts and parts[-1] in {"lib", "main", "mod"}:
        parts.pop()
    return "::".join(parts) or "tests"


def _read(outcome: RunnerOutput, project: ProjectView) -> RunResults:
    results = RunResults("text of cargo test")
    summaries = list(_SUMMARY.finditer(outcome.stdout))
    for text in outcome.stdout.split("\nfailures:\n")[1:]:
        _add_sections(results, text, project)
    found = _add_build_errors(outcome.stderr, results, project) if not summaries else 0
    if not summaries and not found:
        raise UnreadableReport("cargo test did not get to its summary")
    for match in _LINE.finditer(outcome.stdout):
        results.add_name(match["name"], is_passed=match["how"] == "ok")
    results.passed = sum(int(it["passed"]) for it in summaries)
    results.failed = sum(int(it["failed"]) for it in summaries) + found
    results.skipped = sum(int(it["ignored"]) for it in summaries)
    return results


def _add_sections(results: RunResults, text: str, project: ProjectView) -> None:
    for header, section in _sections(_SECTION, text):
        body = section.strip("\n").partition("\nnote: run with `RUST_BACKTRACE")[0]
        name = header["name"]
        frames = project.frames(_DOCTEST, name) or project.frames(_PANIC, body)
        lines = [it for it in body.splitlines() if it.strip()]
        start = next((at for at, it in enumerate(lines) if "panicked at" in it), 0)
        after = lines[start + 1 :] or lines[start:] or [""]
        # Until Rust 1.72 the message was in the first line, before the place.
        message = lines[start] if lines and "panicked at '" in lines[start] else after[0]
        results.add_failure(name, frames[0] if frames else None, message, "\n".join(lines[start:]))


def _add_build_errors(stderr: str, results: RunResults, project: ProjectView) -> int:
    """Add the errors of the compiler; return how many there are."""
    for error, body in _sections(_ERROR, stderr):
        frames = project.frames(_SPAN, body)
        if frames:
            results.add_failure("build", frames[0], error["message"], error[0] + body)
    return len(results.failures)


def _sections(header: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield the headers in a text, each with what follows it up to the next."""
    headers = list(header.finditer(text))
    for found, following in zip_longest(headers, headers[1:]):
        yield found, text[found.end() : following and following.start()]


CARGO = Runner(
    "cargo", (".rs",), lambda it: it.has("Cargo.toml"), _command, _read, to_profile="cargo test"
)
