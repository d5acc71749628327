"""Results of measures on disk, by the content that they were computed from.

Facts belong to one file; a reduction is computed from the facts of many: clones, unused code, a
graph, a score. It is kept in the memory of the session and in one database for all workspaces, so
that the next process does not compute it again. A measure opts in with one call:

    found = remember(session, job, Reduction("debt", Debt), (listing.digest, options), make)

The key is everything that the result depends on: the digest of the files (`Listing.digest`, which
needs no facts), the options, the commit for what is read from the history. The same key must give
the same result. What a key cannot name, such as manifests that are found on the way, is part of
the result and checked by `is_current`. With `update`, the newest result of the same measure and
`slot` is handed over where there is one, so that the cost is that of the changes.

Small results are saved whenever they change. A large one that was updated is saved if that took
long, or was done often since the last time: to write it takes longer than most updates.

The version of all engines is part of the name of the database: no result outlives the code that
computed it. Rows have a checksum; one that is cut short, damaged or of another form is computed
again. What a call left out for lack of time is never kept. The database is bounded: the results
that were not used for the longest time go first. It is data, read by a typed decoder: nothing in
it is run.
"""

import hashlib
import os
import sqlite3
import time
from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import msgspec

from benchpin.core.calls import HowMade, Job, WorkspaceSession
from benchpin.facts.store import CacheDatabase, Encoded, checksum, engines_version

T = TypeVar("T")

