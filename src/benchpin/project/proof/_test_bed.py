"""Runs some tests in the copy of a workspace, each with the runner of its project."""

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Bench, Job, Workspace
from benchpin.core.errors import BenchpinError, Cancelled
from benchpin.core.tools import Effect
from benchpin.measures.coverage import DamagedReport, lines_that_ran
from benchpin.run.tests import (
    MANIFESTS,
    FailedTest,
    ProjectView,
    RunnerName,
    TestRun,
    caches_in,
    find_runners,
    is_named,
    is_unbuilt,
    last_lines,
    name_for,
    run_project_tests,
)

from ._working_copy import WorkingCopy, remove_tree

# More single tests than these are run by their files: a command line has an end.
_MAX_NAMED = 200
# What compilers keep between two proofs, of this many workspaces, this much each.
_BUILDS = ".benchpin-prove"
_MAX_BUILDS, _MAX_BUILDS_BYTES = 8, 3 << 30
_NO_MODULE = re.compile(r"No module named '([^']+)'")
_NETWORK = re.compile(
    r"EAFNOSUPPORT|Address family not supported|Network is unreachable|ENETUNREACH|ENOTFOUND"
    r"|Name or service not known|[Tt]emporary failure in name resolution|no such host|getaddrinfo"
    r"|Max retries exceeded|could not resolve host|Could not determine a usable local IP"
    r"|address family not supported|failed to listen on a port"
)
# How often the rest of some tests is run again.
_MAX_CUT_OFF = 3
# How a program ends that gives up, within the JSON of a runner.
_PANIC = re.compile(r"panic: [^\"\\\n]{1,300}")
_NO_ROOM = re.compile(r"Errno (?:27|28)\b|\b(?:EFBIG|ENOSPC)\b|[Ff]ile too large|No space left on")


@dataclass
class TestOutcome:
    """What a run of tests showed; tests are named as their runner does."""

    passed: set[str] = field(default_factory=set)
    failed: dict[str, FailedTest] = field(default_factory=dict)
    skipped: set[str] = field(default_factory=set)
    unbuilt: list[FailedTest] = field(default_factory=list)
    """What could not be built or loaded, so that tests did not run."""
    problems: list[str] = field(default_factory=list)
    """Why tests did not run."""
    lines: dict[str, dict[int, bool]] = field(default_factory=dict)
    """Whether each line of a covered file ran."""
    is_timed_out: bool = False
    has_coverage: bool = False
    count: int = 0
    seconds: float = 0.0

    @property
    def has_run(self) -> bool:
        return bool(self.passed or self.failed or self.unbuilt or self.count)

    def take(self, other: "TestOutcome") -> None:
        """Add another run."""
        self.passed |= other.passed
        self.failed |= other.failed
        self.skipped |= other.skipped
        self.unbuilt += other.unbuilt
        self.problems += other.problems
        self.is_timed_out |= other.is_timed_out
        self.has_coverage |= other.has_coverage
        self.count += other.count
        self.seconds += other.seconds
        for path, lines in other.lines.items():
            known = self.lines.setdefault(path, {})
            for line, is_hit in lines.items():
                known[line] = known.get(line, False) or is_hit


def cause_outside(test: FailedTest, paths: Iterable[str]) -> str | None:
    """Return why a test failed, in words, if neither it nor the code is to blame.

    `paths` are those of the workspace: a package that it has is not one of others.
    """
    text = f"{test.message}\n{test.excerpt}"
    if _NETWORK.search(text):
        return "needs a network, which the sandbox does not have"
    if _NO_ROOM.search(text):
        return f"writes more than the sandbox takes: {test.message}"
    missing = _NO_MODULE.search(text)
    if missing is None:
        return None
    package = missing[1].partition(".")[0]
    parts = (part for path in paths for part in path.split("/"))
    is_own = any(it.partition(".")[0] == package for it in parts)
    return None if is_own else f"needs {package}, which is not installed here"


@contextmanager
def kept_builds(copy: WorkingCopy, folder: Path) -> Iterator[Path]:
    """Lend a copy what was compiled in earlier copies of its workspace, and keep it for the next.

    It is moved, not shared: of two at once, the second compiles for itself.
    """
    name = hashlib.blake2b(os.fsencode(copy.original), digest_size=12).hexdigest()
    kept, place = folder / name, copy.root / _BUILDS
    with suppress(OSError):
        kept.rename(place)
    try:
        yield place
    finally:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if place.is_dir() and not place.is_symlink() and _size_of(place) <= _MAX_BUILDS_BYTES:
                place.rename(kept)
                os.utime(kept)
            newest = sorted(folder.iterdir(), key=lambda it: -it.lstat().st_mtime)
            for old in newest[_MAX_BUILDS:]:
                remove_tree(old)


def _size_of(folder: Path) -> int:
    paths = (f"{inner}/{name}" for inner, _, names in os.walk(folder) for name in names)
    return sum(os.lstat(it).st_size for it in paths)


