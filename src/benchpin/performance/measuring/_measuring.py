"""One measurement: the script that takes it inside a sandbox, and what its runs say."""

import json
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Annotated, ClassVar, Literal

import msgspec

from benchpin.core.errors import BenchpinError, DependencyMissing, TimeLimitExceeded
from benchpin.performance.values import PublishedValue

from . import _deciding as deciding
from . import _measurer as measurer
from . import _one_run as one_run

Measure = Literal["cpu", "wall", "instructions"]
Side = Literal["before", "after", ""]
Verdict = Literal["slower", "faster", "no_difference", "unclear"]
MEASURED_BYTES = 8 << 20
# The time to end what runs and to answer.
_GRACE_S = 3.0
# Memory differs from run to run by the order of hashes, so less than this is never claimed.
_MIN_MEMORY_SHARE = 0.05
_MAX_SAID = 1_500
# Below this share of the elapsed time, a program mostly waits for something else.
_MOSTLY_WAITS = 0.5
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 60)]


class MeasuringFailed(BenchpinError):
    """The command cannot be measured on both sides."""

    kind: ClassVar[str] = "measuring_failed"


class _Run(msgspec.Struct, frozen=True):
    """What one run took."""

    cpu_us: _Count
    wall_us: _Count
    queued_us: _Count
    peak_bytes: _Count
    instructions: _Count
    exit_code: int
    digest: str
    left: _Count

    def value(self, measure: Measure) -> float:
        of = {"cpu": self.cpu_us, "wall": self.wall_us, "instructions": self.instructions}
        return float(of[measure])


class _Runs(msgspec.Struct, frozen=True):
    before: list[_Run]
    after: list[_Run]


class _Problem(msgspec.Struct, frozen=True):
    kind: str = ""
    side: Side = ""
    text: str = ""


class MeasuredTurns(msgspec.Struct, frozen=True):
    """What the script writes last."""

    runs: _Runs
    counter: str = ""
    """What counted the instructions."""
    difference: list[str] = []
    """The first line of the outputs that differs, before and after."""
    problem: _Problem = _Problem()


class Difference(PublishedValue, frozen=True):
    """How the state after a change differs from the one before."""

    verdict: Verdict
    before: float
    """The median of the runs: microseconds, bytes or instructions."""
    after: float
    change: float
    """0.05 is 5 % more."""
    low: float | None
    """With `high` the interval of the change; null where there are too few runs for one."""
    high: float | None


@dataclass(frozen=True, slots=True)
class TurnTaking:
    """A command to run on two states in turns."""

    script: str
    mark: str

    @classmethod
    def of(
        cls,
        argv: Sequence[str],
        *,
        prepare: Sequence[str],
        folder: str,
        environment: Mapping[str, str],
        path: Sequence[str],
        measure: Measure,
        min_share: float,
        limit_s: float,
    ) -> "TurnTaking":
        """Prepare a measurement that ends within this many seconds."""
        # The output of the program cannot contain it by accident.
        mark = f"benchpin-{secrets.token_hex(16)}:"
        plan: measurer.MeasuringPlan = {
            "argv": list(argv),
            "prepare": list(prepare),
            "folder": folder,
            "environment": dict(environment),
            "path": list(path),
            "measure": measure,
            "min_share": min_share,
            # The clock is the same inside: what the sandbox takes to start is included.
            "deadline": time.monotonic() + limit_s - min(_GRACE_S, limit_s / 4),
            "mark": mark,
        }
        return cls(f"{_source()}\nmain({json.dumps(plan)!r})\n", mark)

    def outcome(self, stdout: str, stderr: str, *, is_stopped: bool) -> MeasuredTurns:
        """Return what was measured.

        Raises:
            DependencyMissing: when instructions cannot be counted here.
            MeasuringFailed: when the command cannot be measured, saying on which side and why.
            TimeLimitExceeded: when there was no time for a run of each side.
        """
        _, found, line = stdout.rpartition(self.mark)
        try:
            measured = msgspec.json.decode(line.strip(), type=MeasuredTurns) if found else None
        except (ValueError, RecursionError):  # msgspec's errors are ValueErrors, too
            measured = None
        if measured is None:
            if is_stopped:
                raise _too_long("the first runs")
            raise MeasuringFailed(
                f"Measuring ended early: {stderr[-500:].strip() or 'its runs were ended'}",
                suggestion="Run the command alone first, with execute_command.",
            )
        # A run that fails after many good ones does not undo them: the report says so.
        if measured.problem.kind and not (measured.problem.kind == "flaky" and measured.runs.after):
            raise _refusal(measured.problem)
        return measured


