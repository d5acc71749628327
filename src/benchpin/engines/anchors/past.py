"""What became of a workspace since its comments were written, as far as git and the disk can tell.

Nothing is started before it is needed: most comments stand in files that did not change.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import cached_property, lru_cache, partial
from pathlib import Path, PurePosixPath
from typing import TypeVar

from benchpin.core import BenchpinError, Cancelled, Job
from benchpin.engines.source.git import Repository, find_head, find_repository
from benchpin.engines.source.git_objects import ObjectReader, open_objects
from benchpin.engines.source.walk import Tree, WalkOptions

from .document import Document, open_document
from .history import read_trail
from .moves import ChangedFile
from .trail import Trail

T = TypeVar("T")

_MOST_CHANGED = 200
_MOST_CHANGED_BYTES = 1 << 20
_MOST_TEXTS = 64
_MOST_TREES = 4

ReadNow = Callable[[str], Document | None]
"""From a path to the text that it has now; None when there is none, or it may not be read."""


class Past:
    """The way of one workspace from then to now; it shows nothing where there is no git."""

    def __init__(self, root: Path, read_now: ReadNow, job: Job, held: ExitStack) -> None:
        self.read_now = read_now
        self._root = root
        self._job = job
        self._held = held
        self._trails: dict[str, Trail | None] = {}

    @cached_property
    def head(self) -> str:
        """Return the commit that is checked out; empty when there is none."""
        repository = self._repository
        if repository is None:
            return ""
        return _answer(lambda: find_head(repository, self._job)) or ""

    def text(self, blob_id: str) -> bytes | None:
        """Return a text that git keeps."""
        objects = self._objects
        return None if objects is None else _answer(lambda: objects.read(blob_id))

    def trail(self, since: str) -> Trail | None:
        """Return what was committed since a commit; None when that cannot be told."""
        if since not in self._trails:
            self._trails[since] = self._read_trail(since)
        return self._trails[since]

    def uncommitted(self, path: str, since: datetime) -> list[ChangedFile]:
        """Return files of the same kind that were written to since, the newest first.

        Without git nobody knows what stood in them before, so there are none.
        """
        if not self.head or self._repository is None:
            return []
        suffix, start_ns = PurePosixPath(path).suffix, since.timestamp() * 1e9
        walked = _tree(self._root).refresh(self._job).files
        newer = [
            it
            for it in walked
            if it.path.endswith(suffix)
            and it.mtime_ns >= start_ns
            and it.size_bytes <= _MOST_CHANGED_BYTES
        ]
        newer.sort(key=lambda it: -it.mtime_ns)
        return [
            ChangedFile(it.path, partial(self._now, it.path), partial(self._committed, it.path))
            for it in newer[:_MOST_CHANGED]
            if self.read_now(it.path) is not None
        ]

    @cached_property
    def _repository(self) -> Repository | None:
        return _answer(lambda: find_repository(self._root, self._root))

    @cached_property
    def _objects(self) -> ObjectReader | None:
        repository = self._repository
        if repository is None:
            return None
        return _answer(lambda: self._held.enter_context(open_objects(repository, self._job)))

    def _read_trail(self, since: str) -> Trail | None:
        repository, objects = self._repository, self._objects
        if not since or not self.head or repository is None or objects is None:
            return None
        return _answer(lambda: read_trail(repository, since, self.head, objects, self._job))

    def _now(self, path: str) -> Document:
        return self.read_now(path) or Document(b"")

    def _committed(self, path: str) -> Document | None:
        repository = self._repository
        if repository is None:
            return None
        name = repository.prefix + path.removeprefix(repository.mount)
        text = self.text(f"{self.head}:{name}")
        return None if text is None else open_document(path, text)


@contextmanager
def looking_back(root: Path, read_now: ReadNow, job: Job) -> Iterator[Past]:
    """Give the past of a workspace; what was started for it ends with the block."""
    with ExitStack() as held:
        yield Past(root, lru_cache(_MOST_TEXTS)(read_now), job, held)


def _answer(ask: Callable[[], T | None]) -> T | None:
    """Do without git where it is missing, broken or too slow; a caller who left is still gone."""
    try:
        return ask()
    except Cancelled:
        raise
    except BenchpinError:
        return None


@lru_cache(_MOST_TREES)
def _tree(root: Path) -> Tree:
    return Tree(root, WalkOptions())
