"""Measure both states of a change, and say what moved: the result of `measure_change`."""

import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Literal

import msgspec
from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import BenchpinError, Cancelled
from benchpin.core.results import Item, Result
from benchpin.core.text import counted, plain
from benchpin.performance.comparing import MetricChange, compare, largest_moves
from benchpin.performance.measuring import (
    MEASURED_BYTES,
    Difference,
    Measure,
    MeasuredTurns,
    Sameness,
    TurnTaking,
    measured_difference,
    memory_difference,
    mostly_waits,
    output_sameness,
    readable_amount,
)
from benchpin.performance.reading import IngestedArtifacts
from benchpin.performance.recording import (
    KEPT_BYTES,
    Clock,
    Recording,
    RecordingFailed,
    read_recorded,
)
from benchpin.performance.values import Profile, Reading
from benchpin.project.proof import BothStates
from benchpin.run.sandbox import Execution, ExecutionReport, execute

from ._artifacts import budget_of
from ._interpreters import program_folders
from ._params import store_of
from .ingest_artifacts import stored

_VERDICTS = {
    "slower": "SLOWER",
    "faster": "FASTER",
    "no_difference": "NO DIFFERENCE",
    "unclear": "UNCLEAR",
}
_MEASURES = {"cpu": "processor time", "wall": "elapsed time", "instructions": "instructions"}
_OUTPUTS = {
    "same": "same output",
    "different": "THE OUTPUT DIFFERS",
    "not_deterministic": "the output differs from run to run, so it was not compared",
}
# Both sides are profiled in turns, too: six runs of each, two at a time.
_PROFILED_RUNS, _PROFILED_TURNS = 2, 3
_MAX_FUNCTIONS, _MAX_LIKELY = 5, 3
_MAX_COMMAND_CHARS = 300


_Side = Literal["before", "after"]


class ChangedFunctions(Item):
    """What moved in the profile between both states."""

    before: str
    """The snapshot of the profiles; compare_snapshots with format=html draws what changed."""
    after: str
    slower: list[MetricChange]
    faster: list[MetricChange]
    likely: list[MetricChange]
    """Where no function changed beyond the noise of the profiles: the largest differences."""
    reason: Annotated[str, Field(exclude_if=lambda it: not it)] = ""
    """Why there is no profile."""

    def lines(self) -> Iterator[str]:
        """Yield what moved, as text."""
        if self.reason:
            yield f"Not profiled: {self.reason}"
            return
        if self.likely:
            yield "No function changed beyond the noise of the profiles; the largest differences:"
        yield from map(_moved_line, [*self.slower, *self.faster, *self.likely])
        yield f"Profiles: {self.before[:8]} before, {self.after[:8]} after"


def _moved_line(moved: MetricChange) -> str:
    place = f", {moved.file}:{moved.line or 1}" if moved.file else ""
    origin = moved.origin or moved.title
    began = "" if origin == moved.title else f"; began in {plain(origin)}"
    before, after = moved.shown(moved.before), moved.shown(moved.after)
    return f"  {plain(moved.title)}{place}: {moved.metric_name} {before} to {after}{began}"


