"""Lines, language, tokens and secrets of each file, cached until the file changes."""

import hashlib
import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock

import msgspec

from benchpin.core.calls import Job, WorkspaceSession
from benchpin.core.own_files import read_own
from benchpin.core.text import sendable
from benchpin.facts.languages import detect_language, is_candidate
from benchpin.repository import (
    RepositoryTree,
    is_binary_name,
    is_generated,
    language_of,
    language_of_script,
)
from benchpin.workspace.files import RACY_NS
from benchpin.workspace.walking import SourceFile
from benchpin.workspace.writing import write_cache

_MAX_READ_BYTES = 16 << 20
# How much of a file decides whether it is text, and its language.
_HEAD_BYTES = 8_192
# The format of the cache file; a file of another format is ignored.
_FORMAT = 3


class TextFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The facts of one file; size and times say for which version of the file they hold."""

    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    lines: int | None
    """None for a file that is not text."""
    language: str | None
    """As the source engine calls it, or the language of its interpreter."""
    is_generated: bool = False
    """Whether the file says that a program wrote it."""
    tokens: int | None = None
    """None until the file is packed."""
    secrets: tuple[tuple[int, str], ...] = ()
    """Line and kind of each secret; known together with the tokens."""

    def is_current(self, file: SourceFile) -> bool:
        """Whether the file is certainly unchanged."""
        return (
            self.mtime_ns == file.mtime_ns
            and self.ctime_ns == file.ctime_ns
            and self.size_bytes == file.size_bytes
        )


class _Stored(msgspec.Struct, array_like=True):
    version: int
    facts: dict[str, TextFacts]


_DECODE = msgspec.msgpack.Decoder(_Stored).decode


class TextFactsCache:
    """The text facts of the files of a workspace, in memory and in one cache file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._is_changed = False
        self._known: dict[str, TextFacts] = {}
        with suppress(OSError, ValueError, RecursionError):
            stored = _DECODE(read_own(path))
            self._known = stored.facts if stored.version == _FORMAT else {}

    @classmethod
    def of(cls, session: WorkspaceSession) -> "TextFactsCache":
        """Return the cache of a workspace."""
        name = hashlib.sha256(os.fsencode(session.root)).hexdigest()[:16]
        path = session.cache_dir / "repository" / f"{name}.msgpack"
        return session.service(("repository", "text facts"), lambda: cls(path))

    def find(self, file: SourceFile) -> TextFacts | None:
        """Return the facts of a file that has not changed."""
        facts = self._known.get(file.path)
        return facts if facts is not None and facts.is_current(file) else None

    def add(self, path: str, facts: TextFacts) -> None:
        """Keep facts, unless the path is not UTF-8 or the file is so new that it may still change.

        A file can change twice within the resolution of its timestamps.
        """
        age_ns = time.time_ns() - max(facts.mtime_ns, facts.ctime_ns)
        if sendable(path) == path and age_ns > RACY_NS:
            with self._lock:
                self._known[path] = facts
                self._is_changed = True

    def save(self) -> None:
        """Write new facts to disk; without a usable cache folder they stay in memory only."""
        with self._lock:
            if not self._is_changed:
                return
            body = msgspec.msgpack.encode(_Stored(_FORMAT, self._known))
            self._is_changed = False
        write_cache(self._path, body)


def read_text_facts(tree: RepositoryTree, job: Job) -> dict[str, TextFacts]:
    """Return the facts of every file by path; only changed files are read."""
    cache = TextFactsCache.of(tree.session)
    found = {file.path: known for file in tree.files if (known := cache.find(file)) is not None}
    unknown = [file for file in tree.files if file.path not in found]
    try:
        for file in job.each(unknown, "files"):
            is_binary = is_binary_name(file.path)
            data = b"" if is_binary else tree.read(file.path, _MAX_READ_BYTES)
            facts = found[file.path] = text_facts(file, data)
            cache.add(file.path, facts)
    finally:
        cache.save()
    return found


def text_facts(file: SourceFile, data: bytes | None) -> TextFacts:
    """Return the facts of a file; `data` is None or empty when its content is not known."""
    if not data:
        lines = 0 if data is not None and not file.size_bytes else None
    else:
        has_final_newline = data.endswith(b"\n")
        is_binary = b"\0" in data[:_HEAD_BYTES]
        lines = None if is_binary else data.count(b"\n") + (not has_final_newline)
    head = (data or b"")[:_HEAD_BYTES]
    is_code = lines is not None and is_candidate(file.path.rpartition("/")[2])
    language = detect_language(file.path, lambda: head) if is_code else None
    if language is None and head.startswith(b"#!") and language_of(file.path, None) is None:
        language = language_of_script(head)
    is_by_program = lines is not None and is_generated(file.path, data or b"")
    return TextFacts(file.size_bytes, file.mtime_ns, file.ctime_ns, lines, language, is_by_program)
