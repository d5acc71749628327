"""Read artefacts that are decoded whole, in a process of its own.

To decode 64 MB takes seconds, in which native code does not let go of the interpreter and sees no
time limit. `python -m benchpin.performance.reading._reading_worker` reads pairs of messages from
stdin, a `ReadRequest` and the file, and answers each pair.
"""

import io
import math
import sys

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.performance.formats import read_artifact
from benchpin.system.processes import read_message, reply, requests, set_alarm

from ._source import ReadRequest

MEMORY_BYTES = 2 << 30
_ENDING_S = 10


class ReadAnswer(msgspec.Struct, frozen=True):
    """What was read, or the error that the parent process raises."""

    content: msgspec.Raw = msgspec.Raw(b"null")
    problem: str = ""
    suggestion: str = ""


def answer_to(request: ReadRequest, content: bytes) -> ReadAnswer:
    """Read a file; errors are part of the answer."""
    job = Job(time_limit_s=request.time_limit_s)
    try:
        found = read_artifact(request, io.BytesIO(content), job)
        return ReadAnswer(msgspec.Raw(msgspec.json.encode(found)))
    except BenchpinError as error:
        return ReadAnswer(problem=error.message, suggestion=error.suggestion)
    except MemoryError:
        return ReadAnswer(
            problem=f"to read the file takes more than {MEMORY_BYTES >> 30} GiB of memory",
            suggestion="Record a shorter time; the file has too many values.",
        )


def main() -> None:
    decode = msgspec.json.Decoder(ReadRequest).decode
    for message in requests(memory_bytes=MEMORY_BYTES):
        request, content = decode(message), read_message(sys.stdin.buffer)
        limit_s = request.time_limit_s
        set_alarm(0 if limit_s is None else math.ceil(limit_s) + _ENDING_S)
        reply(msgspec.json.encode(answer_to(request, content)))
        del content


if __name__ == "__main__":
    main()
