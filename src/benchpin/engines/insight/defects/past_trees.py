"""The files of a repository as they were at a moment of the past, measured like those of now."""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from benchpin.core import Job
from benchpin.engines.insight.project import COPIES, coupling_of, duplicated_shares
from benchpin.engines.metrics.duplicates import find_duplicates
from benchpin.engines.metrics.graph import build_graph
from benchpin.engines.source.detect import is_candidate
from benchpin.engines.source.git import Repository, find_head, stream
from benchpin.engines.source.git_objects import ObjectReader, open_objects
from benchpin.engines.source.imports import ReadFile
from benchpin.engines.source.index import FileFacts, SourceIndex, SourceQuery

from .features import Surroundings
from .known_texts import SECTIONS, KnownTexts

MOST_FILES = 20_000
MOST_BYTES = 1 << 28
_MOST_MANIFEST_BYTES = 1 << 20
_CODEC = ("utf-8", "surrogateescape")
_AT_ONCE = 500
_REGULAR = frozenset({"100644", "100755"})
_PREFIX = "past-"
_ABANDONED_S = 86_400


class Unmeasurable(Exception):
    """A tree of the past cannot be measured, and why."""


class Unwritable(Unmeasurable):
    """It cannot be written down to be measured, for now."""


@dataclass(frozen=True, slots=True)
class PastTree:
    """The code of one commit."""

    commit: str
    blobs: Mapping[str, str]
    """What may be code and may be read, by path, and git's id of what it says; no links."""

    @property
    def paths(self) -> list[str]:
        """The paths, by name."""
        return list(self.blobs)


def tree_at(
    repository: Repository, moment: datetime | None, may: Callable[[str], bool], job: Job
) -> PastTree | None:
    """Return what was checked out at a moment, the newest without one; None when nothing was.

    Raises:
        Cancelled: when the job was.
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    head = find_head(repository, job)
    if head is None:
        return None
    commit = head if moment is None else _commit_before(repository, head, moment, job)
    if not commit:
        return None
    listed = b"".join(stream(repository, "ls-tree", (), (commit,), None, job))
    prefix, mount = repository.prefix, repository.mount
    found: dict[str, str] = {}
    for line in listed.split(b"\0")[:-1]:
        about, _, name = line.partition(b"\t")
        mode, _, blob = about.decode("ascii").split(" ")
        path = name.decode(*_CODEC)
        inside = mount + path.removeprefix(prefix)
        if mode in _REGULAR and path.startswith(prefix) and _is_code(inside) and may(inside):
            found[inside] = blob
    return PastTree(commit, dict(sorted(found.items())))


def _commit_before(repository: Repository, head: str, moment: datetime, job: Job) -> str:
    age = f"--min-age={int(moment.timestamp())}"
    found = stream(
        repository, "log", ("-1", "--first-parent", "--format=%H", age), (head,), None, job
    )
    return b"".join(found).decode("ascii").strip()


def _is_code(path: str) -> bool:
    """Whether a path can be one of code, and can be written beneath a folder."""
    parts = path.split("/")
    return is_candidate(parts[-1]) and path.isprintable() and _ELSEWHERE.isdisjoint(parts)


_ELSEWHERE = frozenset({"", ".", ".."})


@contextmanager
def facts_of(
    tree: PastTree, repository: Repository, cache_dir: Path, job: Job
) -> Iterator[tuple[list[FileFacts], ReadFile]]:
    """Give the facts of a past tree, and what reads its other files, while git runs.

    Raises:
        Cancelled: when the job was.
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
        Unmeasurable: when it is too much, or cannot be written down.
    """
    if len(tree.blobs) > MOST_FILES:
        raise Unmeasurable(f"{len(tree.blobs):,} files, over {MOST_FILES:,}")
    names = _Names(repository, tree.commit)
    with open_objects(repository, job) as objects:
        with (
            closing(KnownTexts(cache_dir / "source")) as known,
            _empty_folder(cache_dir / "insight") as root,
        ):
            recalled = _write_unknown(tree, objects, known, root)
            files = [*recalled, *_measure(root, cache_dir / "source", known, job)]
        yield sorted(files, key=lambda it: it.path), lambda path: _manifest(objects, names, path)


def _measure(root: Path, cache_folder: Path, known: KnownTexts, job: Job) -> list[FileFacts]:
    index = SourceIndex(root, cache_folder)
    try:
        files = index.read(SourceQuery(sections=SECTIONS), job).files
    finally:
        index.close()
    known.forget_place(root)
    return files


@contextmanager
def _empty_folder(inside: Path) -> Iterator[Path]:
    """Give a folder that is gone afterwards."""
    try:
        inside.mkdir(parents=True, exist_ok=True)
        _sweep(inside)
        made = TemporaryDirectory(prefix=_PREFIX, dir=inside)
    except OSError as error:
        raise Unwritable(f"cannot be written down: {error.strerror}") from error
    with made as place:
        yield Path(place).resolve()


def _sweep(folder: Path) -> None:
    """Remove what killed processes left behind."""
    for place in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if time.time() - place.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(place)


def measure_surroundings(files: Sequence[FileFacts], read: ReadFile, job: Job) -> Surroundings:
    """Measure duplication and coupling; the files need outline, links and tokens."""
    people = [file for file in files if not file.outline.is_generated]
    copies = find_duplicates(people, COPIES, job)
    imports = build_graph(people, read, "import-graph", job)
    return Surroundings(duplicated_shares(copies, people), coupling_of(imports))


@dataclass(frozen=True, slots=True)
class _Names:
    """What git calls the files of the workspace."""

    repository: Repository
    commit: str

    def of(self, path: str) -> str:
        inside = path.removeprefix(self.repository.mount)
        return f"{self.commit}:{self.repository.prefix}{inside}"


def _write_unknown(
    tree: PastTree, objects: ObjectReader, known: KnownTexts, root: Path
) -> list[FileFacts]:
    """Return what is known of the texts of a tree, and write the others into an empty folder.

    There is no link in it that could lead elsewhere.
    """
    files: list[FileFacts] = []
    size = 0
    ahead = iter(tree.blobs.items())
    while some := dict(islice(ahead, _AT_ONCE)):
        read = zip(some, objects.read_each(some.values()), strict=True)
        texts = {path: text for path, text in read if text is not None}
        size += sum(map(len, texts.values()))
        if size > MOST_BYTES:
            raise Unmeasurable(f"over {MOST_BYTES >> 20} MiB of code")
        recalled = known.find(texts)
        files += recalled
        for path in texts.keys() - {file.path for file in recalled}:
            _write_new(root / path, texts[path])
    return files


def _write_new(place: Path, content: bytes) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as file:
            file.write(content)
    except FileExistsError:  # where case does not matter, and to git it does
        return
    except OSError as error:
        raise Unwritable(f"cannot be written down: {error.strerror}") from error


def _manifest(objects: ObjectReader, names: _Names, path: str) -> bytes | None:
    content = objects.read(names.of(path)) if path.isprintable() else None
    return None if content is None else content[:_MOST_MANIFEST_BYTES]
