"""What became of a workspace since its comments were written, as far as git and the disk can tell.

Nothing is started before it is needed: most comments stand in files that did not change.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import cached_property, lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import TypeVar

from benchpin.core import BenchpinError, Cancelled, Job, PathError, TimeLimitExceeded
from benchpin.engines.source.git import (
    NotARepository,
    Repository,
    find_head,
    find_repository,
)
from benchpin.engines.source.git_objects import ObjectReader, open_objects
from benchpin.engines.source.walk import SourceFile, Tree, WalkOptions

from .document import Document, open_document
from .history import read_trail
from .moves import ChangedFile
from .trail import Trail

T = TypeVar("T")

_MOST_CHANGED = 200
_MOST_CHANGED_BYTES = 1 << 20
_MOST_TEXTS = 64
_MOST_TREES = 4
_LEFT_OUT = "git history of the commented files"

ReadNow = Callable[[str], Document | None]
"""From a path to the text that it has now; None when there is none, or it may not be read."""


class _History:
    """What one repository knows; nothing is started before it is asked."""

    def __init__(self, repository: Repository, job: Job, held: ExitStack) -> None:
        self._repository = repository
        self._job = job
        self._held = held
        self._trails: dict[str, Trail | None] = {}

    @cached_property
    def head(self) -> str:
        return self._ask(lambda: find_head(self._repository, self._job)) or ""

    @cached_property
    def _objects(self) -> ObjectReader | None:
        opening = partial(open_objects, self._repository, self._job)
        return self._ask(lambda: self._held.enter_context(opening()))

    def text(self, name: str) -> bytes | None:
        objects = self._objects
        return None if objects is None else self._ask(lambda: objects.read(name))

    def committed(self, path: str) -> bytes | None:
        name = self._repository.prefix + path.removeprefix(self._repository.mount)
        return self.text(f"{self.head}:{name}")

    def trail(self, since: str) -> Trail | None:
        if since not in self._trails:
            self._trails[since] = self._read_trail(since)
        return self._trails[since]

    def _read_trail(self, since: str) -> Trail | None:
        if not since or not self.head or self._objects is None:
            return None
        return self._ask(
            lambda: read_trail(self._repository, since, self.head, self.text, self._job)
        )

    def _ask(self, question: Callable[[], T | None]) -> T | None:
        """Do without git where it is missing, broken or too slow, and record what time cut off."""
        try:
            return question()
        except Cancelled:
            raise
        except TimeLimitExceeded:
            self._job.leave_out(_LEFT_OUT)
            return None
        except BenchpinError:
            return None


class Past:
    """The way of a workspace from then to now, through all repositories in it.

    Where there is none it shows nothing.
    """

    def __init__(self, root: Path, read_now: ReadNow, job: Job, held: ExitStack) -> None:
        self.read_now = read_now
        self._root = root
        self._job = job
        self._held = held
        self._by_folder: dict[Path, _History | None] = {}
        self._by_home: dict[Path, _History | None] = {}
        self._omissions = job.omissions

    @property
    def is_cut_short(self) -> bool:
        """Whether anything was left out since this was opened; it stays so for all later files.

        Answers are kept for the whole call, so a file can be placed by one that was cut short for
        another file.
        """
        return self._job.omissions > self._omissions

    def head(self, path: str) -> str:
        """Return the commit that is checked out where a file is; empty when there is none."""
        history = self._history(path)
        return "" if history is None else history.head

    def text(self, path: str, blob_id: str) -> bytes | None:
        """Return a text of a file that git keeps."""
        history = self._history(path)
        return None if history is None else history.text(blob_id)

    def trail(self, path: str, since: str) -> Trail | None:
        """Return what was committed since a commit; None when that cannot be told."""
        history = self._history(path)
        return None if history is None else history.trail(since)

    def uncommitted(
        self, path: str, since: datetime, size_bytes: int | None = None
    ) -> list[ChangedFile]:
        """Return files of the same kind that were written to or renamed since, the newest first.

        Those of a folder that was renamed do not show it; `size_bytes` finds the one that is what
        the file was. Without git nobody knows what stood in them before, so there are none.
        """
        if not self.head(path):
            return []
        suffix, start_ns = PurePosixPath(path).suffix, since.timestamp() * 1e9
        newer = [
            it
            for it in _tree(self._root).refresh(self._job).files
            if it.path.endswith(suffix)
            and (_touched_ns(it) >= start_ns or it.size_bytes == size_bytes)
            and it.size_bytes <= _MOST_CHANGED_BYTES
        ]
        newer.sort(key=lambda it: (it.size_bytes != size_bytes, -_touched_ns(it)))
        return [
            ChangedFile(it.path, partial(self._now, it.path), partial(self._committed, it.path))
            for it in newer[:_MOST_CHANGED]
            if self.head(it.path) and self.read_now(it.path) is not None
        ]

    def _history(self, path: str) -> _History | None:
        folder = (self._root / path).parent
        if folder not in self._by_folder:
            self._by_folder[folder] = self._find(folder)
        return self._by_folder[folder]

    def _find(self, folder: Path) -> _History | None:
        """Return the history of a folder, or of the one that it was in."""
        while folder != self._root and not folder.is_dir():
            folder = folder.parent
        around = (folder, *folder.parents)
        home = next((it for it in around if os.path.lexists(it / ".git")), None)
        if home is None:
            return None
        if home not in self._by_home:
            try:
                repository = find_repository(folder, self._root)
            except (NotARepository, PathError):
                self._by_home[home] = None
            else:
                self._by_home[home] = _History(repository, self._job, self._held)
        return self._by_home[home]

    def _now(self, path: str) -> Document:
        return self.read_now(path) or Document(b"")

    def _committed(self, path: str) -> Document | None:
        history = self._history(path)
        text = None if history is None else history.committed(path)
        return None if text is None else open_document(path, text)


@contextmanager
def looking_back(root: Path, read_now: ReadNow, job: Job) -> Iterator[Past]:
    """Give the past of a workspace; what was started for it ends with the block."""
    with ExitStack() as held:
        yield Past(root, lru_cache(_MOST_TEXTS)(read_now), job, held)


def _touched_ns(file: SourceFile) -> int:
    """Return when a file was written to or renamed."""
    return max(file.mtime_ns, file.ctime_ns)


@lru_cache(_MOST_TREES)
def _tree(root: Path) -> Tree:
    return Tree(root, WalkOptions())