class MeasuredChange(Result):
    """Whether a change makes a command slower or faster."""

    compared: str
    """The change."""
    command: str
    measure: Measure
    counter: Annotated[str, Field(exclude_if=lambda it: not it)] = ""
    """What counted the instructions: perf or valgrind."""
    time: Difference
    """In microseconds or instructions; the interval is at least 99.6 % sure."""
    memory: Difference
    """The peak of the largest process, in bytes."""
    pairs: int
    """Runs of each side that were compared."""
    output: Sameness
    """Of stdout, apart from times and addresses."""
    differing_lines: list[str]
    """The first line that differs, before and after."""
    failure: Annotated[str, Field(exclude_if=lambda it: not it)] = ""
    """How a run failed after others had succeeded."""
    left_running: int
    """Processes that the command left behind, which were ended."""
    waits: bool
    """Whether most of the elapsed time is no processor time."""
    functions: Annotated[ChangedFunctions | None, Field(exclude_if=lambda it: it is None)] = None
    """What moved in the profile."""
    sandbox: str

    def to_text(self) -> str:
        """Return the verdict first, then what it rests on."""
        return "\n".join([self._verdict(), *self._evidence(), *self._beside()])

    def _verdict(self) -> str:
        time = self.time
        verdict = _VERDICTS[time.verdict]
        if time.verdict in {"slower", "faster"}:
            verdict += f" by {abs(time.change):.1%}"
        status = "failed" if time.verdict == "slower" else "passed"
        counter = f" by {self.counter}" if self.counter else ""
        return (
            f"{self.text_style.severity(status, verdict)}: {plain(self.command)} takes "
            f"{readable_amount(time.before, self.measure)} before and "
            f"{readable_amount(time.after, self.measure)} after "
            f"({_MEASURES[self.measure]}{counter}; {self.compared})"
        )

    def _evidence(self) -> Iterator[str]:
        time, pairs = self.time, counted(self.pairs, "pair")
        if time.low is not None and time.high is not None:
            yield f"Change: {time.low:+.1%} to {time.high:+.1%}, from {pairs} of runs in turns"
        else:
            yield f"Only {pairs} of runs, too few for an interval: raise budget"
        if time.verdict == "unclear" and time.low is not None:
            yield "Too much noise to say more: raise budget, or use measure=instructions."

    def _beside(self) -> Iterator[str]:
        memory, amount = self.memory, readable_amount(self.memory.after, "bytes")
        if memory.verdict in {"slower", "faster"}:
            how = "more" if memory.verdict == "slower" else "less"
            was = readable_amount(memory.before, "bytes")
            yield f"Memory: {abs(memory.change):.0%} {how}, {was} to {amount}"
        else:
            yield f"Memory: no difference ({amount})"
        yield f"Output: {_OUTPUTS[self.output]}"
        for side, line in zip(("before", "after"), self.differing_lines, strict=False):
            yield f"  {side}: {plain(line)}"
        if self.failure:
            yield f"NOT RELIABLE: {plain(self.failure)}"
        if self.left_running:
            left = counted(self.left_running, "process", "processes")
            yield f"It left {left} running, which were ended."
        if self.waits and self.measure == "cpu":
            yield "Most of its time is waiting, which processor time leaves out: try measure=wall."
        if self.functions is not None:
            yield from self.functions.lines()


