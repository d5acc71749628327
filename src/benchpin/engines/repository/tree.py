"""The files of one repository, and what reading them told; kept from call to call."""

import hashlib
import os
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock

import msgspec

from benchpin.core import Job, WorkspaceSession, sendable
from benchpin.engines.source.detect import detect_language, is_candidate
from benchpin.engines.source.ignore import Rules, read_rules
from benchpin.engines.source.opening import RACY_NS, Unreadable, read_regular
from benchpin.engines.source.walk import SourceFile

from .kinds import is_binary_name, language_of, language_of_script
from .shares import is_written_by_a_program

MAX_TEXT_BYTES = 1 << 20
"""How much is read of a manifest or of a document."""
_MAX_READ_BYTES = 16 << 20
_FORMAT = 3
_MOST_NOTES = 8


class Note(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What reading one file told, as long as its stamp holds."""

    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    lines: int | None
    """None for what is no text."""
    language: str | None
    """What the source engine calls it, or its interpreter says."""
    is_generated: bool = False
    """Whether it says of itself that a program wrote it."""
    tokens: int | None = None
    """None until it was packed."""
    secrets: tuple[tuple[int, str], ...] = ()
    """Lines with something that must not be handed on, and what it is; known with the tokens."""

    def fits(self, file: SourceFile) -> bool:
        """Whether the file is certainly as it was."""
        return (
            self.mtime_ns == file.mtime_ns
            and self.ctime_ns == file.ctime_ns
            and self.size_bytes == file.size_bytes
        )


class _Page(msgspec.Struct, array_like=True):
    version: int
    notes: dict[str, Note]


_DECODE = msgspec.msgpack.Decoder(_Page).decode


class Notes:
    """What is known of the files of a workspace, in memory and in one file of the cache."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._lock = Lock()
        self._is_changed = False
        self._known: dict[str, Note] = {}
        with suppress(OSError, msgspec.MsgspecError):
            page = _DECODE(place.read_bytes())
            self._known = page.notes if page.version == _FORMAT else {}

    def find(self, file: SourceFile) -> Note | None:
        """Return what is known of a file that did not change."""
        note = self._known.get(file.path)
        return note if note is not None and note.fits(file) else None

    def add(self, path: str, note: Note) -> None:
        """Keep a note, unless the file changed so lately that its stamp proves nothing.

        Neither is one kept of a file whose name is no UTF-8.
        """
        if sendable(path) == path and time.time_ns() - max(note.mtime_ns, note.ctime_ns) > RACY_NS:
            with self._lock:
                self._known[path] = note
                self._is_changed = True

    def save(self) -> None:
        """Write what is new to the cache; a machine without a usable one works without."""
        with self._lock:
            if not self._is_changed:
                return
            body = msgspec.msgpack.encode(_Page(_FORMAT, self._known))
            self._is_changed = False
        with suppress(OSError):
            self._place.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._place.parent, prefix=".new-")
            with os.fdopen(handle, "wb") as file:
                file.write(body)
            Path(temporary).replace(self._place)


_open: OrderedDict[Path, Notes] = OrderedDict()
_opening = Lock()


def notes_of(root: Path, cache_dir: Path) -> Notes:
    """Return the notes on a workspace; a server keeps them from call to call."""
    name = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    place = cache_dir / "repository" / f"{name}.msgpack"
    with _opening:
        notes = _open.pop(place, None) or Notes(place)
        _open[place] = notes
        if len(_open) > _MOST_NOTES:
            _open.popitem(last=False)
        return notes


