"""Read and write sidecars: atomically, one writer at a time; and keep all of a workspace in memory.

A writer locks the folder itself; that needs no lock file, and the lock ends with the process. The
next writer removes temporary files of one that died while writing.
"""

import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import accumulate
from pathlib import Path, PurePosixPath
from threading import Lock

from benchpin.core.calls import Job, Operation, Permissions
from benchpin.core.errors import AccessDenied, FileMissing, PathError
from benchpin.system.processes import gc_off
from benchpin.workspace.files import RACY_NS, folder_beneath, opened, path_errors
from benchpin.workspace.search import Pattern
from benchpin.workspace.walking import SourceFile, Tree, WalkOptions
from benchpin.workspace.writing import locked, replace_file

from ._comment import StoredComment
from ._errors import SidecarCorrupt
from ._places import SUFFIX, SidecarFolder
from ._sidecar import MAX_BYTES, MAX_COMMENTS, NEWER, Sidecar, parse, read_time
from ._sidecar_edit import SidecarEditor

_HERE = PurePosixPath()
_UNFINISHED = re.compile(rf"\..*{re.escape(SUFFIX)}\.[0-9a-f]{{12}}\.tmp").fullmatch


class CommentStore:
    """The sidecars in a folder, each named after its source file."""

    def __init__(self, root: Path, prefix: PurePosixPath = _HERE) -> None:
        """Use a folder below a root; both are created on the first write."""
        self.root = root
        self.prefix = prefix
        self.place_of = SidecarFolder(root, prefix).place_of

    def read(self, path: PurePosixPath) -> Sidecar:
        """Return the comments of a file; an empty sidecar when there is none.

        Raises:
            PathError: when the sidecar cannot be read.
        """
        try:
            with opened(self.root, self.place_of(path), MAX_BYTES) as file:
                return parse(file.read(MAX_BYTES), str(path))
        except FileMissing:
            return Sidecar(str(path))

    def exists(self, path: PurePosixPath) -> bool:
        """Whether a file has a sidecar."""
        return (self.root / self.place_of(path)).is_file()

    @contextmanager
    def editing(self, paths: Sequence[PurePosixPath], job: Job) -> Iterator[list[SidecarEditor]]:
        """Lock the sidecars of files, which may be the same file, and write those that changed.

        The last is written first: after a crash a moved comment may be in both, but never lost.

        Raises:
            SidecarCorrupt: when one of them is damaged.
            PathError: when one of them cannot be written.
        """
        folders = sorted({self.place_of(path).parent for path in paths})  # one order: no deadlock
        with ExitStack() as locks:
            for folder in folders:
                locks.enter_context(self._locked(folder, job))
            editors = {path: self._editor(path) for path in paths}
            yield [editors[path] for path in paths]
            for path, editor in reversed(editors.items()):
                self._write(path, editor)

    def _editor(self, path: PurePosixPath) -> SidecarEditor:
        sidecar = self.read(path)
        if sidecar.problem:
            raise self.corrupt(sidecar)
        return SidecarEditor(str(path), sidecar)

    def _write(self, path: PurePosixPath, editor: SidecarEditor) -> None:
        if not editor.is_changed:
            return
        place = self.place_of(path)
        if editor.is_blank:
            with path_errors(place), folder_beneath(self.root, place.parent) as folder:
                with suppress(FileNotFoundError):
                    os.unlink(place.name, dir_fd=folder)
                os.fsync(folder)
            return
        content = editor.encode()
        count = len(editor.sidecar.entries)
        if len(content) > MAX_BYTES or count > MAX_COMMENTS:
            limit = f"{MAX_COMMENTS:,} comments or {MAX_BYTES:,} bytes"
            raise AccessDenied(
                f"{path} would have {count:,} comments of {len(content):,} bytes; the limit is "
                f"{limit}",
                suggestion="Delete comments that are no longer needed.",
                data={"filePath": str(path)},
            )
        replace_file(self.root, place, content)

    @contextmanager
    def _locked(self, path: PurePosixPath, job: Job) -> Iterator[None]:
        self.root.mkdir(parents=True, exist_ok=True)
        with (
            path_errors(path),
            folder_beneath(self.root, path, create=True) as folder,
            locked(folder, path, job) as is_locked,
        ):
            if not is_locked:
                raise AccessDenied(
                    f"The file system of {str(path)!r} cannot lock a folder",
                    suggestion='Set comments.store = "central" and data_dir to a local disk.',
                    is_server_fault=True,
                )
            _remove_unfinished(folder)
            yield

    def corrupt(self, sidecar: Sidecar) -> SidecarCorrupt:
        """Return the error for a damaged or too new sidecar, with the comments that are intact."""
        place = str(self.place_of(PurePosixPath(sidecar.path)))
        readable = [comment.id for comment in sidecar.comments]
        is_newer = sidecar.problem.startswith(NEWER)
        advice = "Upgrade Benchpin" if is_newer else f"Repair {place} or restore it from git"
        intact = " get_file_comments still shows the comments that are intact." if readable else ""
        return SidecarCorrupt(
            "Comment file of a newer Benchpin" if is_newer else "Comment file corrupted",
            suggestion=f"{advice}; the file was not changed.{intact}",
            data={
                "filePath": sidecar.path,
                "commentFile": place,
                "parseError": sidecar.problem,
                "readableComments": readable[:100],
            },
        )


def _remove_unfinished(folder: int) -> None:
    """Remove temporary files of dead writers; under the lock no other writer is alive."""
    for name in os.listdir(folder):
        if _UNFINISHED(name):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)


