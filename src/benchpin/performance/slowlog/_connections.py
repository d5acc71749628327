"""Sum the queries of each connection, in order, in bounded memory.

A connection ends after many events of others; if its number returns, it is another connection. So
the result does not depend on how the log was split into parts.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Literal

import msgspec

from benchpin.performance.values import Connection, PublishedValue, QueryTotals, Repetition

# Repetitions in one connection that make a finding.
MIN_REPEATS = 10
_STATEMENTS = ("select", "(select", "with", "insert", "update", "delete", "replace", "call")


class RepeatedQuery(PublishedValue, frozen=True):
    """A query class that connections repeat."""

    query_id: str
    fingerprint: str
    kind: Literal["n_plus_one", "repetition"]
    reason: str
    connections: int
    """How many repeat it."""
    events: int
    """How often they run it in total."""
    time_us: int
    connections_time_us: int
    """Time of all queries of these connections, including `time_us`."""
    worst_connection: int
    most: int
    """How often the worst connection runs it."""
    longest_run: int
    parent_id: str | None
    """The class right before the longest run."""


def find_repeated(
    connections: Iterable[Connection], classes: Iterable[QueryTotals], least: int = MIN_REPEATS
) -> list[RepeatedQuery]:
    """Return the classes that a connection repeats at least `least` times, longest first."""
    known = {it.query_id: it for it in classes}
    found: dict[str, list[tuple[Connection, Repetition]]] = {}
    for connection in connections:
        for repetition in connection.repetitions:
            text = known[repetition.query_id].fingerprint
            takes_values = text.startswith(_STATEMENTS) and "?" in text
            if repetition.count >= least and takes_values:
                found.setdefault(repetition.query_id, []).append((connection, repetition))
    findings = [_finding(known, known[query_id], cases) for query_id, cases in found.items()]
    return sorted(findings, key=lambda it: (-it.time_us, it.query_id))


def _finding(
    known: dict[str, QueryTotals],
    query: QueryTotals,
    cases: list[tuple[Connection, Repetition]],
) -> RepeatedQuery:
    worst, most = max(cases, key=lambda case: (case[1].count, -case[0].id))
    longest = max((case[1] for case in cases), key=lambda it: it.longest_run)
    parent = known.get(longest.before_run or "")
    kind, reason = _judged(longest, parent)
    return RepeatedQuery(
        query_id=query.query_id,
        fingerprint=query.fingerprint,
        kind=kind,
        reason=reason,
        connections=len(cases),
        events=sum(repetition.count for _, repetition in cases),
        time_us=sum(repetition.total_time_us for _, repetition in cases),
        connections_time_us=sum(connection.query_time_us for connection, _ in cases),
        worst_connection=worst.id,
        most=most.count,
        longest_run=longest.longest_run,
        parent_id=parent.query_id if parent else None,
    )


def _judged(
    longest: Repetition, parent: QueryTotals | None
) -> tuple[Literal["n_plus_one", "repetition"], str]:
    run = longest.longest_run
    if run * 2 < longest.count:
        return "repetition", f"at most {run} of {longest.count} are in a row"
    if parent is None:
        return "repetition", f"{run} in a row, with no query before them in the log"
    rows = (parent.rows_sent or 0) // parent.count
    if not parent.fingerprint.startswith(("select", "(select", "with")) or rows < 2:  # noqa: PLR2004 - one row has no N
        return "repetition", f"{run} in a row, after a query that does not return several rows"
    return "n_plus_one", f"{run} in a row, after a query that returns {rows} rows on average"


# Events of other connections after which a connection has ended.
GAP = 20_000
# Numbers in the log of a connection after which they are summed up.
_FOLD = 512
# Connections that are kept for their time, and as many for their repetitions.
_MAX_KEPT = 1_000
_MAX_REPETITIONS = 20


class ClassCount(msgspec.Struct, array_like=True):
    """How often a connection ran one class."""

    count: int = 0
    time_us: int = 0
    run: int = 0
    """The most in a row."""
    before: int = -1
    """The class right before that run."""


class Episode(msgspec.Struct):
    """One connection while a log is read; classes are numbers."""

    id: int
    user: str | None
    begun_at: int
    """Number of its first event in this part of the log."""
    seen_at: int
    """Number of its last event."""
    first: int
    last: int
    events: int = 0
    time_us: int = 0
    counts: dict[int, ClassCount] = {}
    lead: int = -1
    """The class of the first run, which may continue one of an earlier part of the log."""
    lead_run: int = 0
    is_lead: bool = True
    """Whether the first run has not ended."""
    current: int = -1
    run: int = 0
    before: int = -1
    log: list[int] = []
    """Class, time, class, time … of the events since the last call of `fold`."""

    def fold(self) -> None:
        """Add the events of the log to the sums, and clear it."""
        numbers, times = self.log[::2], self.log[1::2]
        self.events += len(numbers)
        self.time_us += sum(times)
        at = 0
        for number, group in groupby(numbers):
            length = len(list(group))
            found = self.counts.get(number)
            if found is None:
                found = self.counts[number] = ClassCount()
            found.count += length
            found.time_us += sum(times[at : at + length])
            at += length
            self.extend(number, length)
        self.log.clear()

    def extend(self, number: int, length: int) -> None:
        """Continue the current run, or end it and begin another."""
        if self.current == number:
            self.run += length
        else:
            self.end_run()
            self.before, self.current, self.run = self.current, number, length

    def end_run(self) -> None:
        """Keep the run that just ended if it is the longest of its class."""
        if self.current < 0:
            return
        if self.is_lead:
            self.lead, self.lead_run, self.is_lead = self.current, self.run, False
            return
        self._keep_run(self.current, self.run, self.before)

    def _keep_run(self, number: int, run: int, before: int) -> None:
        found = self.counts[number]
        if run > found.run:
            found.run, found.before = run, before

    def join(self, later: "Episode") -> None:
        """Add the same connection in the next part of the log."""
        self.events += later.events
        self.time_us += later.time_us
        self.first, self.last = min(self.first, later.first), max(self.last, later.last)
        self.seen_at = later.seen_at
        for number, theirs in later.counts.items():
            mine = self.counts.setdefault(number, ClassCount())
            mine.count += theirs.count
            mine.time_us += theirs.time_us
        if later.is_lead:
            self.extend(later.current, later.run)
            return
        self.extend(later.lead, later.lead_run)
        self.end_run()
        for number, theirs in later.counts.items():
            self._keep_run(number, theirs.run, theirs.before)
        self.current, self.run, self.before = later.current, later.run, later.before

    def finish(self) -> None:
        """End the last run and the first one, and drop classes that ran once."""
        self.end_run()
        found = self.counts[self.lead]
        if self.lead_run >= found.run:
            found.run, found.before = self.lead_run, -1
        self.counts = {number: it for number, it in self.counts.items() if it.count > 1}

    def most_repeated(self) -> int:
        return max((found.count for found in self.counts.values()), default=1)

    def renumber(self, numbers: list[int]) -> None:
        """Change the numbers of classes."""
        self.counts = {numbers[number]: found for number, found in self.counts.items()}
        for found in self.counts.values():
            found.before = numbers[found.before] if found.before >= 0 else -1
        self.lead = numbers[self.lead] if self.lead >= 0 else -1
        self.current = numbers[self.current] if self.current >= 0 else -1
        self.before = numbers[self.before] if self.before >= 0 else -1

    def result(self, ids: list[str]) -> Connection:
        repeated = sorted(
            ((-found.count, ids[number], found) for number, found in self.counts.items()),
            key=lambda found: found[:2],
        )
        return Connection(
            id=self.id,
            user=self.user,
            events=self.events,
            query_time_us=self.time_us,
            first_seen_us=self.first if self.last >= 0 else None,
            last_seen_us=self.last if self.last >= 0 else None,
            repetitions=tuple(
                Repetition(
                    query_id=query_id,
                    count=found.count,
                    total_time_us=found.time_us,
                    longest_run=found.run,
                    before_run=ids[found.before] if found.before >= 0 else None,
                )
                for _, query_id, found in repeated[:_MAX_REPETITIONS]
            ),
        )


class Connections(msgspec.Struct):
    """The connections of a log, or of a part of it."""

    is_first: bool
    """Whether this part begins with the log."""
    live: dict[int, Episode] = {}
    heads: list[Episode] = []
    """Ended ones that may have begun in an earlier part."""
    ended: list[Episode] = []
    count: int = 0
    """How many have ended, kept or not."""

    def begin(self, thread: int, user: str | None, index: int, stamp: int) -> Episode:
        """Begin a connection; a previous one with the same number ends."""
        before = self.live.get(thread)
        if before is not None:
            self._end(before)
        episode = Episode(thread, user, index, index, stamp, stamp)
        self.live[thread] = episode
        return episode

    def add(
        self, thread: int, user: str | None, index: int, when: int, event: tuple[int, int]
    ) -> None:
        """Add an event, its class and its time, to the connection that has this number now."""
        episode = self.live.get(thread)
        if episode is None or index - episode.seen_at > GAP:
            episode = self.begin(thread, user, index, when)
        episode.seen_at = index
        episode.log += event
        if when > episode.last:  # noqa: PLR1730 - max() is a call, made for each event
            episode.last = when

    def sweep(self, index: int) -> None:
        """Sum up long logs, and end connections without recent events."""
        for thread, episode in list(self.live.items()):
            if index - episode.seen_at > GAP:
                del self.live[thread]
                self._end(episode)
            elif len(episode.log) > _FOLD:
                episode.fold()

    def pause(self, index: int) -> None:
        """Sum up everything at the end of a part."""
        self.sweep(index)
        for episode in self.live.values():
            episode.fold()

    def follow(self, later: "Connections", events_before: int, events: int) -> None:
        """Add the connections of the next part; `events` counts both parts."""
        for episode in [*later.heads, *later.live.values(), *later.ended]:
            episode.begun_at += events_before
            episode.seen_at += events_before
        heads = {id(episode) for episode in later.heads}
        for episode in sorted([*later.heads, *later.live.values()], key=lambda it: it.begun_at):
            mine = self.live.get(episode.id)
            if mine is not None and episode.begun_at - mine.seen_at <= GAP:
                mine.join(episode)
            else:
                if mine is not None:
                    self._end(mine)
                self.live[episode.id] = episode
            if id(episode) in heads:
                self._end(self.live.pop(episode.id))
        self.ended += later.ended
        self.count += later.count
        self.sweep(events)

    def renumber(self, numbers: list[int]) -> None:
        """Use the class numbers of the whole log."""
        for episode in [*self.heads, *self.live.values(), *self.ended]:
            episode.renumber(numbers)

    def result(self, ids: list[str]) -> list[Connection]:
        while self.live:
            self._end(self.live.popitem()[1])
        self._prune()
        return [episode.result(ids) for episode in sorted(self.ended, key=_by_time)]

    def _end(self, episode: Episode) -> None:
        episode.fold()
        if not self.is_first and episode.begun_at < GAP:
            self.heads.append(episode)
            return
        episode.finish()
        self.count += 1
        self.ended.append(episode)
        if len(self.ended) > 4 * _MAX_KEPT:
            self._prune()

    def _prune(self) -> None:
        slow = sorted(self.ended, key=_by_time)[:_MAX_KEPT]
        repeating = sorted(self.ended, key=_by_repetition)[:_MAX_KEPT]
        self.ended = list({id(episode): episode for episode in slow + repeating}.values())


def _by_time(episode: Episode) -> tuple[int, int]:
    return -episode.time_us, episode.begun_at


def _by_repetition(episode: Episode) -> tuple[int, int]:
    return -episode.most_repeated(), episode.begun_at
