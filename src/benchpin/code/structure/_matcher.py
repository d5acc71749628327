"""Search files for a pattern on all cores, in processes that are kept from call to call."""

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue

import msgspec

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.system.processes import HelperProcess, require_extra, worker_count

from ._match_worker import FILE_TIMEOUT_S, FileMatches, MatchOrder
from ._pattern import MAX_CHARS, METAVARIABLE, is_balanced, names_of

_MODULE = "benchpin.code.structure._match_worker"
# Files that a process gets at a time.
_BATCH = 64
_POLL_S = 0.1

_Batch = tuple[tuple[str, str], ...]
_Batches = deque[_Batch]
_Results = SimpleQueue[FileMatches | BenchpinError]
_decode = msgspec.msgpack.Decoder(FileMatches).decode


def check_pattern(pattern: str, rewrite: str | None = None) -> None:
    """Refuse a pattern that fits everything or nothing, and a rewrite that cannot be filled in.

    Raises:
        InvalidParams: when it is empty, too long, or nothing but a metavariable.
    """
    if not METAVARIABLE.sub("", pattern).strip():
        raise InvalidParams(
            f"The pattern {pattern[:60]!r} has no code that could be looked for",
            suggestion="Write code with metavariables in it, such as print($X) or foo($$$ARGS).",
        )
    if len(pattern) > MAX_CHARS:
        raise InvalidParams(
            f"The pattern has {len(pattern):,} characters, more than {MAX_CHARS:,}",
            suggestion="Use $$$ for the parts that do not matter.",
        )
    for name, text in (("pattern", pattern), ("rewrite", rewrite or "")):
        if not is_balanced(text):
            raise InvalidParams(
                f"The {name} {text[:60]!r} has a bracket without its other half",
                suggestion="Write one whole statement or expression, such as foo($$$ARGS).",
            )
    unknown = sorted(set(names_of(rewrite or "")) - set(names_of(pattern)))
    if unknown:
        known = ", ".join(names_of(pattern)) or "none"
        raise InvalidParams(
            f"The rewrite has {unknown[0]}, which the pattern does not; it has {known}",
            suggestion="Use the metavariables of the pattern, written in the same way.",
        )


def open_matcher(session: WorkspaceSession) -> "Matcher":
    """Return the matcher of a workspace.

    Raises:
        DependencyMissing: when ast-grep is not installed.
    """
    require_extra("structure", "A pattern of code")
    return session.service(Matcher, Matcher)


class Matcher:
    """Searches files; any number of threads may do so at once."""

    def __init__(self) -> None:
        self._idle: list[HelperProcess] = []

    def search(
        self,
        root: Path,
        files: Sequence[tuple[str, str]],
        pattern: str,
        job: Job,
        rewrite: str | None = None,
    ) -> Iterator[FileMatches]:
        """Yield what is in each file, as it is found; end early when the time is up.

        Raises:
            Cancelled: when the job was cancelled.
            HelperFails: when the processes do not start.
        """
        starts = range(0, len(files), _BATCH)
        batches: _Batches = deque(tuple(files[at : at + _BATCH]) for at in starts)
        order = MatchOrder(os.fsencode(root), (), pattern, rewrite)
        found: _Results = SimpleQueue()
        stop = threading.Event()
        threads = [
            threading.Thread(target=self._work, args=(order, batches, found, stop), daemon=True)
            for _ in range(min(worker_count(), len(batches)))
        ]
        for thread in threads:
            thread.start()
        try:
            for done in range(1, len(files) + 1):
                job.check()
                while (answer := _next(found)) is None:
                    job.check()
                    if job.is_expired:
                        job.leave_out(f"{len(files) - done + 1:,} of {len(files):,} files")
                        return
                if isinstance(answer, BenchpinError):
                    raise answer
                job.report(done, len(files), "files")
                yield answer
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _work(
        self, order: MatchOrder, batches: _Batches, found: _Results, stop: threading.Event
    ) -> None:
        process: HelperProcess | None = None
        try:
            while not stop.is_set():
                batch = batches.popleft()
                if process is None or not process.is_alive:
                    process = self._taken()
                process.send(msgspec.msgpack.encode(msgspec.structs.replace(order, files=batch)))
                done = _collect(process, batch, found, stop)
                if batch[done:]:
                    batches.appendleft(batch[done:])
        except IndexError:  # there is no other batch
            if process is not None and process.is_alive:
                self._idle.append(process)
                return
        except BenchpinError as error:
            found.put(error)
        if process is not None:
            process.close()

    def _taken(self) -> HelperProcess:
        with suppress(IndexError):
            while not (idle := self._idle.pop()).is_alive:
                pass
            return idle
        process = HelperProcess(_MODULE)
        process.wait_ready()
        return process


def _next(found: _Results) -> FileMatches | BenchpinError | None:
    try:
        return found.get(timeout=_POLL_S)
    except Empty:
        return None


def _collect(process: HelperProcess, batch: _Batch, found: _Results, stop: threading.Event) -> int:
    """Pass on the answers to a batch; return how many of its files are done.

    A file that kills or blocks the process gets an answer that says so.
    """
    for done, (path, _) in enumerate(batch, start=1):
        answer = _answer(process, stop)
        if answer:
            found.put(_decode(answer))
            continue
        process.close()
        late = f"takes longer than {FILE_TIMEOUT_S} s"
        found.put(FileMatches(path, problem=late if answer is None else "crashes ast-grep"))
        return done
    return len(batch)


def _answer(process: HelperProcess, stop: threading.Event) -> bytes | None:
    """Wait for an answer; empty when the process has died, or the caller stopped waiting."""
    for _ in range(int(FILE_TIMEOUT_S / _POLL_S)):
        answer = process.receive(_POLL_S)
        if answer is not None:
            return answer
        if stop.is_set():
            return b""
    return None