@dataclass(frozen=True)
class RepositoryTree:
    """The files of a repository, which may be a folder of the workspace."""

    session: WorkspaceSession
    base: str
    """Where the repository is, with a slash behind; empty for the workspace itself."""
    files: list[SourceFile]
    skipped: dict[str, int]
    may: Callable[[str], bool] = field(default=lambda _path: True)
    is_whole: bool = True
    """Whether there was time to look into all folders."""

    @property
    def root(self) -> Path:
        """The root of the workspace, which all paths are relative to."""
        return self.session.root

    @cached_property
    def by_path(self) -> dict[str, SourceFile]:
        """The files by their paths from the workspace."""
        return {file.path: file for file in self.files}

    @cached_property
    def by_folded_path(self) -> dict[str, str]:
        """The paths by themselves in small letters."""
        return {path.lower(): path for path in reversed(self.by_path)}

    @cached_property
    def folders(self) -> frozenset[str]:
        """All folders with a file beneath them, the repository itself left out."""
        found: set[str] = set()
        for file in self.files:
            folder = file.path.rpartition("/")[0]
            while len(folder) >= len(self.base) and folder and folder not in found:
                found.add(folder)
                folder = folder.rpartition("/")[0]
        found.discard(self.base.rstrip("/"))
        return frozenset(found)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The names of all files without their endings."""
        return frozenset(path.rpartition("/")[2].partition(".")[0] for path in self.by_path)

    def local(self, path: str) -> str:
        """Return a path from the repository."""
        return path.removeprefix(self.base)

    def named(self, *locals_: str) -> Iterator[SourceFile]:
        """Give the files at some paths from the repository that are there."""
        for local in locals_:
            file = self.by_path.get(self.base + local)
            if file is not None:
                yield file

    def exists(self, path: str) -> bool:
        """Whether something is at a path from the workspace that may be named, ignored or not."""
        if path in self.by_path or path in self.folders:
            return True
        is_there = "\0" not in path and self.may(path) and os.path.lexists(f"{self.root}/{path}")
        return is_there and not self.leads_out(path)

    def leads_out(self, path: str) -> bool:
        """Whether a folder on the way, or what is there, is a link to somewhere else."""
        if "\0" in path:
            return False
        return not Path(os.path.realpath(self.root / path)).is_relative_to(self._real_root)

    @cached_property
    def _real_root(self) -> Path:
        return Path(os.path.realpath(self.root))

    def is_ignored(self, path: str) -> bool:
        """Whether git would ignore a file at a path from the workspace: a build may make it."""
        rules, folder = Rules(), ""
        *names, last = path.split("/")
        for name in (*names, last):
            if f"{folder}.gitignore" in self.by_path:
                rules = rules.joined_by(read_rules(self.read(f"{folder}.gitignore") or b""))
            if rules.match_folder(name) or (name is last and rules.match_file(name)):
                return True
            rules, folder = rules.enter(name), f"{folder}{name}/"
        return False

    def read(self, path: str, max_bytes: int = MAX_TEXT_BYTES) -> bytes | None:
        """Return the beginning of a file; None when it cannot be read."""
        try:
            return read_regular(os.fsencode(self.root), path, max_bytes)[0]
        except Unreadable:
            return None


def take_notes(tree: RepositoryTree, notes: Notes, job: Job) -> dict[str, Note]:
    """Return how long every file is and its language; only what changed is read.

    Raises:
        Cancelled: when the job was cancelled.
    """
    found = {file.path: note for file in tree.files if (note := notes.find(file)) is not None}
    unknown = [file for file in tree.files if file.path not in found]
    try:
        for file in job.each(unknown, "files"):
            note = _note(tree, file)
            found[file.path] = note
            notes.add(file.path, note)
    finally:
        notes.save()
    return found


def _note(tree: RepositoryTree, file: SourceFile) -> Note:
    return describe(
        file, b"" if is_binary_name(file.path) else tree.read(file.path, _MAX_READ_BYTES)
    )


def describe(file: SourceFile, data: bytes | None) -> Note:
    """Return what the content of a file tells; nothing of one whose content is not known."""
    if not data:
        lines = 0 if data is not None and not file.size_bytes else None
    else:
        is_whole = data.endswith(b"\n")
        lines = None if b"\0" in data[:8192] else data.count(b"\n") + (not is_whole)
    head = (data or b"")[:8192]
    is_code = lines is not None and is_candidate(file.path.rpartition("/")[2])
    language = detect_language(file.path, lambda: head) if is_code else None
    if language is None and head.startswith(b"#!") and language_of(file.path, None) is None:
        language = language_of_script(head)
    is_generated = lines is not None and is_written_by_a_program(file.path, data or b"")
    return Note(file.size_bytes, file.mtime_ns, file.ctime_ns, lines, language, is_generated)
