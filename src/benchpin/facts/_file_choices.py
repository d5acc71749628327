"""Which files are asked for and may be read, their languages, and what is known of each."""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Callable, Container, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from typing import TypeVar, cast
from weakref import WeakKeyDictionary, ref

import msgspec

from benchpin.core.calls import Job
from benchpin.facts.languages import detect_language, is_in_doubt, read_language
from benchpin.facts.store import DECODERS, AnySection, FileStamp, Section
from benchpin.facts.workers import FileResult, Strategy
from benchpin.workspace.files import RACY_NS
from benchpin.workspace.walking import (
    ScopeChoice,
    SourceFile,
    WalkOptions,
    WalkResult,
    scope_of_path,
)

from ._file_facts import FileFacts

T = TypeVar("T")


# The limit of how many files it is remembered what their first bytes said of their language.
_MAX_HEADS = 1 << 16

# Whether a path may be looked at; what may not is neither read nor named.
May = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class SourceQuery:
    """Which files, and what to know of them."""

    start: str = ""
    options: WalkOptions = field(default_factory=WalkOptions)
    sections: tuple[Section, ...] = ("outline",)
    on_demand: tuple[Section, ...] = ()
    """Sections that are loaded when they are asked for, if the cache has them all."""
    languages: frozenset[str] | None = None
    paths: frozenset[str] | None = None
    """Only these files."""
    scope: ScopeChoice = "all"
    """Which kinds of code; what is of other kinds is not even parsed."""
    strategy: Strategy = "normal"
    workers: int | None = None


@dataclass(frozen=True)
class Sources:
    """What was found, and what was not measured, with the reason."""

    files: list[FileFacts]
    unmeasured: dict[str, str]
    skipped: dict[str, int]
    scope: ScopeChoice = "all"
    """Which kinds of code are among them; all where a selection has no production code."""

    @cached_property
    def digest(self) -> bytes:
        digest = hashlib.blake2b(digest_size=16)
        for file in self.files:
            digest.update(os.fsencode(file.path) + b"\0" + file.key)
        return digest.digest()


@dataclass(frozen=True, slots=True)
class FileChoice:
    """The files that may be read and are in the wanted languages."""

    walked: WalkResult
    files: dict[SourceFile, str]
    """With their languages, by path."""
    unnamed: tuple[tuple[str, str], ...]
    """Those that cannot be named, and why."""
    skipped: dict[str, int]
    """How many files and folders were skipped, by reason."""

    def among(self, paths: Container[str]) -> "FileChoice":
        files = {file: language for file, language in self.files.items() if file.path in paths}
        return replace(
            self, files=files, unnamed=tuple(it for it in self.unnamed if it[0] in paths)
        )

    def in_scope(self, scope: ScopeChoice) -> tuple[ScopeChoice, "FileChoice"]:
        """Return the files of a scope, and the scope that they are of; the others are counted.

        Where all files are tests and samples, such as in a folder of tests, production means them.
        """
        kinds = {file.path: scope_of_path(file.path) for file in self.files}
        wanted = kinds_in(scope)
        if scope == "all" or (scope == "production" and wanted.isdisjoint(kinds.values())):
            return "all", self
        others = Counter(kind for kind in kinds.values() if kind not in wanted)
        paths = {path for path, kind in kinds.items() if kind in wanted}
        paths.update(path for path, _ in self.unnamed if scope_of_path(path) in wanted)
        skipped = dict(sorted((others + Counter(self.skipped)).items()))
        return scope, replace(self.among(paths), skipped=skipped)


def kinds_in(scope: ScopeChoice) -> frozenset[str]:
    """Return the kinds of code in a scope; generated files are here only if they are wanted."""
    return frozenset({"production", "generated"} if scope == "production" else {scope})