def _too_long(what: str) -> TimeLimitExceeded:
    return TimeLimitExceeded(
        f"The time was up before {what} ended",
        suggestion="Give more time with budget, or measure a command that takes less: one test.",
    )


def _refusal(problem: _Problem) -> BenchpinError:
    """Return the error for a command that cannot be measured."""
    side, said = problem.side, problem.text[:_MAX_SAID]
    where = {"before": " before the change", "after": " after the change"}.get(side, "")
    if problem.kind == "too_long":
        return _too_long(f"the first run{where}")
    if problem.kind == "no_counter":
        return DependencyMissing(
            "Instructions cannot be counted: this machine has no counters, and no valgrind",
            suggestion="Install valgrind (`apt install valgrind`), or measure processor time.",
        )
    texts = {
        "not_found": (f"{said} was not found", "Install it, or give its path."),
        "not_prepared": (f"prepare fails{where}: {said}", "Correct the command that prepares."),
        "failed": (
            f"The command fails{where}: {said}",
            "Only runs that succeed are compared. Give one that works on both sides"
            + (", or correct the change." if side == "after" else "."),
        ),
        "flaky": (
            f"The command failed{where} after it had succeeded: {said}",
            "It is not deterministic; make it so, and measure again.",
        ),
        "hung": (
            f"The command hangs{where}: a run was ended after {said}, far longer than the others",
            "Correct it, or give a command that ends.",
        ),
        "flood": (
            f"The command writes over {said}{where}, and was ended",
            "Send its output to /dev/null, or measure a part that writes less.",
        ),
        "not_started": (f"A program could not be started: {said}", "Name another program."),
    }
    text, suggestion = texts.get(problem.kind, (said, "Run the command alone first."))
    return MeasuringFailed(text, suggestion=suggestion, data={"side": side, "why": problem.kind})


@cache
def _source() -> str:
    texts = (
        Path(str(it.__file__)).read_text(encoding="utf-8") for it in (deciding, one_run, measurer)
    )
    # One file: what the last imports from the others is there.
    return re.sub(r"^from \._\w+ import .*$", "", "\n".join(texts), flags=re.MULTILINE)


def measured_difference(measured: MeasuredTurns, measure: Measure, min_share: float) -> Difference:
    """Return how what was measured differs."""
    first, second = (
        [it.value(measure) for it in side] for side in (measured.runs.before, measured.runs.after)
    )
    return _difference(first, second, min_share, is_exact=measure == "instructions")


def mostly_waits(measured: MeasuredTurns) -> bool:
    """Whether most of the elapsed time is neither used nor waited for a processor."""
    runs = [*measured.runs.before, *measured.runs.after]
    busy = sum(it.cpu_us + it.queued_us for it in runs)
    return busy < _MOSTLY_WAITS * sum(it.wall_us for it in runs)


def memory_difference(measured: MeasuredTurns) -> Difference:
    """Return how the peaks of memory differ, each of the largest process of a run."""
    first, second = (
        [float(it.peak_bytes) for it in side]
        for side in (measured.runs.before, measured.runs.after)
    )
    return _difference(first, second, _MIN_MEMORY_SHARE)


def _difference(
    first: list[float], second: list[float], min_share: float, *, is_exact: bool = False
) -> Difference:
    if not first:
        return Difference("unclear", 0, 0, 0, None, None)
    found = deciding.decide(first, second, min_share, is_exact=is_exact)
    verdicts: Mapping[str, Verdict] = {
        it: it for it in ("slower", "faster", "no_difference", "unclear")
    }
    return Difference(
        verdict=verdicts[found.verdict],
        before=median(first),
        after=median(second),
        change=round(found.estimate, 4),
        low=None if found.low is None else round(found.low, 4),
        high=None if found.high is None else round(found.high, 4),
    )


def readable_amount(value: float, measure: Measure | Literal["bytes"]) -> str:
    """Return a value with its unit."""
    if measure == "bytes":
        return f"{value / (1 << 20):,.1f} MiB"
    return f"{value:,.0f}" if measure == "instructions" else f"{value / 1000:,.1f} ms"


Sameness = Literal["same", "different", "not_deterministic"]


def output_sameness(measured: MeasuredTurns) -> Sameness:
    """Say whether both sides wrote the same, apart from times, addresses and temporary folders.

    A program that writes something else in each run of one side is not deterministic.
    """
    before, after = (
        [it.digest for it in side] for side in (measured.runs.before, measured.runs.after)
    )
    # Both runs of a pair have the same order of hashes.
    if before == after and not (measured.difference and not before):
        return "same"
    is_steady = len(set(before)) <= 1 and len(set(after)) <= 1
    return "different" if is_steady else "not_deterministic"
