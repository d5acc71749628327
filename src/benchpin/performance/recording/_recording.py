"""One recording: the script that makes it inside a sandbox, and what comes out of it."""

import base64
import json
import re
import secrets
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, FileMissing, TimeLimitExceeded
from benchpin.performance.reading import Artifact, Budget, IngestedArtifacts, ingest, redact_command
from benchpin.performance.values import Profile, ProfiledRequest, Reading
from benchpin.workspace.files import OpenFile

from . import _programs as programs
from . import _recorder as recorder
from . import _started as started

ProfilerName = Literal[
    "cprofile", "py-spy", "spx", "excimer", "xdebug", "cpu-prof", "go-test", "jfr", "callgrind"
]
Clock = Literal["wall", "cpu"]
MAX_RUNS = 100
# The limit of the output; half of it, its end, has room for the profiles.
KEPT_BYTES = 64 << 20
# Packed; in base64 a third more.
_MAX_PROFILE_BYTES = 20 << 20
# The time to pack the profiles.
_GRACE_S = 5.0

# The script ends with these, but the profiled program can end it and write any of them itself.
_Word = Annotated[str, msgspec.Meta(max_length=4096)]
_Tail = Annotated[str, msgspec.Meta(max_length=recorder.TAIL_BYTES)]
_Packed = Annotated[str, msgspec.Meta(max_length=2 * _MAX_PROFILE_BYTES)]


class RecordingFailed(BenchpinError):
    """The program could not be profiled."""

    kind: ClassVar[str] = "recording_failed"


class RecordedRun(msgspec.Struct, frozen=True):
    """One run of the program."""

    exit_code: Annotated[int, msgspec.Meta(ge=0, le=1_000)]
    duration_ms: Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
    files: Annotated[list[tuple[_Word, _Packed]], msgspec.Meta(max_length=recorder.MAX_FILES)]
    """Names and packed contents, in base64."""
    stderr: _Tail
    """The end of it."""

    def contents(self) -> list[tuple[str, bytes]]:
        """Return the profiles that it wrote, packed by gzip."""
        return [(name, base64.b64decode(content)) for name, content in self.files]


class RecordingOutcome(msgspec.Struct, frozen=True):
    """What the script writes last; the program beside it can write anything in its place."""

    profiler: ProfilerName | Literal[""] = ""
    version: _Word = ""
    interpreter: _Word = ""
    """Its path."""
    looked_up: _Word = ""
    """The name that it was found by; empty where its path was given."""
    words: Annotated[int, msgspec.Meta(ge=0)] = 0
    """How many words of the command name the program; the others are its arguments."""
    runs: Annotated[list[RecordedRun], msgspec.Meta(max_length=MAX_RUNS)] = []
    is_timed_out: bool = False
    problem: _Word = ""
    """Why nothing was recorded, or less than asked for."""

    def command(self, argv: Sequence[str]) -> str:
        """Return a command as it is stored: arguments may be secret, a script's name is not."""
        arguments = redact_command(shlex.join(("-", *argv[self.words :]))).removeprefix("-")
        return shlex.join(argv[: self.words]) + arguments

    def lacks(self, wanted: int) -> Iterator[str]:
        """Say how many of the wanted runs are not there."""
        missing = wanted - len(self.runs)
        if missing > 0:
            yield f"{missing} of {wanted} runs: {self.problem or 'the time was up'}"


