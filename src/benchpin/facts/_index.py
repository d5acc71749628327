"""The files of a workspace and their facts: from memory, from the cache, or made now.

Nothing is parsed in this process: a grammar that crashes on a file costs a worker, not the server.
"""

import os
import tempfile
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import cast

import msgspec

from benchpin.core.calls import Job, WorkspaceSession, job_lock
from benchpin.facts.languages import is_candidate
from benchpin.facts.store import (
    DECODERS,
    AnySection,
    FactCache,
    FactsGone,
    FileStamp,
    OnDemandSections,
    Section,
    key_of,
)
from benchpin.facts.workers import FactOrder, FileBatch, WorkerPool, are_many, make_batches
from benchpin.system.processes import gc_off, worker_count
from benchpin.workspace.walking import FolderListings, SourceFile, Tree, WalkOptions, WalkResult

from ._file_choices import (
    KEPT,
    Entry,
    FileChoice,
    FileChoices,
    May,
    OncePerJob,
    SourceQuery,
    Sources,
    readable,
)
from ._file_facts import FileFacts

# Why a file was not measured, if there was no time.
LATE = "out of time"
# Outlines and links on demand that stay in memory: a file is asked for several times in a row.
_MAX_SECTIONS = 1_024
# How many different walks are remembered.
_MAX_TREES = 16
# Facts that are derived as soon as a file is parsed: more than all measures have.
_MAX_EXPECTED = 32


# The key and the sections that were asked for, by path.
_Found = dict[str, tuple[bytes, dict[str, AnySection]]]


def _always(_path: str) -> bool:
    return True


