"""Measure the repositories of a fleet: first the blobs that are new anywhere, then each repository.

What was done stays done: packs and tables are in the place as soon as they are written, and a
repository that did not change is not looked into. An interrupted run continues where it stopped.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, Cancelled, TimeLimitExceeded
from benchpin.facts.store import engine_version
from benchpin.system.processes import require_extra

from ._members import Member
from ._packs import FactIndex, Packer, collect_garbage
from ._place import Place, StoreFails
from ._schema import Measurement, add_record, read_records, tables_folder
from ._sources import open_source
from ._steps import BATCH_BLOBS, BlobBatch, ClusterFails, Steps, measure_batch
from ._tables import MemberOrder, reduce_member

logger = logging.getLogger(__name__)

# How often a repository whose facts turn out to be damaged is tried.
_ROUNDS = 3


@dataclass(slots=True)
class FleetRun:
    """What a run did."""

    measured: list[Measurement] = field(default_factory=list)
    unchanged: int = 0
    empty: list[str] = field(default_factory=list)
    """Repositories without a commit."""
    failed: dict[str, str] = field(default_factory=dict)
    """Why repositories were not measured."""
    blobs: int = 0
    """Distinct contents of the repositories that were measured."""
    new_blobs: int = 0
    """How many of them were parsed; the others were known."""
    removed: int = 0
    """Objects of the place that were no longer needed."""


@dataclass(frozen=True, slots=True)
class _Planned:
    """A repository at a commit without tables."""

    member: Member
    commit: str


class FleetMeasurement:
    """One run over the members of a fleet."""

    def __init__(
        self, place: Place, steps: Steps, cache_folder: Path, version: str, job: Job
    ) -> None:
        """Take the place, the workers, a folder for what is fetched, and what tables depend on.

        Raises:
            DependencyMissing: when the extra is not installed.
        """
        require_extra("fleet", "A fleet")
        self._place = place
        self._steps = steps
        self._cache_folder = cache_folder
        self._job = job
        self._engine, self._version = engine_version(), version
        self._done = FleetRun()
        self._keys: dict[str, list[str]] = {}
        """What the facts of each planned repository are kept under."""
        self._problems: dict[str, str] = {}
        """Why some files of a repository could not be measured, by its folder."""

    def run(self, members: Sequence[Member]) -> FleetRun:
        """Measure what changed.

        Raises:
            Cancelled: when the job was cancelled.
            ClusterFails: when the workers are gone.
            StoreFails: when the place cannot be read or written.
        """
        planned = {it.member.name: it for it in self._plan(members)}
        if not planned:
            return self._done
        try:
            index = FactIndex(self._place, self._engine, self._cache_folder, self._job)
        except TimeLimitExceeded:
            self._is_late(planned)
            return self._done
        with closing(index):
            self._measure(planned, index)
        if not self._job.is_expired:
            self._clean_up()
        return self._done

    def _clean_up(self) -> None:
        """Remove what is no longer needed from the place; what was measured stays if that fails."""
        try:
            gone = collect_garbage(self._place, self._engine, datetime.now(UTC).timestamp())
        except StoreFails as error:
            logger.warning("The fleet's store could not be cleaned up: %s", error.message)
        else:
            self._done.removed = len(gone)

    def _measure(self, planned: dict[str, _Planned], index: FactIndex) -> None:
        for _ in range(_ROUNDS):
            self._measure_blobs(list(planned.values()), index)
            if not self._is_late(planned):
                planned = self._reduce(planned, index)
            if not planned or self._is_late(planned):
                return
        self._done.failed |= dict.fromkeys(
            planned, "its facts are damaged or incomplete again and again"
        )

    def _is_late(self, planned: Mapping[str, _Planned]) -> bool:
        """Whether the time is up; says what is left for the next run."""
        if self._job.is_expired:
            done = {it.name for it in self._done.measured}
            left = len(planned.keys() - done - self._done.failed.keys())
            self._job.leave_out(f"{left} of {len(planned)} repositories")
        return self._job.is_expired

    def _plan(self, members: Sequence[Member]) -> Iterator[_Planned]:
        """Yield the repositories that have a commit which was not measured."""
        known = read_records(self._place, self._version)
        for member in self._job.each(members, "repositories"):
            try:
                commit = open_source(member.path).head(member.may_read, self._job)
            except BenchpinError as error:
                self._done.failed[member.name] = error.message
                continue
            if commit is None:
                self._done.empty.append(member.name)
                continue
            before = known.get(member.name, ())
            if before and before[0].commit == commit:
                self._done.unchanged += 1
            else:
                yield _Planned(member, commit)

    def _measure_blobs(self, planned: Sequence[_Planned], index: FactIndex) -> None:
        packer = Packer(self._place, self._engine)
        batches = self._batches(planned, index)
        results = self._steps.map(measure_batch, batches, self._job)
        try:
            for done, batch in enumerate(results, start=1):
                packer.add(batch.records)
                if batch.problem:
                    self._problems[batch.folder] = batch.problem
                self._done.new_blobs += len(batch.records)
                self._job.report(done, None, "batches of files")
        except (Cancelled, ClusterFails):
            packer.flush()  # the next run need not measure these again
            raise
        packer.flush()
        index.add(packer.written)

    def _batches(self, planned: Sequence[_Planned], index: FactIndex) -> Iterator[BlobBatch]:
        """Yield what to measure; a blob that two repositories have is measured once."""
        ordered: set[str] = set()
        for plan in planned:
            try:
                source = open_source(plan.member.path)
                code = source.tree(plan.commit, plan.member.may_read, self._job).code
            except TimeLimitExceeded:
                return
            except BenchpinError as error:
                self._done.failed[plan.member.name] = error.message
                continue
            keys = {file.key: file for file in code}
            self._keys[plan.member.name] = list(keys)
            new = [key for key in index.missing(list(keys)) if key not in ordered]
            self._done.blobs += len(keys.keys() - ordered)
            ordered.update(keys)
            for first in range(0, len(new), BATCH_BLOBS):
                blobs = tuple(keys[key] for key in new[first : first + BATCH_BLOBS])
                yield BlobBatch(str(plan.member.path), blobs, self._engine)

    def _reduce(self, planned: dict[str, _Planned], index: FactIndex) -> dict[str, _Planned]:
        """Write the tables of repositories; return those whose facts are damaged or incomplete."""
        again: dict[str, _Planned] = {}
        orders = self._orders(planned, index, again)
        for done, reduced in enumerate(self._steps.map(reduce_member, orders, self._job), start=1):
            self._job.report(done, len(planned), "repositories")
            if reduced.damaged:
                index.forget(reduced.damaged)
                again[reduced.name] = planned[reduced.name]
            elif reduced.problem:
                self._done.failed[reduced.name] = reduced.problem
            else:
                self._remember(planned[reduced.name])
        return again

    def _orders(
        self, planned: dict[str, _Planned], index: FactIndex, again: dict[str, _Planned]
    ) -> Iterator[MemberOrder]:
        """Yield what to reduce, the largest first, so that workers end at about the same time.

        Where another repository was asked for a content and has not got it, this one is asked next.
        """
        for name in sorted(self._keys.keys() & planned, key=lambda it: (-len(self._keys[it]), it)):
            plan, keys = planned[name], self._keys[name]
            where = index.find(keys)
            if len(where) < len(keys):
                if problem := self._problems.get(str(plan.member.path)):
                    self._done.failed[name] = problem
                else:
                    again[name] = plan
                continue
            yield MemberOrder(
                member=plan.member,
                commit=plan.commit,
                place=self._place.url,
                engine=self._engine,
                tables=tables_folder(self._version, name, plan.commit),
                where=tuple(where[key] for key in keys),
            )

    def _remember(self, plan: _Planned) -> None:
        measurement = Measurement(
            name=plan.member.name,
            commit=plan.commit,
            measured_at=datetime.now(UTC),
            version=self._version,
        )
        add_record(self._place, measurement)
        self._done.measured.append(measurement)