@dataclass(frozen=True, slots=True)
class Recording:
    """A command to run several times under a profiler: the given one, or the best installed one."""

    script: str
    mark: str

    @classmethod
    def of(
        cls,
        argv: Sequence[str],
        path: Sequence[str],
        runs: int,
        profiler: ProfilerName | None,
        clock: Clock,
        limit_s: float,
        *,
        environment: Mapping[str, str] | None = None,
        read_only_environment: Mapping[str, str] | None = None,
        globs: Sequence[str] = (),
    ) -> "Recording":
        """Prepare a recording that ends, with its profiles, within this many seconds.

        `path` are the folders to look for the interpreter in before those of the sandbox.
        """
        # The output of the program cannot contain it by accident.
        mark = f"benchpin-{secrets.token_hex(16)}:"
        plan = {
            "argv": list(argv),
            "path": list(path),
            "runs": runs,
            "profiler": profiler or "",
            "clock": clock,
            "environment": dict(environment or {}),
            "read_only_environment": dict(read_only_environment or {}),
            "globs": list(globs),
            # The clock is the same inside: what the sandbox takes to start is included.
            "deadline": time.monotonic() + limit_s - min(_GRACE_S, limit_s / 4),
            "max_bytes": _MAX_PROFILE_BYTES,
            "mark": mark,
        }
        return cls(f"{_source()}\nmain({json.dumps(plan)!r})\n", mark)

    def outcome(self, stdout: str, stderr: str, *, is_stopped: bool) -> RecordingOutcome:
        """Return what was recorded.

        Raises:
            RecordingFailed: when there is no profile, saying why.
            TimeLimitExceeded: when the first run did not end in time.
        """
        _, found, line = stdout.rpartition(self.mark)
        try:
            outcome = msgspec.json.decode(line.strip(), type=RecordingOutcome) if found else None
            sizes = [len(it) for run in (outcome.runs if outcome else []) for it in run.contents()]
        except (ValueError, RecursionError):  # msgspec's errors are ValueErrors, too
            outcome, sizes = None, []
        if not sizes and (is_stopped or (outcome and outcome.is_timed_out)):
            raise TimeLimitExceeded(
                "The time was up before the first run ended",
                suggestion="Give more time with timeout, or a program that takes less.",
            )
        if outcome is None or not (outcome.runs or outcome.problem):
            raise RecordingFailed(
                f"The recording ended early: {stderr[-500:].strip() or 'it wrote no profiles'}",
                suggestion="Run it without the profiler first, with execute_command.",
            )
        if not sizes:
            raise _without_profiles(outcome)
        return outcome


def _without_profiles(outcome: RecordingOutcome) -> RecordingFailed:
    if outcome.problem:
        reason, _, way_out = outcome.problem.partition(". ")
        return RecordingFailed(reason, suggestion=way_out or "Record fewer runs.")
    run = outcome.runs[0]
    return RecordingFailed(
        f"{outcome.profiler} wrote no profile, and the program ended with exit code "
        f"{run.exit_code}: {run.stderr[-500:].strip() or 'it wrote nothing to stderr'}",
        suggestion="Run it without the profiler first; one that ends itself by a signal or _exit "
        "leaves no profile.",
        data={"exit_code": run.exit_code},
    )


@cache
def _source() -> str:
    modules = (started, programs, recorder)
    texts = (Path(str(it.__file__)).read_text(encoding="utf-8") for it in modules)
    # One file: what the last imports from the others is there.
    return re.sub(r"^from \._\w+ import .*\n", "", "\n".join(texts), flags=re.MULTILINE)


def read_recorded(
    outcome: RecordingOutcome, command: str, clock: Clock, budget: Budget, job: Job
) -> IngestedArtifacts:
    """Read the profiles, and name them after the command."""
    files = {
        f"run-{number}/{name}": content
        for number, run in enumerate(outcome.runs, start=1)
        for name, content in run.contents()
    }

    @contextmanager
    def open_recorded(path: str) -> Iterator[OpenFile]:
        content = files.get(path)
        if content is None:
            raise FileMissing(f"No run wrote {path}", suggestion="Record it again.")
        yield OpenFile(BytesIO(content), len(content), 0)

    # They share the budget of one file: a program can write many that unpack a thousandfold.
    share = replace(budget, text_bytes=budget.text_bytes // len(files))
    found = ingest([Artifact(path=path) for path in files], open_recorded, share, job)
    readings = tuple(_named(it, command, clock) for it in found.readings)
    return IngestedArtifacts(readings, found.origins)


def _named(reading: Reading, command: str, clock: Clock) -> Reading:
    """Return a profile with what its file does not say: the command, and what was measured."""
    profile = reading.content
    if not isinstance(profile, Profile):
        return reading
    known = profile.request or ProfiledRequest(command)
    metrics = tuple("ct" if it == "wt" and clock == "cpu" else it for it in profile.metrics)
    named = msgspec.structs.replace(
        profile, request=msgspec.structs.replace(known, command=command), metrics=metrics
    )
    return msgspec.structs.replace(reading, content=named)
