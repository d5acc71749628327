"""Run the official MCP conformance suite against the fixture server, over Streamable HTTP."""

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fixture_server import ServerFailed, serving_http
from npm_packages import UNAVAILABLE, Unavailable, installed_version, prepare, script

PACKAGE = "@modelcontextprotocol/conformance"
SCENARIOS = 32
EXPECTED_FAILURES: dict[str, str] = {}
"""Scenarios that cannot pass, with the reason; one that passes after all fails the run."""
UNPROVEN: dict[str, str] = {
    "server-sse-polling": (
        "the suite sends the header of 2025-03-26, whose clients cannot resume a stream, so there "
        "is none to let go; `make interop` proves it with clients of 2025-11-25"
    ),
}
"""Scenarios that pass because the suite checked nothing; any other one of that kind fails."""

_SUITE_TIMEOUT_S = 90
_LIST_TIMEOUT_S = 20
_RESULT_FOLDER = re.compile(r"server-(?P<name>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the suite found in one scenario."""

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
        if self.name in UNPROVEN:
            return "is proven now: take it out of UNPROVEN" if self.successes else None
        return None if self.successes else "the suite checked nothing"

    def line(self) -> str:
        """Return the row of the table."""
        verdict = "passed" if self.is_passed else "failed"
        remarks = [f"{self.successes} checks" if self.successes != 1 else "1 check"]
        remarks += self.failures
        remarks += [f"warning: {warning}" for warning in self.warnings]
        reason = EXPECTED_FAILURES.get(self.name) or UNPROVEN.get(self.name)
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
        with serving_http() as url, tempfile.TemporaryDirectory() as folder:
            outcomes = _run_suite(node, url, Path(folder))
    except ServerFailed as error:
        print(error)
        return 1
    return _report(outcomes)


def _run_suite(node: Path, url: str, folder: Path) -> list[Outcome]:
    suite = [str(node), str(script(PACKAGE, "conformance"))]
    listing = subprocess.run(
        [*suite, "list", "--server"],
        capture_output=True,
        text=True,
        timeout=_LIST_TIMEOUT_S,
        check=True,
    )
    names = re.findall(r"^ +- (\S+)", listing.stdout, re.MULTILINE)
    try:
        done = subprocess.run(
            [*suite, "server", "--url", url, "--suite", "all", "--output-dir", str(folder)],
            capture_output=True,
            text=True,
            timeout=_SUITE_TIMEOUT_S,
            check=False,
        )
        why_missing = f"did not run: {done.stderr.strip()[-200:] or 'no reason given'}"
    except subprocess.TimeoutExpired:
        why_missing = f"was not reached within {_SUITE_TIMEOUT_S} s"
    found = {outcome.name: outcome for outcome in _read(folder)}
    return [found.get(name) or Outcome(name, 0, (why_missing,), ()) for name in names]


def _read(folder: Path) -> list[Outcome]:
    outcomes = []
    for place in sorted(folder.glob("*/checks.json")):
        named = _RESULT_FOLDER.fullmatch(place.parent.name)
        checks = json.loads(place.read_text(encoding="utf-8"))
        if named is not None:
            statuses = [check["status"] for check in checks]
            failures = _messages(checks, "FAILURE")
            warnings = _messages(checks, "WARNING")
            outcomes.append(Outcome(named["name"], statuses.count("SUCCESS"), failures, warnings))
    return outcomes


def _messages(checks: list[dict[str, str]], status: str) -> tuple[str, ...]:
    return tuple(
        check.get("errorMessage") or check["description"]
        for check in checks
        if check["status"] == status
    )


def _report(outcomes: list[Outcome]) -> int:
    print(f"{PACKAGE} {installed_version(PACKAGE)}, server scenarios:")
    for outcome in outcomes:
        print(outcome.line())
    passed = sum(outcome.is_passed for outcome in outcomes)
    checks = sum(outcome.successes for outcome in outcomes)
    failed_checks = sum(len(outcome.failures) for outcome in outcomes)
    warnings = sum(len(outcome.warnings) for outcome in outcomes)
    unproven = sum(outcome.is_passed and not outcome.successes for outcome in outcomes)
    print(
        f"{passed} of {len(outcomes)} scenarios passed, {unproven} of them without a check; "
        f"{checks} checks succeeded, {failed_checks} failed, {warnings} warnings"
    )
    surprises = [f"{outcome.name}: {why}" for outcome in outcomes if (why := outcome.surprise())]
    if len(outcomes) != SCENARIOS:
        surprises.append(f"the suite has {len(outcomes)} scenarios; expected {SCENARIOS}")
    for surprise in surprises:
        print(f"FAILED {surprise}")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
