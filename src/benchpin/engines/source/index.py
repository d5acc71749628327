"""The files of a workspace and their facts: from memory, from the cache, or made now.

Nothing is parsed in this process: a grammar that crashes on a file costs a worker, not the server.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from threading import Lock
from typing import Literal, cast

import msgspec

from benchpin.core import Job

from .cache import FactCache, Stamp
from .detect import detect_language
from .facts import Comments, Links, Outline, Tokens
from .pool import WorkerPool
from .walk import SourceFile, Tree, WalkOptions
from .worker import Measured, Order

Strategy = Literal["normal", "force-refresh", "offline"]
Section = Literal["outline", "links", "comments", "tokens"]
AnySection = Outline | Links | Comments | Tokens

_KEPT = frozenset({"outline", "links"})
"""Sections that stay in memory; the others are bigger than they are useful."""
_ORDER_BYTES = 300_000
_HEAD_BYTES = 8_192
_MOST_TREES = 16
"""How many different walks are remembered."""
_RACY_NS = 2_000_000_000
"""A file that changed this short a time ago may change again without looking different."""
_DECODERS: dict[str, Callable[[bytes], AnySection]] = {
    "outline": msgspec.msgpack.Decoder(Outline).decode,
    "links": msgspec.msgpack.Decoder(Links).decode,
    "comments": msgspec.msgpack.Decoder(Comments).decode,
    "tokens": msgspec.msgpack.Decoder(Tokens).decode,
}


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """Which files, and what to know of them."""

    start: str = ""
    options: WalkOptions = field(default_factory=WalkOptions)
    sections: tuple[Section, ...] = ("outline",)
    languages: frozenset[str] | None = None
    strategy: Strategy = "normal"
    workers: int | None = None


@dataclass(frozen=True, slots=True)
class FileFacts:
    """One file, and those of its sections that were asked for."""

    path: str
    language: str
    size_bytes: int
    sections: dict[str, AnySection]

    @property
    def outline(self) -> Outline:
        """The functions and types of the file."""
        return cast("Outline", self.sections["outline"])

    @property
    def links(self) -> Links:
        """How the file hangs together with others."""
        return cast("Links", self.sections["links"])

    @property
    def comments(self) -> Comments:
        """What the authors wrote for one another."""
        return cast("Comments", self.sections["comments"])

    @property
    def tokens(self) -> Tokens:
        """The token stream."""
        return cast("Tokens", self.sections["tokens"])


@dataclass(frozen=True, slots=True)
class Sources:
    """What was found, and what was not measured, with the reason."""

    files: list[FileFacts]
    unmeasured: dict[str, str]
    skipped: dict[str, int]


@dataclass(slots=True)
class _Entry:
    stamp: Stamp
    sections: dict[str, AnySection] = field(default_factory=dict)


class SourceIndex:
    """Knows one workspace, and looks only at what changed since it was last asked."""

    def __init__(self, root: Path, cache_folder: Path) -> None:
        self._root = root
        self._cache_folder = cache_folder
        self._cache = FactCache(cache_folder)
        self._pool = WorkerPool()
        self._lock = Lock()
        self._tree = lru_cache(_MOST_TREES)(partial(Tree, root))
        self._languages: dict[SourceFile, str | None] = {}
        self._entries = {
            path: _Entry(stamp) for path, stamp in self._cache.stamps(str(root)).items()
        }

    def read(self, query: SourceQuery, job: Job) -> Sources:
        """Return the facts of the files that a query means.

        Raises:
            Cancelled: when the job was cancelled.
        """
        with self._lock:
            walked = self._tree(query.options, query.start).refresh(job)
            chosen = self._chosen(walked.files, query)
            if query.strategy != "force-refresh":
                self._recall([file for file in chosen if self._is_unchanged(file)], query.sections)
            missing = [file for file in chosen if not self._has(file, query)]
            if query.strategy == "offline":
                unmeasured = {file.path: "not in the cache" for file in missing}
            else:
                unmeasured = self._measure(missing, chosen, query, job)
            files = [
                FileFacts(file.path, language, file.size_bytes, self._taken(file, query))
                for file, language in chosen.items()
                if self._has_sections(file, query)
            ]
            return Sources(files, unmeasured, walked.skipped)

    def others(self, options: WalkOptions, job: Job) -> list[SourceFile]:
        """Return the files of the workspace that are in no language that is known here.

        Raises:
            Cancelled: when the job was cancelled.
        """
        with self._lock:
            walked = self._tree(options, "").refresh(job)
            return [file for file in walked.files if self._language(file) is None]

    def close(self) -> None:
        """Let go of workers and cache."""
        self._pool.close()
        self._cache.close()

    def _chosen(self, files: Iterable[SourceFile], query: SourceQuery) -> dict[SourceFile, str]:
        found = ((file, self._language(file)) for file in files)
        wanted = query.languages
        return {
            file: language
            for file, language in found
            if language is not None and (wanted is None or language in wanted)
        }

    def _language(self, file: SourceFile) -> str | None:
        if file not in self._languages:
            self._languages[file] = detect_language(file.path, lambda: self._head(file.path))
        return self._languages[file]

    def _head(self, path: str) -> bytes:
        try:
            with (self._root / path).open("rb") as opened:
                return opened.read(_HEAD_BYTES)
        except OSError:
            return b""

    def _is_unchanged(self, file: SourceFile) -> bool:
        entry = self._entries.get(file.path)
        if entry is None:
            return False
        stamp = entry.stamp
        return (stamp.size_bytes, stamp.mtime_ns) == (file.size_bytes, file.mtime_ns)

    def _has(self, file: SourceFile, query: SourceQuery) -> bool:
        is_fresh = query.strategy != "force-refresh"
        return is_fresh and self._is_unchanged(file) and self._has_sections(file, query)

    def _has_sections(self, file: SourceFile, query: SourceQuery) -> bool:
        entry = self._entries.get(file.path)
        return entry is not None and all(name in entry.sections for name in query.sections)

    def _taken(self, file: SourceFile, query: SourceQuery) -> dict[str, AnySection]:
        """Hand out sections, and keep only those that are worth their room."""
        sections = self._entries[file.path].sections
        taken: dict[str, AnySection] = {name: sections[name] for name in query.sections}
        for name in query.sections:
            if name not in _KEPT:
                del sections[name]
        return taken

    def _recall(self, files: Sequence[SourceFile], sections: Sequence[Section]) -> None:
        """Fetch from the cache what is not in memory."""
        for section in sections:
            entries = [self._entries[file.path] for file in files]
            lacking = [entry for entry in entries if section not in entry.sections]
            stored = self._cache.load(section, [entry.stamp.key for entry in lacking])
            for entry in lacking:
                data = stored.get(entry.stamp.key)
                if data is not None:
                    _decode_into(entry, section, data)

    def _measure(
        self,
        files: Sequence[SourceFile],
        languages: dict[SourceFile, str],
        query: SourceQuery,
        job: Job,
    ) -> dict[str, str]:
        """Have files measured by workers; returns those that could not be, and why."""
        unmeasured: dict[str, str] = {}
        stamps: dict[str, Stamp] = {}
        done = 0
        for measured in self._pool.map(self._orders(files, languages, query), job, query.workers):
            for item in measured:
                if item.problem:
                    unmeasured[item.path] = item.problem
                    self._entries.pop(item.path, None)
                else:
                    stamps[item.path] = self._remember(item)
            done += len(measured)
            job.report(done, len(files), "files")
        if done < len(files):
            job.leave_out(f"{len(files) - done} of {len(languages)} files")
            unmeasured |= {
                file.path: "out of time"
                for file in files
                if file.path not in stamps and file.path not in unmeasured
            }
        if stamps:
            self._cache.save_stamps(str(self._root), stamps, ())
            self._cache.trim()
        return unmeasured

    def _remember(self, item: Measured) -> Stamp:
        is_racy = time.time_ns() - item.mtime_ns < _RACY_NS
        stamp = Stamp(item.size_bytes, -1 if is_racy else item.mtime_ns, item.key)
        entry = self._entries[item.path] = _Entry(stamp)
        for section, data in item.sections.items():
            _decode_into(entry, section, data)
        return stamp

    def _orders(
        self, files: Sequence[SourceFile], languages: dict[SourceFile, str], query: SourceQuery
    ) -> list[Order]:
        """Put files into orders of about equal size, the biggest files first."""
        orders: list[Order] = []
        chunk: list[tuple[str, str]] = []
        size = 0
        for file in sorted(files, key=lambda it: (-it.size_bytes, it.path)):
            chunk.append((file.path, languages[file]))
            size += file.size_bytes
            if size >= _ORDER_BYTES:
                orders.append(self._order(chunk, query))
                chunk, size = [], 0
        return [*orders, self._order(chunk, query)] if chunk else orders

    def _order(self, files: list[tuple[str, str]], query: SourceQuery) -> Order:
        is_fresh = query.strategy == "force-refresh"
        folder = str(self._cache_folder)
        return Order(str(self._root), folder, tuple(files), query.sections, is_fresh)


def _decode_into(entry: _Entry, section: str, data: bytes) -> None:
    """Keep a section; one that does not fit its type is as if it were not there."""
    try:
        entry.sections[section] = _DECODERS[section](data)
    except msgspec.MsgspecError:
        entry.sections.pop(section, None)


@lru_cache(maxsize=4)
def index_of(root: Path, cache_dir: Path) -> SourceIndex:
    """Return the index of a workspace; a server keeps it from call to call."""
    return SourceIndex(root, cache_dir / "source")
