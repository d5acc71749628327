"""Measure a command before and after a change, in turns, until the difference is clear."""

import shlex
from typing import Annotated

from pydantic import Field

from benchpin.code.changes import UNCOMMITTED, find_deltas
from benchpin.core.calls import Bench, Job
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import AlsoNamed, Effect, Mark, PathArgument, Rare, tool
from benchpin.facts import FileSelection
from benchpin.performance.measuring import Measure
from benchpin.project.proof import both_states, require_settled
from benchpin.run.sandbox import require_passable

from ._measured import MeasuredChange, Measuring
from ._params import PerformanceParams

# Seconds that are kept to profile both sides: at most, and as a share of the budget.
_PROFILING_S, _PROFILING_SHARE = 120.0, 0.3
# To remove the copies and answer.
_LAST_S = 1.0


class MeasureParams(PerformanceParams):
    """What to run, on which change, and for how long."""

    argv: Annotated[
        tuple[str, ...],
        Field(min_length=1, max_length=1000),
        AlsoNamed(("command",)),
        Mark.COMMAND,
    ]
    """The command; such as ["python", "bench.py"]. It has to succeed on both sides."""
    diff: Annotated[str, Field(min_length=1, max_length=500), AlsoNamed(("revision",))] = (
        UNCOMMITTED
    )
    """uncommitted, staged, a revision or A..B; a revision is compared with the files on disk."""
    measure: Rare[Measure] = "cpu"
    """Processor time; wall for programs that wait; instructions counts them (perf or valgrind)."""
    prepare: Rare[Annotated[str, Field(max_length=10_000)]] = ""
    """A command to run once on each side first, such as cargo build --release."""
    working_directory: Rare[PathArgument[str]] = "."
    """Folder to run it in."""
    budget: Rare[Annotated[int, Field(ge=5, le=7_200)]] = 120
    """Seconds for all runs; it ends earlier when the difference is clear."""
    min_percent: Rare[Annotated[float, Field(ge=0.1, le=100)]] = 2.0
    """Smaller changes are never claimed, and not looked for."""
    profile: Rare[bool] = True
    """If it is slower or faster, also profile both sides and name the functions."""


@tool(
    title="Measure a change",
    effect=Effect.EXECUTE,
    needs_sandbox=True,
    also=(
        "is it faster now, did my change make it slower, benchmark before and after, A/B "
        "measurement, prove a speedup, performance loop, hyperfine, compare two revisions"
    ),
)
def measure_change(params: MeasureParams, bench: Bench) -> MeasuredChange:
    """Say whether a change makes a command slower or faster.

    Runs it before and after in turns, in copies in the sandbox, until the difference is clear.
    Compares output and memory too, and names the functions that moved.
    """
    require_passable(params.argv, "argv")
    prepare = _split(params.prepare)
    folder = bench.workspace.relative(bench.existing_folder(params.working_directory))
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    require_settled(selection, params.diff)
    deltas = find_deltas(selection, params.diff)
    if not deltas.files:
        raise InvalidParams(
            f"Nothing differs: {deltas.title}",
            suggestion="Change something, or name a revision: diff=HEAD~1, or diff=A..B.",
        )
    left_s = bench.job.time_left_s()
    limit_s = params.budget if left_s is None else min(params.budget, left_s - _LAST_S)
    job, min_share = Job(time_limit_s=limit_s), params.min_percent / 100
    with both_states(selection, deltas, bench, bench.job) as states:
        measuring = Measuring(states, folder, params.argv, params.measure)
        kept_s = min(_PROFILING_S, _PROFILING_SHARE * limit_s) if params.profile else 0
        measured, report = measuring.run(prepare, min_share, limit_s - kept_s)
        found = measuring.result(measured, report, deltas.title, min_share)
        if params.profile and found.time.verdict in {"slower", "faster"}:
            functions = measuring.functions(job.time_left_s() or 0, bench)
            return found.model_copy(update={"functions": functions})
    return found


def _split(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidParams(
            f"prepare cannot be read as a command: {error}", suggestion="Close its quotes."
        ) from error
    require_passable(words, "prepare")
    return words