class TestBed:
    """A copy of the workspace, and how tests are run in it."""

    def __init__(self, copy: WorkingCopy, bench: Bench, job: Job, builds: Path) -> None:
        """Run in a copy, where tests may write; for the rest as `run_tests` does it.

        What compilers write goes to `builds`.
        """
        self.bench = replace(
            bench,
            workspace=Workspace(copy.root.resolve()),
            effects=bench.effects | {Effect.EXECUTE, Effect.WRITE},
            toolchains=(*bench.toolchains, *copy.linked),
            job=job,
        )
        self._copy = copy
        self._root = ProjectView(
            copy.root.resolve(),
            PurePosixPath(),
            bench.permissions,
            ProjectView(copy.original, PurePosixPath(), bench.permissions),
        )
        self.environment = caches_in(builds.resolve())
        path = copy.python_path()
        if path:
            self.environment["PYTHONPATH"] = ":".join(path)

    def run(
        self,
        tests: Iterable[str],
        timeout_s: float,
        *,
        covering: Sequence[str] = (),
        stops_early: bool = False,
    ) -> TestOutcome:
        """Run tests, each `path::qualified name` or the path of a file."""
        outcome = TestOutcome()
        groups, lonely = self._grouped(tests)
        if lonely:
            more = f" and {len(lonely) - 1} more" if len(lonely) > 1 else ""
            outcome.problems.append(f"no test runner was found for {lonely[0]}{more}")
        for (folder, runner), inside in groups.items():
            left = timeout_s - outcome.seconds
            if left < 1:
                outcome.is_timed_out = True
                break
            run = self._run_group(folder, runner, inside, left, covering, stops_early=stops_early)
            outcome.take(run)
            # A test that needs a network may have ended the program before the others ran.
            rest = inside
            for _ in range(0 if stops_early else _MAX_CUT_OFF):
                left, rest = timeout_s - outcome.seconds, _cut_off(run, rest)
                if not rest or left < 1:
                    break
                run = self._run_group(folder, runner, rest, left, covering, stops_early=False)
                outcome.take(run)
        return outcome

    def _grouped(
        self, tests: Iterable[str]
    ) -> tuple[dict[tuple[str, RunnerName], list[str]], list[str]]:
        groups: defaultdict[tuple[str, RunnerName], list[str]] = defaultdict(list)
        lonely = []
        runners: dict[tuple[str, str], tuple[str, RunnerName] | None] = {}
        for test in dict.fromkeys(tests):
            path = PurePosixPath(test.partition("::")[0])
            key = (str(path.parent), path.suffix)
            if key not in runners:
                runners[key] = self._runner_of(path)
            found = runners[key]
            if found is None:
                lonely.append(str(path))
            else:
                groups[found].append(test)
        return dict(groups), lonely

    def _runner_of(self, path: PurePosixPath) -> tuple[str, RunnerName] | None:
        """Return the nearest folder with a manifest and a runner for a file, or else the root."""
        for parent in path.parents:
            project = self._root if str(parent) == "." else self._root.beneath(str(parent))
            is_root = str(parent) == "."
            if is_root or not MANIFESTS.isdisjoint(project.names()):
                for runner in find_runners(project):
                    if not runner.endings or path.name.endswith(runner.endings):
                        return str(parent), runner.name
        return None

    def _run_group(
        self,
        folder: str,
        runner: RunnerName,
        tests: Sequence[str],
        timeout_s: float,
        covering: Sequence[str],
        *,
        stops_early: bool,
    ) -> TestOutcome:
        project = self._root if folder == "." else self._root.beneath(folder)
        inside = [_within(it, folder) for it in tests]
        named = [name_for(it, runner) for it in inside]
        if len(named) > _MAX_NAMED:
            named = [it.partition("::")[0] for it in inside]
        covered = [_within(it, folder) for it in covering if _is_in(it, folder)]
        try:
            run = run_project_tests(
                project,
                list(dict.fromkeys(named)),
                timeout_s,
                self.bench,
                wanted=runner,
                covering=covered,
                stops_early=stops_early,
                environment=self.environment,
            )
        except Cancelled:
            raise
        except BenchpinError as error:
            return TestOutcome(problems=[f"{error} {error.suggestion}".strip()])
        return self._outcome(run, folder, covering)

    def _outcome(self, run: TestRun, folder: str, covering: Sequence[str]) -> TestOutcome:
        outcome = TestOutcome(is_timed_out=run.is_timed_out, seconds=run.report.duration_ms / 1000)
        results = run.results
        if results is None:
            said = run.lacking or run.report.suggestion or run.unread_because
            if run.is_started and not run.runner.has_report and run.report.exit_code is not None:
                # Such a runner says only whether all is well.
                name = f"{run.runner.name} in {folder}"
                if run.report.exit_code == 0:
                    outcome.passed.add(name)
                else:
                    outcome.failed[name] = FailedTest(
                        name=name,
                        file=None,
                        line=None,
                        message=f"it ended with exit code {run.report.exit_code}",
                        excerpt=last_lines(run.outcome.stdout + run.outcome.stderr, 12),
                    )
                return outcome
            if not run.is_timed_out:
                why = _said_last(run.outcome.stdout, run.outcome.stderr)
                outcome.problems.append(f"{run.runner.name} did not run: {said}; {why}")
            return outcome
        outcome.count = results.total
        outcome.passed |= set(results.passed_names)
        outcome.skipped |= set(results.skipped_names)
        for one in results.failures:
            failure = _explained(one, run.outcome.stdout)
            if is_unbuilt(failure, run.runner.name):
                outcome.unbuilt.append(failure)
            else:
                outcome.failed[failure.name] = failure
        if not results.total and not run.is_timed_out:
            why = _said_last(run.outcome.stdout, run.outcome.stderr)
            outcome.problems.append(f"{run.runner.name} ran no test; {why}")
        if not results.passed_names and results.passed and not results.failures:
            outcome.passed.add(f"{results.passed} tests of {run.runner.name}")
        outcome.lines = self._lines(run, covering)
        outcome.has_coverage = bool(outcome.lines)
        return outcome

    def _lines(self, run: TestRun, covering: Sequence[str]) -> dict[str, dict[int, bool]]:
        found: dict[str, dict[int, bool]] = {}
        for _, text in run.coverage:
            try:
                reported = lines_that_ran(text, self.bench.job)
            except (DamagedReport, BenchpinError):
                continue
            for path in covering:
                for name, lines in reported.items():
                    if _is_same(name, path):
                        found.setdefault(path, {}).update(lines)
        return found