class OncePerJob:
    """Values that are made once for a job, which sees a workspace as of one moment."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Job, dict[Hashable, object]] = WeakKeyDictionary()

    def recall(self, job: Job, key: Hashable) -> object | None:
        """Return a value that was made for a job; None if there is none."""
        return self._known.get(job, {}).get(key)

    def recall_or(self, job: Job, key: Hashable, make: Callable[[], T]) -> T:
        """Return a value, made now if it is not known; one that lacks something is not kept."""
        known = self._known.setdefault(job, {})
        if key in known:
            return cast("T", known[key])
        omissions = job.omissions
        value = make()
        if job.omissions == omissions:
            known[key] = value
        return value


class FileChoices:
    def __init__(self, root: bytes, once: OncePerJob) -> None:
        self._root = root
        self._once = once
        self._language_by_head = lru_cache(_MAX_HEADS)(partial(_language_inside, root))

    def choose(
        self, walked: WalkResult, wanted: frozenset[str] | None, may: May, job: Job
    ) -> FileChoice:
        """Return the files in the languages that are wanted, and those with impossible names."""
        permitted = [file for file in walked.files if may(file.path)]
        chosen: dict[SourceFile, str] = {}
        unnamed: list[tuple[str, str]] = []
        settled_ns = time.time_ns() - RACY_NS
        for file in permitted:
            path = file.path
            language = self._language(file, settled_ns, job)
            if language is None or (wanted is not None and language not in wanted):
                continue
            if path.isascii() or readable(path) == path:
                chosen[file] = language
            else:
                unnamed.append((path, "its name is not UTF-8"))
        denied = len(walked.files) - len(permitted)
        skipped = walked.skipped | ({"not permitted": denied} if denied else {})
        return FileChoice(walked, chosen, tuple(unnamed), skipped)

    def others(self, walked: WalkResult, may: May, job: Job) -> list[SourceFile]:
        """Return the files that may be read and are in no language that is known here."""
        settled_ns = time.time_ns() - RACY_NS
        return [
            file
            for file in walked.files
            if may(file.path) and self._language(file, settled_ns, job) is None
        ]

    def _language(self, file: SourceFile, settled_ns: int, job: Job) -> str | None:
        """Return the language of a file; what one said that changed since then may not hold."""
        is_sure, language = _language_by_name(file.path)
        if is_sure:
            return language
        if max(file.mtime_ns, file.ctime_ns) < settled_ns:
            return self._language_by_head(file)
        return self._once.recall_or(job, file, partial(_language_inside, self._root, file))


# Asked for every file at every call: a lookup takes a tenth of the time.
@lru_cache(maxsize=1 << 17)
def _language_by_name(path: str) -> tuple[bool, str | None]:
    """Return whether the name of a file says in which language it is, and the language."""
    return (False, None) if is_in_doubt(path) else (True, detect_language(path, bytes))


def _language_inside(root: bytes, file: SourceFile) -> str | None:
    return read_language(root, file.path)


def readable(path: str) -> str:
    """Return a path as text, whatever bytes it is made of."""
    return os.fsencode(path).decode(errors="replace")


# Sections that stay in memory; the others are bigger than they are useful.
KEPT = frozenset({"outline", "links"})


class Entry(msgspec.Struct, gc=False):
    """What is known of one file."""

    stamp: FileStamp
    sections: dict[str, AnySection] = {}
    problem: str = ""
    """Why it is not tried again as it is."""
    read_for: "ref[Job] | None" = None

    def fits(self, file: SourceFile, job: Job) -> bool:
        """Whether the file is certainly as it was; what a job has read stays so until it ends."""
        stamp = self.stamp
        return (
            stamp.mtime_ns == file.mtime_ns
            and stamp.ctime_ns == file.ctime_ns
            and stamp.size_bytes == file.size_bytes
        ) or (self.read_for is not None and self.read_for() is job)

    def take(self, section: str, data: bytes) -> AnySection | None:
        """Decode a section, and keep it if it is worth its room; None when it is not whole."""
        try:
            value = DECODERS[section](data)
        except (ValueError, RecursionError):
            return None
        if section in KEPT:
            self.sections[section] = value
        return value

    @classmethod
    def of(cls, item: FileResult, file: SourceFile, job: Job) -> "Entry":
        """Return what to remember; a worker that crashed did not report the stamp of the file."""
        seen: FileResult | SourceFile = file if item.is_fatal else item
        stamp = FileStamp(seen.size_bytes, seen.mtime_ns, seen.ctime_ns, item.key)
        return cls(stamp, problem=item.problem, read_for=ref(job))