class SourceIndex:
    """Knows one workspace, and looks only at what changed since it was last asked.

    Any number of threads may read at once; files are measured for one of them at a time.
    """

    def __init__(self, root: Path, cache_folder: Path) -> None:
        self._root = os.fsencode(root)
        self._cache_folder = os.fsencode(cache_folder)
        self.cache = FactCache(cache_folder)
        self._pool = WorkerPool()
        self._measuring = Lock()
        self._once = OncePerJob()
        self._listings = FolderListings(self.cache.listings(self._root))
        self._may: May | None = None
        """What was last said of names that may be written down."""
        tree = partial(Tree, root, listings=self._listings)
        self._tree = lru_cache(_MAX_TREES)(partial(tree, wants=is_candidate))
        self._whole_tree = lru_cache(_MAX_TREES)(tree)
        self._choices = FileChoices(self._root, self._once)
        self._expected: dict[bytes, FactOrder] = {}
        """The facts that are derived of every file that is parsed, by place."""
        self._load_once = lru_cache(_MAX_SECTIONS)(self._load)
        self._entries = self._kept_entries()

    def _kept_entries(self) -> dict[str, Entry]:
        return {path: Entry(it) for path, it in self.cache.stamps(self._root).items()}

    def read(self, query: SourceQuery, job: Job, may: May = _always) -> Sources:
        """Return the facts of the files that a query means; `may` says whether to look at a path.

        Without sections, files that did not change are not loaded: only their keys are known.

        Raises:
            FileMissing: when there is nothing to start from.
        """
        found = self._read(query, job, may)
        names = query.on_demand
        if not names:
            return found
        keys = {file.key for file in found.files}
        # What the cache lacks has to be parsed now: a section on demand is only ever loaded.
        if not all(keys <= self.cache.keys_of(section) for section in names):
            return self._read(replace(query, sections=(*query.sections, *names)), job, may)
        files = [
            msgspec.structs.replace(
                file, sections=OnDemandSections(file.sections, names, partial(self.section, file))
            )
            for file in found.files
        ]
        return replace(found, files=files)

    def section(self, file: FileFacts, section: str) -> AnySection:
        """Return a section of a file; a small one that was asked for lately is in memory.

        Raises:
            FactsGone: when the cache has lost it, and the file has changed.
        """
        place = file.path, file.language, file.key
        return (self._load_once if section in KEPT else self._load)(*place, section)

    def _load(self, path: str, language: str, key: bytes, section: str) -> AnySection:
        """Return a section of a file; one that the cache has lost or damaged is computed again."""
        data = self.cache.load(section, [key]).get(key, b"")
        try:
            return DECODERS[section](data)
        except (ValueError, RecursionError):
            place = self._root, self._cache_folder, ((path, language),)
            # Forced: the cache believes that it has this section.
            batch = FileBatch(*place, (section,), strategy="force-refresh")
            with self._measuring:
                [again] = self._pool.map([batch], Job())
        if again.key != key:
            raise FactsGone(f"{path} changed while it was read", suggestion="Call again.") from None
        return DECODERS[section](again.sections[section])

    @gc_off()
    def _read(self, query: SourceQuery, job: Job, may: May) -> Sources:
        if not self._entries and query.strategy != "offline":
            self._pool.prepare(query.workers)  # they start while the folders are walked
        self._may = may
        if query.strategy == "force-refresh":
            self._listings.forget()
        elif query.paths is None and KEPT.issuperset(query.sections):
            key = (replace(query, on_demand=(), workers=None), may)
            return self._once.recall_or(job, key, partial(self._look_up, query, job, may))
        return self._look_up(query, job, may)

    def _look_up(self, query: SourceQuery, job: Job, may: May) -> Sources:
        choice = self._choose(query, job, may)
        if query.paths is not None:
            choice = choice.among(query.paths)
        scope, choice = choice.in_scope(query.scope)
        chosen, unmeasured = choice.files, {readable(path): why for path, why in choice.unnamed}
        found = self._recall(chosen, query, job)
        if len(found) < len(chosen):
            with job_lock(self._measuring, job) as is_mine:
                if is_mine:
                    # Whoever held the lock before may have measured the same files.
                    found |= self._recall(_without(chosen, found), query, job)
                    missing = _without(chosen, found)
                    self._measure(missing, query, job, found, unmeasured)
                    self._forget_gone(choice.walked.files, query.start)
        closed = (path for path in choice.walked.closed if may(path.removesuffix("/")))
        unmeasured |= {readable(path): "a folder that cannot be read" for path in closed}
        if late := _without(chosen, found.keys() | unmeasured.keys()):
            job.leave_out(f"{len(late)} of {len(chosen)} files")
            unmeasured |= {file.path: LATE for file in late}
        files = [
            FileFacts(file.path, language, file.size_bytes, sections, key)
            for file, language in chosen.items()
            if file.path in found
            for key, sections in [found[file.path]]
        ]
        return Sources(files, unmeasured, choice.skipped, scope)

    def _choose(self, query: SourceQuery, job: Job, may: May) -> FileChoice:
        """Return the files to look up; the same for all reads of a call."""
        tree = self._tree(query.options, query.start)

        def choose() -> FileChoice:
            walked = self._once.recall_or(job, tree, partial(tree.refresh, job))
            return self._choices.choose(walked, query.languages, may, job)

        return self._once.recall_or(job, (tree, query.languages, may), choose)

    def unparsed(self, query: SourceQuery, job: Job, may: May) -> tuple[dict[str, str], int]:
        """Return the languages of files by path, and how many bytes of them were never parsed."""
        files, known = self._choose(query, job, may).files, self._entries
        if any(it.path not in known for it in files):  # another process may have parsed them
            known |= {path: it for path, it in self._kept_entries().items() if path not in known}
        new = (it for it in files if it.path not in known or not known[it.path].fits(it, job))
        return {it.path: lang for it, lang in files.items()}, sum(it.size_bytes for it in new)

    def walk(self, options: WalkOptions, start: str, job: Job) -> WalkResult:
        """Return every file beneath a start, whatever it is in.

        Raises:
            FileMissing: when there is nothing to start from.
        """
        return self._whole_tree(options, start).refresh(job)

    def paths(self, options: WalkOptions, job: Job) -> list[str]:
        """Return the paths of all files of the workspace; faster than `walk`."""
        return self._whole_tree(options).paths(job)

    def others(self, options: WalkOptions, job: Job, may: May = _always) -> list[SourceFile]:
        """Return the files of the workspace that are in no language that is known here."""
        self._may = may
        walked = self._once.recall(job, self._tree(options, "."))
        files = walked.files if isinstance(walked, WalkResult) else ()
        tree, seen = self._whole_tree(options), {file.path: file for file in files}
        whole = self._once.recall_or(job, tree, partial(tree.refresh, job, seen))
        return self._choices.others(whole, may, job)

    def read_texts(
        self, texts: Mapping[str, tuple[str, bytes]], sections: tuple[Section, ...], job: Job
    ) -> dict[str, FileFacts]:
        """Return the facts of texts that are in no file now, such as older versions.

        `texts` are languages and contents by path. One that cannot be parsed is left out.
        """
        found = self._cached_texts(texts, sections)
        unknown = [path for path in texts if path not in found]
        if not unknown:
            return found
        with tempfile.TemporaryDirectory(prefix="benchpin-") as folder:
            names = {str(number): path for number, path in enumerate(unknown)}
            for name, path in names.items():
                Path(folder, name).write_bytes(texts[path][1])
            files = tuple((name, texts[path][0]) for name, path in names.items())
            batch = FileBatch(os.fsencode(folder), self._cache_folder, files, sections)
            with job_lock(self._measuring, job) as is_mine:
                for item in self._pool.map([batch] if is_mine and files else [], job):
                    path = names.pop(item.path)
                    decoded = {name: DECODERS[name](it) for name, it in item.sections.items()}
                    if not item.problem:
                        language, text = texts[path]
                        found[path] = FileFacts(path, language, len(text), decoded, item.key)
        if names:
            job.leave_out(f"{len(names)} of {len(texts)} files")
        return found

    def _cached_texts(
        self, texts: Mapping[str, tuple[str, bytes]], sections: tuple[Section, ...]
    ) -> dict[str, FileFacts]:
        """Return the facts of texts that were parsed before, under any path."""
        keys = {path: key_of(text, language) for path, (language, text) in texts.items()}
        stored = {it: self.cache.load(it, sorted(set(keys.values()))) for it in sections}
        found = {}
        for path, (language, text) in texts.items():
            # One that is missing or damaged is parsed again.
            with suppress(KeyError, ValueError, RecursionError):
                known: dict[str, AnySection] = {
                    it: DECODERS[it](stored[it][keys[path]]) for it in sections
                }
                found[path] = FileFacts(path, language, len(text), known, keys[path])
        return found

    def expect(self, fact: FactOrder) -> None:
        """Have workers derive a fact of every file that they parse from now on."""
        expected = self._expected
        before = expected.pop(fact.place, fact)  # the newest last: the oldest goes first
        skips_tests = fact.skips_tests and before.skips_tests
        expected[fact.place] = msgspec.structs.replace(
            fact, is_fresh=False, skips_tests=skips_tests
        )
        while len(expected) > _MAX_EXPECTED:
            del expected[next(iter(expected))]

    def derive(
        self, fact: FactOrder, files: Sequence[FileFacts], job: Job, workers: int | None
    ) -> dict[str, bytes]:
        """Have workers derive a fact of files; the cache keeps it.

        Return what the cache cannot keep, by path: an empty value for a file that ends a worker.
        """
        keys = {file.path: file.key for file in files}
        listed = {SourceFile(it.path, it.size_bytes, 0, 0): it.language for it in files}
        batch = FileBatch(self._root, self._cache_folder, (), (), facts=(fact,))
        found: dict[str, bytes] = {}
        with job_lock(self._measuring, job) as is_mine:
            batches = list(make_batches(listed, batch, workers or worker_count()))
            answers = self._pool.map(batches if is_mine else [], job, workers)
            for done, item in enumerate(answers, start=1):
                if item.is_fatal:
                    found[item.path] = b""
                elif item.key == keys[item.path] and item.derived:
                    found[item.path] = item.derived[fact.place]
                job.report(done, len(keys), "files")
        return found

    def keys_lacking(self, texts: Collection[str]) -> frozenset[bytes]:
        """Return the keys of files that are known to have none of some texts, in comments too."""
        encoded = [text.encode(errors="surrogatepass") for text in texts]
        return self.cache.keys_lacking(self._root, encoded, ("tokens", "comments"))

    def close(self) -> None:
        """Stop the workers and close the cache; reading again opens them again."""
        with self._measuring:
            self._pool.close()
            self._load_once.cache_clear()
            if self._listings.is_changed and self._may is not None:
                self.cache.save_listings(self._root, self._listings.to_bytes(self._may))
            self.cache.close()

    def _recall(self, files: Iterable[SourceFile], query: SourceQuery, job: Job) -> _Found:
        """Return what is in memory, or in the cache, of files that did not change."""
        if query.strategy == "force-refresh":
            return {}
        entries = self._entries
        known = [
            (file.path, entry)
            for file in files
            if (entry := entries.get(file.path)) is not None
            and not entry.problem
            and entry.fits(file, job)
        ]
        found: _Found = {path: (entry.stamp.key, {}) for path, entry in known}
        for section in query.sections:
            lacking = [entry for _, entry in known if section not in entry.sections]
            stored = self.cache.load(section, [it.stamp.key for it in lacking]) if lacking else {}
            for path, entry in known:
                value = entry.sections.get(section)
                if value is None:
                    value = entry.take(section, stored.get(entry.stamp.key, b""))
                if value is not None:
                    found[path][1][section] = value
        return {path: it for path, it in found.items() if len(it[1]) == len(query.sections)}

    def _measure(
        self,
        files: Mapping[SourceFile, str],
        query: SourceQuery,
        job: Job,
        found: _Found,
        unmeasured: dict[str, str],
    ) -> None:
        """Have files measured by workers; notes those that could not be, and why."""
        untried = dict(files)
        if query.strategy != "force-refresh":
            known = {it.path: self._entries[it.path] for it in files if it.path in self._entries}
            fitting = (it for it in files if it.path in known and known[it.path].fits(it, job))
            hopeless = {it.path: why for it in fitting if (why := known[it.path].problem)}
            unmeasured |= hopeless
            untried = _without(files, hopeless)
        by_path = {file.path: file for file in untried}
        stamps: dict[str, FileStamp] = {}
        try:
            wanted = query.sections or ("outline",)
            # Facts of a few files are derived when they are asked for; the workers need not load
            # measures.
            facts = tuple(self._expected.values()) if are_many(untried) else ()
            order = FileBatch(
                self._root, self._cache_folder, (), wanted, query.strategy, facts=facts
            )
            orders = list(make_batches(untried, order, query.workers or worker_count()))
            for done, item in enumerate(self._pool.map(orders, job, query.workers), start=1):
                entry = self._entries[item.path] = Entry.of(item, by_path[item.path], job)
                sections = {name: entry.take(name, data) for name, data in item.sections.items()}
                if item.problem:
                    unmeasured[item.path] = item.problem
                else:
                    stamps[item.path] = entry.stamp
                    found[item.path] = item.key, cast("dict[str, AnySection]", sections)
                job.report(done, len(untried), "files")
        finally:
            if stamps:
                self.cache.save_stamps(self._root, stamps, ())
                self.cache.trim()  # once for a call: it looks at the size of the database

    def _forget_gone(self, walked: Iterable[SourceFile], start: str) -> None:
        beneath = "".join(f"{name}/" for name in PurePosixPath(start).parts)
        seen = {file.path for file in walked}
        gone = [
            path
            for path in self._entries
            if path not in seen
            and path.startswith(beneath)
            # Not walked is not gone: other options walk other files.
            and not os.path.lexists(self._root + b"/" + os.fsencode(path))
        ]
        for path in gone:
            del self._entries[path]
        if gone:
            self.cache.save_stamps(self._root, {}, gone)


def _without(files: Mapping[SourceFile, str], paths: Container[str]) -> dict[SourceFile, str]:
    return {file: language for file, language in files.items() if file.path not in paths}


def open_index(session: WorkspaceSession) -> SourceIndex:
    """Return the index of a workspace, which its session keeps from call to call."""
    folder = session.cache_dir / "source"
    return session.service(SourceIndex, lambda: SourceIndex(session.root, folder))