def _explained(failure: FailedTest, stdout: str) -> FailedTest:
    """Return a failure with how its program ended, where nothing is said of the test itself."""
    panic = None if failure.message or failure.excerpt else _PANIC.search(stdout)
    return failure if panic is None else failure.model_copy(update={"message": panic[0]})


def _cut_off(run: TestOutcome, tests: Sequence[str]) -> list[str]:
    """Return all other tests, where one that needs a network ended the program before some ran.

    Those that ran are among them, as what they cover is not written by a program that ends so.
    """
    outside = {it.name for it in run.failed.values() if _NETWORK.search(it.message)}
    has_ended = any("panic:" in run.failed[it].message for it in outside)
    named = [it for it in tests if "::" in it]
    if run.is_timed_out or not has_ended or all(names_of(run, it) for it in named):
        return []
    return [it for it in named if not outside & names_of(run, it).keys()]


# Notes of the launcher of Java, and hints that follow the error.
_NOISE = re.compile(
    r"^(?:NOTE: )?Picked up J\w+OPTIONS|^\[ERROR\] (?:Re-run|To see|For more|\[Help)"
)
_ERROR_LINE = re.compile(r"^\s*(?:\[ERROR\]|error\b|Error:|fatal:)\s*\S", re.IGNORECASE)
_NOT_FETCHED = re.compile(
    r"in offline mode|PluginResolution|was not downloaded|cannot find module providing"
    r"|missing go\.sum entry|no matching package named|The POM for \S+ is missing"
    r"|module lookup disabled"
)


def _said_last(stdout: str, stderr: str) -> str:
    """Return the first errors that a runner prints, or its last lines, and what may help."""
    lines = [it for it in f"{stdout}\n{stderr}".splitlines() if not _NOISE.search(it)]
    errors = [it for it in lines if _ERROR_LINE.match(it)][:2]
    said = last_lines("\n".join(errors or lines), 3).replace("\n", "; ")
    is_missing = _NOT_FETCHED.search(f"{stdout}\n{stderr}") is not None
    hint = "; what it needs is not fetched: run the tests once yourself" if is_missing else ""
    return f"{'it says' if errors else 'it ends with'}: {said}{hint}"


def _is_same(name: str, path: str) -> bool:
    """Whether a path of a report, in another folder or with a module before it, is that file."""
    name = name.replace("\\", "/").removeprefix("./")
    return name == path or name.endswith(f"/{path}") or path.endswith(f"/{name}")


def _is_in(path: str, folder: str) -> bool:
    return folder == "." or path.startswith(f"{folder}/")


def _within(path: str, folder: str) -> str:
    return path if folder == "." else path.removeprefix(f"{folder}/")


def names_of(outcome: TestOutcome, test: str) -> dict[str, str]:
    """Return the names that a runner gave a test, each with `passed`, `failed` or `skipped`."""
    if "::" not in test:  # a file of tests
        failed = {name: "failed" for name, it in outcome.failed.items() if it.file == test}
        return failed or ({test: "passed"} if outcome.passed and not outcome.unbuilt else {})
    groups: Mapping[str, Iterable[str]] = {
        "failed": outcome.failed,
        "passed": outcome.passed,
        "skipped": outcome.skipped,
    }
    return {it: how for how, names in groups.items() for it in names if is_named(it, test)}


def did_not_load(outcome: TestOutcome, test: str) -> bool:
    """Whether the file or package of a test could not be built or loaded."""
    path = test.partition("::")[0]
    folder = str(PurePosixPath(path).parent)

    return any(
        build.name == "build"
        or _is_same(build.name, path)
        or build.name.endswith(folder)
        or (build.file is not None and _is_in(build.file, folder))
        for build in outcome.unbuilt
    )
