"""Read a slow log, at once or in parallel parts, and list what could not be read."""

import itertools
import math
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import BinaryIO, Final

import msgspec

from benchpin.core.calls import Job
from benchpin.performance.values import ArtifactFault, SlowLog
from benchpin.system.processes import READY, HelperProcess

from ._digest import INHERITED, MAX_CLASSES, Digest, Part
from ._events import MAX_FAULTS
from ._lexing import query_id
from ._totals import NEVER, ClassTotals
from ._worker import CHUNK_BYTES, PartRequest, part_chunks

VERSION: Final = "mysql-slowlog-v1"
_MODULE = "benchpin.performance.slowlog._worker"
# Smaller parts take less time than starting a process.
_MIN_PART_BYTES = 8 << 20
# How far to look for an event from the ideal position of a cut.
_WINDOW_BYTES = 1 << 20
_CUT = re.compile(
    rb";\n(?=(?:# Time: [^\n]*\n)?# User@Host: [^\n]*\n"
    rb"(?:# (?:Thread_id|Schema): [^\n]*\n)?# Query_time: )"
)


def read_slow_log(
    file: BinaryIO,
    size: int,
    job: Job,
    *,
    workers: int = 1,
    most_classes: int = MAX_CLASSES,
) -> SlowLog:
    """Digest a slow log from an open file, in several processes if it is large.

    The result does not depend on their number. A cancelled job kills them.
    """
    if workers > 1 and (whole := _read_in_parts(file, size, job, workers, most_classes)):
        return slow_log(whole)
    chunks = iter(lambda: file.read(CHUNK_BYTES), b"")
    return digest_chunks(chunks, job, size=size, most_classes=most_classes)


def digest_chunks(
    chunks: Iterable[bytes],
    job: Job,
    *,
    size: int | None = None,
    most_classes: int = MAX_CLASSES,
) -> SlowLog:
    """Digest a slow log that comes in chunks, such as from a packed file."""
    return slow_log(_digest(chunks, job, size, most_classes))


def _digest(
    chunks: Iterable[bytes], job: Job, size: int | None, most_classes: int, readers: int = 1
) -> Part:
    """Digest a part of a log.

    Progress is reported for all `readers`, assuming that they are equally fast.
    """
    digest = Digest(most_classes=most_classes)
    done = 0
    for chunk in chunks:
        job.require_time()
        digest.feed(chunk)
        done += len(chunk)
        reached = done * readers
        job.report(reached if size is None else min(reached, size), size, "bytes of the slow log")
    return digest.finish()


def _read_in_parts(
    file: BinaryIO, size: int, job: Job, workers: int, most_classes: int
) -> Part | None:
    """Read the first part here and the others in workers; None where that is not possible."""
    try:
        handle = file.fileno()
    except OSError:
        return None
    cuts = find_cuts(handle, size, workers)
    others = list(itertools.pairwise(cuts[1:]))
    if not others:
        return None
    with ExitStack() as stack:
        started = []
        for start, end in others:
            worker = HelperProcess(_MODULE, files=[handle])
            stack.callback(worker.close)
            worker.send(msgspec.json.encode(PartRequest(handle, start, end, most_classes)))
            started.append(worker)
        chunks = part_chunks(handle, 0, cuts[1])
        parts = [_digest(chunks, job, size, most_classes, readers=len(cuts) - 1)]
        for worker in started:
            part = _answer_of(worker, job)
            if part is None:
                job.require_time()  # else its process failed, and all is read here
                return None
            parts.append(part)
    return merge(parts, most_classes)


def _answer_of(worker: HelperProcess, job: Job) -> Part | None:
    """Wait for a part; None if its process fails, or the time is up."""

    def answer() -> bytes | None:
        left_s = job.time_left_s()
        return worker.wait(job, math.inf if left_s is None else left_s)

    part = answer() if answer() == READY else None
    return msgspec.json.decode(part, type=Part) if part else None


