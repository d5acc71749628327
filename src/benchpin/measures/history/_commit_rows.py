"""What git says about each commit, kept by its id: after new commits, only those are read.

A commit never changes, so neither does what it changed. What else decides how git shows it is part
of the place where rows are kept: names in `.mailmap`, replaced objects, attributes of files, and
the part of the repository that the workspace is. The oldest commits of a shallow clone are not
kept, as they look otherwise once it is deepened, nor are commits whose lines were not counted.
"""

import os
from collections.abc import Iterable
from itertools import chain, islice

import msgspec

from benchpin.core.calls import WorkspaceSession
from benchpin.memory import Reduction, key_digest, open_reductions
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.git import ATTRIBUTES, Repository, shown_by
from benchpin.workspace.git_objects import LogEntry

# Rows that are kept for a repository; those read last stay.
_MAX_ROWS = 200_000
_MAX_BYTES = 1 << 20
_ROWS = Reduction[dict[str, bytes]]("commit rows", dict[str, bytes])
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(LogEntry).decode


class CommitRows:
    """The rows of one repository by commit; encoded, as there may be many."""

    def __init__(
        self, session: WorkspaceSession, repository: Repository, tracked: Iterable[bytes], *key: str
    ) -> None:
        """Find the rows that are kept for a key; `tracked` are the paths under version control."""
        root = os.fsencode(repository.root)
        attributes = (it for it in tracked if it.rpartition(b"/")[2] == ATTRIBUTES)
        shown = (*shown_by(repository), *(_content(root, it) for it in sorted(attributes)))
        self._store = open_reductions(session)
        self._place = key_digest((_ROWS.name, root, shown, key))
        found = _ROWS.decode(self._store.load(self._place))
        self._known: dict[str, bytes] = {} if found is None else found[0]
        self._new: dict[str, bytes] = {}

    def __len__(self) -> int:
        """Return how many rows are known."""
        return len(self._known)

    def __contains__(self, commit: str) -> bool:
        """Whether the row of a commit is known."""
        return commit in self._known

    def __getitem__(self, commit: str) -> LogEntry:
        """Return the row of a commit that is known."""
        return _decode(self._known[commit])

    def add(self, entry: LogEntry) -> None:
        """Take a row that was read now."""
        if entry.id not in self._known:
            self._new[entry.id] = _encode(entry)

    def save(self) -> None:
        """Keep the rows that were added."""
        if self._new:
            rows = islice(chain(self._new.items(), self._known.items()), _MAX_ROWS)
            self._known, self._new = dict(rows), {}
            data = _ROWS.encode(self._known)
            if data is not None:
                self._store.save(self._place, self._place, data)


def _content(root: bytes, path: bytes) -> bytes:
    try:
        return path + b"\0" + read_regular(root, os.fsdecode(path), _MAX_BYTES)[0]
    except Unreadable:
        return path
