"""Measures that a second process takes while this one takes others, so that both cores work.

The second process is `side_worker`. It passes its results through the cache, where every
process finds what another one computed: this one waits until a measure is there, and recalls it. A
measure that the other process has not begun when it is needed is taken here, and not there. So
nothing depends on the other process: where it dies, or the cache cannot be written, all is measured
here.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from benchpin.core.calls import HowMade, Job, Permissions, WorkspaceSession
from benchpin.facts import FileSelection, SourceQuery
from benchpin.memory import was_kept
from benchpin.system.processes import READY, HelperProcess, worker_count

_MODULE = "benchpin.project.side_process._side_worker"
_POLL_S = 0.1
# The index of names, which navigation finds in the cache.
CODE_INDEX = "code-index"
# With fewer, a process takes longer to start than it saves.
MIN_FILES = 500
# With more, two processes at once would take too much memory: each holds facts of all files.
MAX_FILES = 8_000


class SideOrder(msgspec.Struct, frozen=True):
    """The files to measure, and how: what a selection consists of."""

    root: bytes
    cache_dir: bytes
    git_folders: tuple[bytes, ...]
    permissions: Permissions
    query: SourceQuery
    time_left_s: float | None
    measures: tuple[str, ...]
    """Their names, in the order in which they are taken."""
    is_idle: bool = False
    """Whether it takes only time that no other process wants."""

    def selection(self) -> FileSelection:
        """Return the selection, in a session of its own."""
        folders = tuple(map(_path, self.git_folders))
        session = WorkspaceSession(_path(self.root), _path(self.cache_dir), folders)
        return FileSelection(
            session, self.permissions, Job(time_limit_s=self.time_left_s), self.query
        )


class SideAnswer(msgspec.Struct, frozen=True):
    """That a measure was begun, or is done."""

    name: str
    is_done: bool = False
    how: dict[str, HowMade] = {}
    """How the results came about that it consists of."""
    manifests: dict[str, bytes | None] = {}
    """The digests of the manifests that were read."""


class SideMeasures:
    """The second process, until the end of a `with` block."""

    def __init__(
        self, selection: FileSelection, measures: Sequence[str] = (), *, is_idle: bool = False
    ) -> None:
        """Start it; without measures, or where no process can be started, all is measured here."""
        self._selection = selection
        self._left: dict[str, SideAnswer | None] = dict.fromkeys(measures)
        """The measures that are not asked for yet, with the last answer about each."""
        self._helper: HelperProcess | None = None
        order = _encoded(selection, tuple(measures), is_idle=is_idle) if measures else None
        if order is not None:
            with suppress(OSError):
                self._helper = HelperProcess(_MODULE)
                self._helper.send(order)

    def __enter__(self) -> Self:
        """Return it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process."""
        if self._helper is not None:
            self._helper.close()

    def begun(self) -> set[str]:
        """Return which of the measures that are still to be asked for the process has begun."""
        helper = self._helper
        while helper is not None and self._receive(helper, 0):
            pass
        return {name for name, answer in self._left.items() if answer is not None}

    def wait_for(self, name: str) -> None:
        """Wait until a measure is in the cache if the other process has begun it.

        Raises:
            Cancelled: when the job was cancelled.
        """
        helper, job = self._helper, self._selection.job
        if helper is None or name not in self._left:
            return
        if name not in self.begun():
            helper.send(name.encode())  # it is taken here
        else:
            with job.stopping(helper.close):
                while helper.is_alive and not self._is_done(name) and not job.is_expired:
                    job.report(0, None, f"{name}, in another process")
                    self._receive(helper, _POLL_S)
                    job.check()
        answer = self._left.pop(name)
        if answer is not None and answer.is_done:
            self._selection.manifests.update(answer.manifests)
            for part, how in answer.how.items():
                job.note_measure(part, how)

    def _is_done(self, name: str) -> bool:
        answer = self._left[name]
        return answer is not None and answer.is_done

    def _receive(self, helper: HelperProcess, seconds: float) -> bool:
        """Take one answer, and return whether there was one."""
        message = helper.receive(seconds)
        if message == b"":  # it has died
            helper.close()
        if message and message != READY:
            answer = msgspec.msgpack.decode(message, type=SideAnswer)
            if answer.name in self._left:
                self._left[answer.name] = answer
        return bool(message)


def worth_taking_aside(
    selection: FileSelection, file_count: int, names: Sequence[str]
) -> list[str]:
    """Return which measures another process may take: none if little is to be computed.

    A measure that was taken of the workspace before is updated here for less than a process costs.
    """
    is_alone = worker_count() == 1 or selection.query.workers == 1
    if not MIN_FILES <= file_count <= MAX_FILES or is_alone or selection.is_fresh:
        return []
    slot = selection.query, ()  # where `Project.measure` keeps a measure without options
    return [name for name in names if not was_kept(selection.session, name, slot)]


def _path(name: bytes) -> Path:
    return Path(os.fsdecode(name))


def _encoded(selection: FileSelection, measures: tuple[str, ...], *, is_idle: bool) -> bytes | None:
    session, job = selection.session, selection.job
    order = SideOrder(
        os.fsencode(session.root),
        os.fsencode(session.cache_dir),
        tuple(map(os.fsencode, session.git_folders)),
        selection.permissions,
        selection.query,
        job.time_left_s(),
        measures,
        is_idle,
    )
    try:
        return msgspec.msgpack.encode(order)
    except (TypeError, ValueError):  # such as a pattern that is not UTF-8
        return None
