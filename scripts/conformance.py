"""Run the official MCP conformance suite against the fixture server, over Streamable HTTP."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fixture_server import ServerFailed, serving_http
from npm_packages import UNAVAILABLE, Unavailable, installed_version, prepare, script

RELEASED, NEXT = "@modelcontextprotocol/conformance", "conformance-next"


@dataclass(frozen=True, slots=True)
class Run:
    """One list of scenarios, of one version of the suite."""

    title: str
    package: str
    arguments: tuple[str, ...]
    scenarios: int
    """How many the list has; another number fails the run."""


RUNS = (
    Run("all of the released suite", RELEASED, ("--suite", "all"), 32),
    Run("what 2025-11-25 requires", NEXT, ("--requirements", "2025-11-25"), 33),
    Run("what 2026-07-28 requires", NEXT, ("--requirements", "2026-07-28"), 50),
)
NOT_OFFERED = "tasks-"
"""Scenarios of an extension that this server does not announce; no revision requires them."""
EXPECTED_FAILURES: dict[str, str] = {}
"""Scenarios that cannot pass, with the reason; one that passes after all fails the run."""
UNPROVEN: dict[tuple[str, str], str] = {
    (RELEASED, "server-sse-polling"): (
        "the suite sends the header of 2025-03-26, whose clients cannot resume a stream, so there "
        "is none to let go; `make interop` proves it with clients of 2025-11-25"
    ),
}
"""Scenarios that pass because the suite checked nothing; any other one of that kind fails."""

_SUITE_TIMEOUT_S = 180
_RESULT_FOLDER = re.compile(r"server-(?P<name>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
_NOT_SCORED = re.compile(r"^Not scored for [\d-]+: (\d+) scenario", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the suite found in one scenario."""

    package: str
    name: str
    successes: int
    failures: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def is_passed(self) -> bool:
        """Whether the suite itself calls it passed."""
        return not self.failures

    def surprise(self) -> str | None:
        """Return why this outcome fails the run, None when it is as it should be."""
        if self.name in EXPECTED_FAILURES:
            return "passes now: take it out of EXPECTED_FAILURES" if self.is_passed else None
        if not self.is_passed:
            return "; ".join(self.failures)
        if (self.package, self.name) in UNPROVEN:
            return "is proven now: take it out of UNPROVEN" if self.successes else None
        return None if self.successes else "the suite checked nothing"

    def line(self) -> str:
        """Return the row of the table."""
        verdict = "passed" if self.is_passed else "failed"
        remarks = [f"{self.successes} checks" if self.successes != 1 else "1 check"]
        remarks += self.failures
        remarks += [f"warning: {warning}" for warning in self.warnings]
        reason = EXPECTED_FAILURES.get(self.name) or UNPROVEN.get((self.package, self.name))
        remarks += [f"expected: {reason}"] if reason else []
        return f"  {self.name:<32}{verdict:<8}" + f"\n{'':<42}".join(remarks)


def main() -> int:
    """Install, serve, run, report."""
    try:
        node = prepare()
    except Unavailable as error:
        print(f"Cannot run the conformance suite: {error}")
        return UNAVAILABLE
    try:
        with serving_http() as url:
            statuses = [_run_and_report(run, node, url) for run in RUNS]
    except ServerFailed as error:
        print(error)
        return 1
    return max(statuses)


def _run_and_report(run: Run, node: Path, url: str) -> int:
    suite = [str(node), str(script(run.package, "conformance")), "server", "--url", url]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [*suite, *run.arguments, "--output-dir", folder],
                capture_output=True,
                text=True,
                timeout=_SUITE_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            print(f"FAILED {run.title}: not done within {_SUITE_TIMEOUT_S} s")
            return 1
        found = list(_read(run.package, Path(folder)))
    offered = [it for it in found if not it.name.startswith(NOT_OFFERED)]
    not_scored = _NOT_SCORED.search(done.stdout)
    required = len(found) - (int(not_scored[1]) if not_scored else 0)
    return _report(run, offered, len(found), required)


def _read(package: str, folder: Path) -> Iterator[Outcome]:
    for place in sorted(folder.glob("*/checks.json")):
        named = _RESULT_FOLDER.fullmatch(place.parent.name)
        checks = json.loads(place.read_text(encoding="utf-8"))
        if named is not None:
            statuses = [check["status"] for check in checks]
            failures = _messages(checks, "FAILURE")
            warnings = _messages(checks, "WARNING")
            successes = statuses.count("SUCCESS")
            yield Outcome(package, named["name"], successes, failures, warnings)


def _messages(checks: list[dict[str, str]], status: str) -> tuple[str, ...]:
    return tuple(
        check.get("errorMessage") or check["description"]
        for check in checks
        if check["status"] == status
    )


def _report(run: Run, outcomes: list[Outcome], count: int, required: int) -> int:
    print(f"{RELEASED} {installed_version(run.package)}, {run.title}:")
    for outcome in outcomes:
        print(outcome.line())
    passed = sum(outcome.is_passed for outcome in outcomes)
    checks = sum(outcome.successes for outcome in outcomes)
    failed_checks = sum(len(outcome.failures) for outcome in outcomes)
    warnings = sum(len(outcome.warnings) for outcome in outcomes)
    unproven = sum(outcome.is_passed and not outcome.successes for outcome in outcomes)
    print(
        f"{passed} of {len(outcomes)} scenarios passed, {unproven} of them without a check; "
        f"{checks} checks succeeded, {failed_checks} failed, {warnings} warnings; "
        f"{required} scenarios are required, {count - len(outcomes)} are of the extension tasks, "
        "which is not offered"
    )
    surprises = [f"{outcome.name}: {why}" for outcome in outcomes if (why := outcome.surprise())]
    if count != run.scenarios:
        surprises.append(f"{run.title} has {count} scenarios; expected {run.scenarios}")
    for surprise in surprises:
        print(f"FAILED {surprise}")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
