"""What each connection asked for, in order, within bounded memory.

A connection of which nothing came for many events is over: should its number come again, that is
another one. So what is kept of a log does not depend on how it was cut into parts.
"""

from itertools import groupby

import msgspec

from benchpin.engines.profiles.values import Connection, Repetition

GAP = 20_000
"""Events of other connections after which a connection is over."""
_FOLD = 512
_MOST_KEPT = 1_000
"""Connections that are kept for their time, and as many for what they repeat."""
_MOST_REPETITIONS = 20


class Tally(msgspec.Struct, array_like=True):
    """How often a connection asked for one class."""

    count: int = 0
    time_us: int = 0
    run: int = 0
    """Most in a row."""
    before: int = -1
    """The class that came before that run."""


class Episode(msgspec.Struct):
    """One connection while the log is read; classes are numbers."""

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
    tallies: dict[int, Tally] = {}
    lead: int = -1
    """The class of the first run, which may go on from an earlier part of the log."""
    lead_run: int = 0
    is_lead: bool = True
    """Whether the first run still goes on."""
    current: int = -1
    run: int = 0
    before: int = -1
    log: list[int] = []
    """Class, time, class, time of the events since it was folded last."""

    def fold(self) -> None:
        """Count what is in the log."""
        numbers, times = self.log[::2], self.log[1::2]
        self.events += len(numbers)
        self.time_us += sum(times)
        at = 0
        for number, group in groupby(numbers):
            length = len(list(group))
            tally = self.tallies.get(number)
            if tally is None:
                tally = self.tallies[number] = Tally()
            tally.count += length
            tally.time_us += sum(times[at : at + length])
            at += length
            self.extend(number, length)
        self.log.clear()

    def extend(self, number: int, length: int) -> None:
        """Go on with a run, or end it and begin the next."""
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
        tally = self.tallies[number]
        if run > tally.run:
            tally.run, tally.before = run, before

    def join(self, later: "Episode") -> None:
        """Go on with what a later part of the log knows of the same connection."""
        self.events += later.events
        self.time_us += later.time_us
        self.first, self.last = min(self.first, later.first), max(self.last, later.last)
        self.seen_at = later.seen_at
        for number, theirs in later.tallies.items():
            mine = self.tallies.setdefault(number, Tally())
            mine.count += theirs.count
            mine.time_us += theirs.time_us
        if later.is_lead:
            self.extend(later.current, later.run)
            return
        self.extend(later.lead, later.lead_run)
        self.end_run()
        for number, theirs in later.tallies.items():
            self._keep_run(number, theirs.run, theirs.before)
        self.current, self.run, self.before = later.current, later.run, later.before

    def finish(self) -> None:
        """End the last run, and the first: nothing came before it. Forget what came once."""
        self.end_run()
        tally = self.tallies[self.lead]
        if self.lead_run >= tally.run:
            tally.run, tally.before = self.lead_run, -1
        self.tallies = {number: it for number, it in self.tallies.items() if it.count > 1}

    def most_repeated(self) -> int:
        """Return how often it asked for the class that it asked for most."""
        return max((tally.count for tally in self.tallies.values()), default=1)

    def renumber(self, numbers: list[int]) -> None:
        """Give classes other numbers."""
        self.tallies = {numbers[number]: tally for number, tally in self.tallies.items()}
        for tally in self.tallies.values():
            tally.before = numbers[tally.before] if tally.before >= 0 else -1
        self.lead = numbers[self.lead] if self.lead >= 0 else -1
        self.current = numbers[self.current] if self.current >= 0 else -1
        self.before = numbers[self.before] if self.before >= 0 else -1

    def result(self, ids: list[str]) -> Connection:
        """Return the connection as others see it, with the classes that it repeated most."""
        repeated = sorted(
            ((-tally.count, ids[number], tally) for number, tally in self.tallies.items()),
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
                    count=tally.count,
                    total_time_us=tally.time_us,
                    longest_run=tally.run,
                    before_run=ids[tally.before] if tally.before >= 0 else None,
                )
                for _, query_id, tally in repeated[:_MOST_REPETITIONS]
            ),
        )


class Connections(msgspec.Struct):
    """The connections of a log, or of a part of it."""

    is_first: bool
    """Whether this part begins with the log."""
    live: dict[int, Episode] = {}
    heads: list[Episode] = []
    """Those that are over, but may have begun in an earlier part."""
    over: list[Episode] = []
    count: int = 0
    """How many are over for good, kept or not."""

    def begin(self, thread: int, user: str | None, index: int, stamp: int) -> Episode:
        """Begin a connection; one of the same number that went before is over."""
        before = self.live.get(thread)
        if before is not None:
            self._end(before)
        episode = Episode(thread, user, index, index, stamp, stamp)
        self.live[thread] = episode
        return episode

    def sweep(self, index: int) -> None:
        """Count what came, and end connections of which nothing came for long."""
        for thread, episode in list(self.live.items()):
            if index - episode.seen_at > GAP:
                del self.live[thread]
                self._end(episode)
            elif len(episode.log) > _FOLD:
                episode.fold()

    def pause(self, index: int) -> None:
        """Make the state whole at the end of a part."""
        self.sweep(index)
        for episode in self.live.values():
            episode.fold()

    def follow(self, later: "Connections", events_before: int, events: int) -> None:
        """Add those of the next part of the log, given the events before it and with it."""
        for episode in [*later.heads, *later.live.values(), *later.over]:
            episode.begun_at += events_before
            episode.seen_at += events_before
        heads = {id(episode) for episode in later.heads}
        for episode in sorted([*later.heads, *later.live.values()], key=_by_beginning):
            mine = self.live.get(episode.id)
            if mine is not None and episode.begun_at - mine.seen_at <= GAP:
                mine.join(episode)
            else:
                if mine is not None:
                    self._end(mine)
                self.live[episode.id] = episode
            if id(episode) in heads:
                self._end(self.live.pop(episode.id))
        self.over += later.over
        self.count += later.count
        self.sweep(events)

    def renumber(self, numbers: list[int]) -> None:
        """Give classes the numbers that they have in the whole log."""
        for episode in [*self.heads, *self.live.values(), *self.over]:
            episode.renumber(numbers)

    def result(self, ids: list[str]) -> list[Connection]:
        """End them all, and return those that took or repeated most, the slowest first."""
        while self.live:
            self._end(self.live.popitem()[1])
        self._prune()
        return [episode.result(ids) for episode in sorted(self.over, key=_by_time)]

    def _end(self, episode: Episode) -> None:
        episode.fold()
        if not self.is_first and episode.begun_at < GAP:
            self.heads.append(episode)
            return
        episode.finish()
        self.count += 1
        self.over.append(episode)
        if len(self.over) > 4 * _MOST_KEPT:
            self._prune()

    def _prune(self) -> None:
        slow = sorted(self.over, key=_by_time)[:_MOST_KEPT]
        repeating = sorted(self.over, key=_by_repetition)[:_MOST_KEPT]
        self.over = list({id(episode): episode for episode in slow + repeating}.values())


def _by_beginning(episode: Episode) -> int:
    return episode.begun_at


def _by_time(episode: Episode) -> tuple[int, int]:
    return -episode.time_us, episode.begun_at


def _by_repetition(episode: Episode) -> tuple[int, int]:
    return -episode.most_repeated(), episode.begun_at
