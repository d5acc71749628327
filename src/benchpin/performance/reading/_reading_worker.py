"""Read artefacts that are decoded whole, in a process of its own.

To decode 64 MB takes seconds, in which native code does not let go of the interpreter and sees no
time limit. `python -m benchpin.performance.reading._reading_worker` reads pairs of messages from
stdin, a `ReadRequest` and the file, and answers each pair.
"""

import io
import math
import sys
from typing import BinaryIO

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.performance.calls import Budget
from benchpin.performance.digests import read_digests, table_of
from benchpin.performance.formats import read_format
from benchpin.performance.plans import Plans, read_plans
from benchpin.performance.timings import read_timings
from benchpin.performance.values import ArtifactType, Profile, SlowLog, Timings
from benchpin.system.processes import READY, limit_memory, read_message, set_alarm, write_message

MEMORY_BYTES = 2 << 30
# No format that is decoded whole may be larger; one more byte, so that its reader says so.
MAX_BYTES = (64 << 20) + 1
_ENDING_S = 10
DecodedArtifact = Profile | SlowLog | Timings | Plans


class ReadRequest(msgspec.Struct, frozen=True):
    """What a file is, and how it is read."""

    type: ArtifactType
    version: str
    budget: Budget
    statement: str | None = None
    """Of a plan, where the caller knows it."""
    time_limit_s: float | None = None


class ReadAnswer(msgspec.Struct, frozen=True):
    """What was read, or the error that the parent process raises."""

    content: msgspec.Raw = msgspec.Raw(b"null")
    missing: list[str] = []
    problem: str = ""
    suggestion: str = ""


def kind_of(request: ReadRequest) -> type[DecodedArtifact]:
    """Return the type of what is read."""
    if request.type == "profile":
        return Profile
    if request.type == "query_plan":
        return Plans
    return SlowLog if table_of(request.type) else Timings


def read_whole(request: ReadRequest, file: BinaryIO, job: Job) -> DecodedArtifact:
    """Read a file in this process."""
    if request.type == "profile":
        return read_format(request.version, file, request.budget, job)
    if request.type == "query_plan":
        return read_plans(request.version, file, request.statement, job)
    if table := table_of(request.type):
        return read_digests(table, file, job)
    return read_timings(file, job)


def answer_to(request: ReadRequest, content: bytes) -> ReadAnswer:
    """Read a file; errors are part of the answer."""
    job = Job(time_limit_s=request.time_limit_s)
    try:
        found = read_whole(request, io.BytesIO(content), job)
        return ReadAnswer(msgspec.Raw(msgspec.json.encode(found)), job.missing)
    except BenchpinError as error:
        return ReadAnswer(problem=error.message, suggestion=error.suggestion)
    except MemoryError:
        return ReadAnswer(
            problem=f"to read the file takes more than {MEMORY_BYTES >> 30} GiB of memory",
            suggestion="Record a shorter time; the file has too many values.",
        )


def main() -> None:
    """Answer requests until the pipe ends."""
    limit_memory(MEMORY_BYTES)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    decode = msgspec.json.Decoder(ReadRequest).decode
    write_message(answers, READY)
    while message := read_message(requests):
        request, content = decode(message), read_message(requests)
        limit_s = request.time_limit_s
        set_alarm(0 if limit_s is None else math.ceil(limit_s) + _ENDING_S)
        write_message(answers, msgspec.json.encode(answer_to(request, content)))
        del content
        set_alarm(0)


if __name__ == "__main__":
    main()