MAX_BYTES = 1 << 30
_SCHEMA = (
    """CREATE TABLE IF NOT EXISTS reductions (key BLOB PRIMARY KEY, used INTEGER, size INTEGER,
    crc INTEGER, data BLOB) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS newest (slot BLOB PRIMARY KEY, key BLOB) WITHOUT ROWID",
)
_HOUR_S = 3_600
_DIGEST_BYTES = 16
# Results of each measure in memory; older ones are on disk.
_ROOM = 4
_ROOM_OF_PARTS = 2
# No result takes more than this part of the database.
_MAX_SHARE = 4
# A result up to this size is always saved.
SMALL_BYTES = 1 << 20
# An update that took longer is saved: the next process must not repeat it.
_LONG_UPDATE_S = 1.0
# After so many updates that were not saved, one is: the next process has less to update.
_MAX_UNSAVED = 32


class ReductionStore(CacheDatabase):
    """The results in one folder, by key; the newest of each slot."""

    def __init__(self, folder: Path, max_bytes: int = MAX_BYTES) -> None:
        super().__init__(folder, "reductions", engines_version(), _SCHEMA)
        self._max_bytes = max_bytes

    def load(self, key: bytes) -> bytes | None:
        """Return the data of a key; None where there is none, or not all of it."""
        rows = self._query("SELECT used, crc, data FROM reductions WHERE key = ?", (key,))
        now = int(time.time())
        for used, crc, data in rows:
            if isinstance(data, bytes) and checksum("reductions", key, data) == crc:
                # At most one write an hour: a plain read must not lock the database.
                if not isinstance(used, int) or used < now - _HOUR_S:
                    self._write(
                        lambda it: it.execute(
                            "UPDATE reductions SET used = ? WHERE key = ?", (now, key)
                        )
                    )
                return data
        return None

    def newest(self, slot: bytes) -> bytes | None:
        """Return the data that was saved last for a slot."""
        rows = self._query("SELECT key FROM newest WHERE slot = ?", (slot,))
        return self.load(cast("bytes", rows[0][0])) if rows else None

    def has_newest(self, slot: bytes) -> bool:
        """Whether something was saved for a slot."""
        return bool(self._query("SELECT 1 FROM newest WHERE slot = ?", (slot,)))

    def save(self, key: bytes, slot: bytes, data: bytes) -> None:
        """Save a result, and drop those that were not used for the longest time."""
        if len(data) > self._max_bytes // _MAX_SHARE:
            return
        row = (key, int(time.time()), len(data), checksum("reductions", key, data), data)

        def replace(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO reductions VALUES (?, ?, ?, ?, ?)", row)
            connection.execute("INSERT OR REPLACE INTO newest VALUES (?, ?)", (slot, key))
            _drop_least_used(connection, self._max_bytes)

        self._write(replace)


def _drop_least_used(connection: sqlite3.Connection, max_bytes: int) -> None:
    [total] = connection.execute("SELECT TOTAL(size) FROM reductions").fetchone()
    if total <= max_bytes:
        return
    # The newest of a slot last: the next update starts from it, however long ago it was saved.
    for key, size in connection.execute(
        "SELECT key, size FROM reductions ORDER BY key IN (SELECT key FROM newest), used, key"
    ).fetchall():
        connection.execute("DELETE FROM reductions WHERE key = ?", (key,))
        total -= size
        if total <= max_bytes:
            break
    connection.execute("DELETE FROM newest WHERE key NOT IN (SELECT key FROM reductions)")


@dataclass(frozen=True)
class Reduction(Encoded[T], Generic[T]):
    """A measure whose results are kept: its name, and the type of a result."""

    name: str
    type: Any  # as in `Encoded`
    is_part: bool = False
    """Whether it is a step of another measure: large, and not named in answers."""


def remember(
    session: WorkspaceSession,
    job: Job,
    reduction: Reduction[T],
    key: Hashable,
    make: Callable[[], T],
    *,
    update: Callable[[T], T | None] | None = None,
    slot: Hashable = (),
    is_current: Callable[[T], bool] = lambda _value: True,
    is_fresh: bool = False,
    how_made: Callable[[], HowMade] = lambda: "computed",
) -> T:
    """Return a result: remembered, on disk, updated from the one before, or computed now.

    `update` gets the newest result of the measure in this workspace with the same `slot`, such as
    its options, and returns None where it cannot start from it. How the result came about is
    noted in the job; `how_made` says it of what `make` returned, which may keep parts of its own.

    Raises:
        Cancelled: when the job is cancelled while it waits.
    """
    name = reduction.name
    how: HowMade = "recalled"
    place = key_digest((name, key))
    slot_place = _slot_place(session, name, slot)
    last = _last_of(session, slot_place)

    def load() -> T:
        nonlocal how
        store = open_reductions(session)
        data = None if is_fresh else store.load(place)
        known = reduction.decode(data)
        if data is not None and known is not None and is_current(known[0]):
            last.was_saved(data)
            return known[0]
        omissions = job.omissions
        start = time.thread_time()
        before = None if update is None or is_fresh else newest_result(session, reduction, slot)
        value = None if before is None or update is None else update(before[0])
        how = "updated"
        if value is None:
            value = make()
            how = how_made()
        spent_s = time.thread_time() - start
        if job.omissions == omissions and (how == "computed" or last.is_due(spent_s)):
            data = reduction.encode(value)
            if data is not None:
                store.save(place, slot_place, data)
                last.was_saved(data)
        return value

    room = _ROOM_OF_PARTS if reduction.is_part else _ROOM
    found = session.remember(
        job, name, place, load, room=room, is_current=is_current, is_fresh=is_fresh
    )
    last.place = place
    if not reduction.is_part:
        job.note_measure(name, how)
    return found


def newest_result(
    session: WorkspaceSession, reduction: Reduction[T], slot: Hashable = ()
) -> tuple[T] | None:
    """Return the last result of a measure and slot, in a tuple: of this process, or on disk."""
    slot_place = _slot_place(session, reduction.name, slot)
    last = _last_of(session, slot_place)
    known = None if last.place is None else session.recall(reduction.name, last.place)
    if known is not None:
        return cast("tuple[T]", known)
    data = open_reductions(session).newest(slot_place)
    if data is not None:
        last.was_saved(data)
    return reduction.decode(data)


@dataclass(slots=True)
class _Last:
    """The last result of a slot: in this process, and on disk."""

    place: bytes | None = None
    """The key of the one that this process had last."""
    saved_bytes: int = 0
    """The size of the one on disk; 0 where none is known."""
    unsaved: int = 0
    """How many updates since then were not saved."""

    def was_saved(self, data: bytes) -> None:
        """Note that a result is on disk."""
        self.saved_bytes, self.unsaved = len(data), 0

    def is_due(self, spent_s: float) -> bool:
        """Whether to save an update that took some time.

        Otherwise the next process updates the older one on disk again.
        """
        is_small = self.saved_bytes <= SMALL_BYTES
        if is_small or self.unsaved >= _MAX_UNSAVED or spent_s > _LONG_UPDATE_S:
            return True
        self.unsaved += 1
        return False


class _LastResults(defaultdict[bytes, _Last]):
    """The last result of each slot."""

    def __init__(self) -> None:
        super().__init__(_Last)


def _last_of(session: WorkspaceSession, slot_place: bytes) -> _Last:
    return session.service(_LastResults, _LastResults)[slot_place]


def was_kept(session: WorkspaceSession, name: str, slot: Hashable) -> bool:
    """Whether a result of a measure was kept for a workspace, with whatever content."""
    return open_reductions(session).has_newest(_slot_place(session, name, slot))


def _slot_place(session: WorkspaceSession, name: str, slot: Hashable) -> bytes:
    return key_digest((name, os.fsencode(session.root), slot))


def open_reductions(session: WorkspaceSession) -> ReductionStore:
    """Return the results on disk, which the session keeps open."""
    return session.service(ReductionStore, lambda: ReductionStore(session.cache_dir / "source"))


def key_digest(key: Hashable) -> bytes:
    """Return a digest of a key, the same in every process.

    Raises:
        TypeError: for a value whose content is not known here.
    """
    try:
        data = _encode_key(key)
    except UnicodeEncodeError:  # a path that is not UTF-8
        data = repr(key).encode(errors="surrogatepass")
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()


def _refuse(value: object) -> object:
    message = f"{value!r} cannot be part of a key"
    raise TypeError(message)


# Deterministic: the order of a set is another one in every process.
_encode_key = msgspec.msgpack.Encoder(order="deterministic", enc_hook=_refuse).encode