def slow_log(
    part: Part,
    version: str = VERSION,
    missing: str = "no line begins with `# Query_time:`",
    *,
    has_costs: bool = True,
) -> SlowLog:
    """Return the published log; `missing` says what a log without events lacks.

    Without costs it has times only: locks and rows are unknown.
    """
    classes = sorted(part.classes, key=lambda it: (-it.total, it.fingerprint))
    ids = [query_id(it.fingerprint) for it in part.classes]
    connections = part.connections.result(ids)
    first = min((it.first for it in classes), default=NEVER)
    last = max((it.last for it in classes), default=-1)
    return SlowLog(
        version=version,
        server=part.server,
        events=part.events,
        total_time_us=sum(it.total for it in classes),
        lock_time_us=sum(it.lock for it in classes) if has_costs else None,
        first_seen_us=first if last >= 0 else None,
        last_seen_us=last if last >= 0 else None,
        classes=tuple(it.result(has_costs=has_costs) for it in classes),
        connections=tuple(connections),
        connection_count=part.connections.count,
        is_complete=not part.fault_count and not part.is_overfull and part.events > 0,
        faults=tuple(_faults(part, len(connections), missing)),
    )


def _faults(part: Part, connections: int, missing: str) -> Iterator[ArtifactFault]:
    for line, byte, problem in part.faults:
        yield ArtifactFault(f"line {line}, byte {byte}", problem)
    more = part.fault_count - len(part.faults)
    if more > 0:
        yield ArtifactFault("further on", f"{more} more faults")
    if not part.events:
        yield ArtifactFault("line 1, byte 0", f"no event: {missing}")
    if part.is_overfull:
        yield ArtifactFault(
            "all", f"more than {len(part.classes) - 1} classes; the rest is in `(other)`"
        )
    if part.connections.count > connections:
        yield ArtifactFault(
            "all",
            f"{part.connections.count} connections, of which {connections} are kept:"
            " the slowest, and those that repeat most",
        )


# Split a log into parts for several processes, and merge their digests.


def find_cuts(file: int, size: int, count: int) -> list[int]:
    """Return the positions that split a file before events, into about `count` parts.

    If a cut is inside a literal that looks like an event, the previous part will not be clean.
    """
    count = min(count, size // _MIN_PART_BYTES)
    cuts = [0]
    for number in range(1, count):
        target = size * number // count
        window = os.pread(file, _WINDOW_BYTES, target)
        found = _CUT.search(window)
        if found and target + found.end() > cuts[-1]:
            cuts.append(target + found.end())
    return [*cuts, size]


def merge(parts: list[Part], most_classes: int) -> Part | None:
    """Return what a single reading would have found; None where that is not certain."""
    is_sound = all(part.is_clean for part in parts[:-1])
    if not is_sound or any(part.is_overfull or part.is_timeless for part in parts):
        return None
    whole = parts[0]
    for part in parts[1:]:
        _append(whole, part)
    return whole if len(whole.classes) <= most_classes else None


def _append(whole: Part, part: Part) -> None:
    known = {it.fingerprint: it for it in whole.classes}
    numbers = []
    for totals in part.classes:
        totals.contexts = {
            (user, whole.database if name == INHERITED else name) for user, name in totals.contexts
        }
        mine = known.get(totals.fingerprint)
        if mine is None:
            mine = ClassTotals(totals.fingerprint, len(whole.classes))
            whole.classes.append(mine)
        mine.add(totals, whole.lines)
        numbers.append(mine.number)
    part.connections.renumber(numbers)
    events = whole.events + part.events
    whole.connections.follow(part.connections, whole.events, events)
    later = [(line + whole.lines, byte, problem) for line, byte, problem in part.faults]
    whole.faults = (whole.faults + later)[:MAX_FAULTS]
    whole.fault_count += part.fault_count
    whole.events = events
    whole.lines += part.lines
    whole.server = part.server or whole.server
    whole.database = whole.database if part.database == INHERITED else part.database
