"""The files of a repository as they were in the past, measured like those of now."""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, Links, May, Outline, SourceIndex, SourceQuery, Tokens
from benchpin.facts.imports import ReadFile
from benchpin.facts.languages import detect_language, is_candidate
from benchpin.facts.store import AnySection, FactCache, Section, key_of
from benchpin.workspace.git import Repository, find_head, stream
from benchpin.workspace.git_objects import ObjectReader, list_tree, open_objects
from benchpin.workspace.walking import is_foreign_path

INCOMPLETE = "the clone lacks contents of its files"
MAX_FILES = 20_000
MAX_BYTES = 1 << 28
_MAX_MANIFEST_BYTES = 1 << 20
# Enough of a text to detect its language.
_HEAD_BYTES = 8_192
_FILES_AT_ONCE = 500
_REGULAR = frozenset({"100644", "100755"})
_UNSAFE_NAMES = frozenset({"", ".", ".."})
_PREFIX = "past-"
_ABANDONED_S = 86_400
# The sections that are measured.
_DECODERS: dict[Section, Callable[[bytes], AnySection]] = {
    "outline": msgspec.msgpack.Decoder(Outline).decode,
    "links": msgspec.msgpack.Decoder(Links).decode,
    "tokens": msgspec.msgpack.Decoder(Tokens).decode,
}


class Unmeasurable(Exception):
    """A tree of the past cannot be measured, and why."""


class UnmeasurableNow(Unmeasurable):
    """It may be measured another time: the disk was full, or the clone lacks objects."""


@dataclass(frozen=True, slots=True)
class PastTree:
    """The code of one commit."""

    commit: str
    blobs: Mapping[str, str]
    """The git ids of what may be code and may be read, by path in order; no links."""


def tree_at(
    repository: Repository, head: str | None, moment: datetime | None, may: May, job: Job
) -> PastTree | None:
    """Return the tree of a commit, or what it had been at a moment; None when there was none.

    Without a `head`, the commit is the one that is checked out.

    Raises:
        Cancelled: when the job was cancelled.
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
    """
    commit = head or find_head(repository, job)
    if commit is not None and moment is not None:
        commit = _commit_before(repository, commit, moment, job)
    if not commit:
        return None
    found = {
        it.path: it.object_id
        for it in list_tree(repository, commit, job)
        if it.mode in _REGULAR and _may_be_code(it.path) and may(it.path)
    }
    return PastTree(commit, dict(sorted(found.items())))


def _commit_before(repository: Repository, head: str, moment: datetime, job: Job) -> str:
    age = f"--min-age={int(moment.timestamp())}"
    options = ("-1", "--first-parent", "--format=%H", age)
    return b"".join(stream(repository, "log", options, (head,), None, job)).decode("ascii").strip()


def _may_be_code(path: str) -> bool:
    """Whether a path can be one of code, and can be written below a folder."""
    parts = path.split("/")
    return is_candidate(parts[-1]) and path.isprintable() and _UNSAFE_NAMES.isdisjoint(parts)


@contextmanager
def facts_of(
    tree: PastTree, repository: Repository, cache_dir: Path, job: Job
) -> Iterator[tuple[list[FileFacts], ReadFile]]:
    """Give the facts of a past tree, and what reads its other files, while git runs.

    Raises:
        Cancelled: when the job was cancelled.
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the job's time is up.
        Unmeasurable: when it is too large, is not all there, or cannot be written to disk.
    """
    if len(tree.blobs) > MAX_FILES:
        raise Unmeasurable(f"{len(tree.blobs):,} files, over {MAX_FILES:,}")
    facts_dir = cache_dir / "source"

    def read(path: str) -> bytes | None:
        name = f"{tree.commit}:{repository.prefix}{path.removeprefix(repository.mount)}"
        is_file = path.isprintable() and not path.endswith("/")
        content = objects.read(name) if is_file else None
        return None if content is None else content[:_MAX_MANIFEST_BYTES]

    with open_objects(repository, job) as objects:
        with (
            closing(FactCache(facts_dir)) as cache,
            _empty_folder(cache_dir / "insight") as root,
        ):
            files = _write_unknown(tree, objects, cache, root)
            with closing(SourceIndex(root, facts_dir)) as index:
                files += index.read(SourceQuery(sections=tuple(_DECODERS)), job).files
            # The folder is about to go; what is cached by content stays.
            cache.forget(os.fsencode(root))
        yield sorted(files, key=lambda it: it.path), read


@contextmanager
def _empty_folder(inside: Path) -> Iterator[Path]:
    """Give a folder that is removed afterwards."""
    try:
        inside.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(inside)
        made = TemporaryDirectory(prefix=_PREFIX, dir=inside)
    except OSError as error:
        raise UnmeasurableNow(f"cannot be written down: {error.strerror}") from error
    with made as place:
        yield Path(place).resolve()


def _remove_abandoned(folder: Path) -> None:
    """Remove what killed processes left behind."""
    for place in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if time.time() - place.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(place)


def _write_unknown(
    tree: PastTree, objects: ObjectReader, cache: FactCache, root: Path
) -> list[FileFacts]:
    """Return the facts that are cached for a tree, and write its other texts into an empty folder.

    The folder contains no link, so nothing is written outside it.
    """
    files: list[FileFacts] = []
    size = 0
    ahead = iter(tree.blobs.items())
    while some := dict(islice(ahead, _FILES_AT_ONCE)):
        read = zip(some, objects.read_each(some.values()), strict=True)
        texts = {path: text for path, text in read if text is not None}
        if objects.missing:
            raise UnmeasurableNow(INCOMPLETE)
        size += sum(map(len, texts.values()))
        if size > MAX_BYTES:
            raise Unmeasurable(f"over {MAX_BYTES >> 20} MiB of code")
        cached = _cached_facts(cache, texts)
        files += cached
        for path in texts.keys() - {file.path for file in cached}:
            _write_new(root / path, texts[path])
    return files


def _cached_facts(cache: FactCache, texts: Mapping[str, bytes]) -> list[FileFacts]:
    """Return the facts of texts that were measured before, under any path."""
    keys: dict[str, tuple[str, bytes]] = {}
    for path, text in texts.items():
        language = detect_language(path, partial(bytes, text[:_HEAD_BYTES]))
        if language is not None and not is_foreign_path(path):
            keys[path] = language, key_of(text, language)
    wanted = sorted({key for _, key in keys.values()})
    stored = {section: cache.load(section, wanted) for section in _DECODERS}
    files = []
    for path, (language, key) in keys.items():
        # A section that is missing or damaged is measured again, with the others.
        with suppress(KeyError, ValueError, RecursionError):
            sections: dict[str, AnySection] = {
                name: decode(stored[name][key]) for name, decode in _DECODERS.items()
            }
            files.append(FileFacts(path, language, len(texts[path]), sections, key))
    return files


def _write_new(place: Path, content: bytes) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as file:
            file.write(content)
    except FileExistsError:  # two names of git that are one on a disk that ignores case
        return
    except OSError as error:
        raise UnmeasurableNow(f"cannot be written down: {error.strerror}") from error