# Comments of a workspace that are kept in memory, about 200 MB.
MAX_TOTAL_COMMENTS = 200_000
_BEGINNING = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CachedSidecar:
    """A sidecar without its markers and sketches, which are only needed to place comments."""

    comments: tuple[StoredComment, ...]
    problem: str
    fingerprint: str


_TOO_MANY = CachedSidecar((), f"the files before it have {MAX_TOTAL_COMMENTS:,} comments", "")


@dataclass(frozen=True)
class AllComments:
    """The comments of a workspace at one moment."""

    files: Mapping[str, CachedSidecar]
    """By the path of the source file, in order."""

    @cached_property
    def by_file(self) -> tuple[StoredComment, ...]:
        """All comments by file, in the order of their sidecars."""
        return tuple(it for sidecar in self.files.values() for it in sidecar.comments)

    @cached_property
    def newest_first(self) -> tuple[StoredComment, ...]:
        """All comments by time of creation; those without one are last."""

        def created(comment: StoredComment) -> datetime:
            return read_time(comment.created) or _BEGINNING

        return tuple(sorted(self.by_file, key=created, reverse=True))

    @cached_property
    def damaged(self) -> dict[str, str]:
        """The files whose sidecars are damaged, with the problem."""
        return {path: it.problem for path, it in self.files.items() if it.problem}

    def matching(self, pattern: Pattern) -> Iterator[StoredComment]:
        """Yield the comments that a pattern matches, newest first.

        The pattern runs once over all texts joined: a call for each of 50,000 comments would take
        ten times as long. `end` is the end of the current comment in the joined text.
        """
        text, ends = self._joined
        comments, count = self.newest_first, len(ends)
        which, end, last = 0, ends[0] if ends else 0, -1
        for hit in pattern.finditer(text):
            start = hit.start()
            while start >= end:
                which += 1
                if which >= count:  # the empty match after the last text
                    return
                end = ends[which]
            if which != last:
                last = which
                yield comments[which]

    @cached_property
    def _joined(self) -> tuple[bytes, list[int]]:
        """All texts, each followed by a line feed that no pattern crosses, and their ends."""
        texts = [f"{it.text}\n".encode("utf-8", "surrogatepass") for it in self.newest_first]
        return b"".join(texts), list(accumulate(map(len, texts)))


class SidecarCache:
    """The sidecars of one workspace."""

    def __init__(self, store: CommentStore) -> None:
        self._store = store
        excluded = () if store.prefix.parts else (".benchpin/comments/**",)
        options = WalkOptions(exclude_patterns=excluded, include_ignored=True)
        self._tree = Tree(store.root, options, str(store.prefix), wants=_is_sidecar)
        self._read: dict[str, tuple[SourceFile, CachedSidecar, bool]] = {}
        """By path: the file, what was in it, and whether its times prove that it did not change."""
        self._files: Mapping[str, CachedSidecar] = {}
        self._visible: dict[Permissions, AllComments] = {}
        self._lock = Lock()

    @gc_off()
    def comments(self, job: Job, permissions: Permissions) -> AllComments:
        """Return the present comments about files that may be read.

        Raises:
            Cancelled: when the job was cancelled.
        """
        with self._lock:
            files = self._refresh(job)
            if permissions not in self._visible:
                visible = {it: files[it] for it in files if permissions.may(it, Operation.READ)}
                self._visible[permissions] = AllComments(visible)
            return self._visible[permissions]

    def _refresh(self, job: Job) -> Mapping[str, CachedSidecar]:
        walked: list[SourceFile] = []
        with suppress(FileMissing):  # no comment was written yet
            walked = self._tree.refresh(job).files
        settled_ns = time.time_ns() - RACY_NS
        before, late, count = self._read, 0, 0
        self._read = {}
        has_changed = len(before) != len(walked)
        for file in walked:
            known = before.get(file.path)
            # The walk returns the same object for a file whose size and times did not change.
            if known is None or known[0] is not file or not known[2]:
                job.check()
                if job.is_expired:
                    late += 1
                    continue
                is_settled = (
                    count < MAX_TOTAL_COMMENTS and max(file.mtime_ns, file.ctime_ns) < settled_ns
                )
                sidecar = self._load(file) if count < MAX_TOTAL_COMMENTS else _TOO_MANY
                has_changed |= known is None or known[1].fingerprint != sidecar.fingerprint
                known = (file, sidecar, is_settled)
            count += len(known[1].comments)
            self._read[file.path] = known
        if late:
            job.leave_out(f"{late} of {len(walked)} comment files")
        if has_changed:
            cut = len(f"{self._store.prefix}/") if self._store.prefix.parts else 0
            self._visible = {}
            self._files = {
                path[cut : -len(SUFFIX)]: sidecar
                for path, (_, sidecar, _) in self._read.items()
                if sidecar.comments or (sidecar.problem and self._has_source(path))
            }
        return self._files

    def _has_source(self, path: str) -> bool:
        """Whether there is a source file beside a sidecar; other programs use the suffix too."""
        source = self._store.root / path[: -len(SUFFIX)]
        return bool(self._store.prefix.parts) or source.is_file()

    def _load(self, file: SourceFile) -> CachedSidecar:
        path = PurePosixPath(file.path[: -len(SUFFIX)])
        try:
            found = self._store.read(path.relative_to(self._store.prefix))
        except PathError as error:
            return CachedSidecar((), error.message, error.message)
        return CachedSidecar(found.comments, found.problem, found.fingerprint)


def _is_sidecar(name: str) -> bool:
    return name.endswith(SUFFIX) and len(name) > len(SUFFIX)