class Measuring:
    """A command that is measured on both states of a change."""

    def __init__(
        self, states: BothStates, folder: PurePosixPath, argv: Sequence[str], measure: Measure
    ) -> None:
        self._states, self._folder, self._argv = states, folder, argv
        self._measure: Measure = measure
        with states.turn("after"):
            self._path = program_folders(states.project(folder))

    def run(
        self, prepare: Sequence[str], min_share: float, limit_s: float
    ) -> tuple[MeasuredTurns, ExecutionReport]:
        """Run the command in turns, in one sandbox."""
        turns = TurnTaking.of(
            self._argv,
            prepare=prepare,
            folder=str(self._folder),
            environment=self._states.environment,
            path=self._path,
            measure=self._measure,
            min_share=min_share,
            limit_s=limit_s,
        )
        report = self._execute(turns.script, str(self._states.root), MEASURED_BYTES, limit_s)
        return turns.outcome(report.stdout, report.stderr, is_stopped=report.timed_out), report

    def result(
        self, measured: MeasuredTurns, report: ExecutionReport, compared: str, min_share: float
    ) -> MeasuredChange:
        """Return what the runs say."""
        runs = [*measured.runs.before, *measured.runs.after]
        time = measured_difference(measured, self._measure, min_share)
        return MeasuredChange(
            compared=compared,
            command=shlex.join(self._argv)[:_MAX_COMMAND_CHARS],
            measure=self._measure,
            counter=measured.counter,
            time=time,
            memory=memory_difference(measured),
            pairs=len(measured.runs.after),
            output=output_sameness(measured),
            differing_lines=measured.difference,
            failure=measured.problem.text,
            left_running=max((it.left for it in runs), default=0),
            waits=mostly_waits(measured),
            sandbox=report.sandbox,
        )

    def functions(self, limit_s: float, bench: Bench) -> ChangedFunctions:
        """Profile both sides, store the profiles, and return what moved."""
        found: dict[_Side, list[IngestedArtifacts]] = {"before": [], "after": []}
        deadline = time.monotonic() + limit_s
        try:
            for _ in range(_PROFILED_TURNS):
                for side, recorded in found.items():
                    recorded.append(self._recorded(side, deadline - time.monotonic(), bench))
        except Cancelled:
            raise
        except BenchpinError as error:
            if not found["after"]:
                return ChangedFunctions(
                    before="", after="", slower=[], faster=[], likely=[], reason=str(error)
                )
        store = store_of(bench)
        one, other = (
            store.load(stored(_joined(it), {}, [], bench).normalized_snapshot_id)
            for it in found.values()
        )
        changes = compare(one, other)
        is_clear = changes.regressions or changes.improvements
        return ChangedFunctions(
            before=one.id,
            after=other.id,
            slower=changes.regressions[:_MAX_FUNCTIONS],
            faster=changes.improvements[:_MAX_FUNCTIONS],
            likely=[] if is_clear else largest_moves(one, other)[:_MAX_LIKELY],
        )

    def _recorded(self, side: _Side, limit_s: float, bench: Bench) -> IngestedArtifacts:
        """Return some profiles of one side; processor time where its profiler has that."""
        clocks: tuple[Clock, ...] = ("cpu", "wall")
        with self._states.turn(side) as place:
            for clock in clocks:
                try:
                    found = self._record_by(clock, place / self._folder, limit_s, bench)
                    break
                except RecordingFailed:
                    if clock == clocks[-1]:
                        raise
            prefix = f"{place}/"
        readings = tuple(_within(it, prefix) for it in found.readings)
        return IngestedArtifacts(readings, found.origins)

    def _record_by(
        self, clock: Clock, folder: object, limit_s: float, bench: Bench
    ) -> IngestedArtifacts:
        recording = Recording.of(
            self._argv,
            self._path,
            _PROFILED_RUNS,
            None,
            clock,
            limit_s,
            environment=self._states.environment,
        )
        report = self._execute(recording.script, str(folder), KEPT_BYTES, limit_s)
        outcome = recording.outcome(report.stdout, report.stderr, is_stopped=report.timed_out)
        command = outcome.command(self._argv)
        return read_recorded(outcome, command, clock, budget_of(bench), bench.job)

    def _execute(self, script: str, folder: str, kept: int, limit_s: float) -> ExecutionReport:
        program = Execution((sys.executable, "-I", "-S"), folder, script=script, kept_bytes=kept)
        return execute(program, limit_s, self._states.bench)


def _within(reading: Reading, prefix: str) -> Reading:
    """Return a profile with files relative to the project: the copy is gone afterwards."""
    profile = reading.content
    if not isinstance(profile, Profile):
        return reading
    functions = tuple(
        msgspec.structs.replace(it, file=it.file.removeprefix(prefix)) if it.file else it
        for it in profile.functions
    )
    content = msgspec.structs.replace(profile, functions=functions)
    return msgspec.structs.replace(reading, content=content)


def _joined(parts: Sequence[IngestedArtifacts]) -> IngestedArtifacts:
    """Return several recordings as one."""
    return IngestedArtifacts(
        tuple(reading for it in parts for reading in it.readings),
        tuple(origin for it in parts for origin in it.origins),
    )
