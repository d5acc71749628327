"""Store snapshots and reports on disk, atomically and safe for concurrent processes.

Every change is made under one lock, so unfinished files that exist when the lock is taken were
left by a process that died, and are removed. A snapshot appears by one rename. The index only saves
reading every folder; runs that it lacks are read from their folders.
"""

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import (
    AccessDenied,
    BenchpinError,
    DiskFull,
    FileMissing,
    FileTooLarge,
    PathError,
    is_disk_full,
)
from benchpin.core.results import Page, decode_cursor, encode_cursor
from benchpin.workspace.files import READ, folder_beneath, open_beneath, opened, path_errors
from benchpin.workspace.writing import locked, write_atomically

from ._runs import (
    Origin,
    Retention,
    Run,
    RunIndex,
    RunMetadata,
    SnapshotDamaged,
    damaged,
    decode_record,
    decode_snapshot,
    describe,
    full_id,
    newest_first,
    of_another_version,
)
from ._snapshot import FORMAT, Snapshot

STATE = PurePosixPath("var/mcp")
BUNDLES = STATE / "bundles"
_IGNORED = PurePosixPath("var/.gitignore")
# Names the snapshot that the command line ingested last.
LAST_SNAPSHOT = STATE / "snapshot_id"
_SNAPSHOTS = STATE / "snapshots"
_REPORTS = STATE / "reports"
_INDEX = _SNAPSHOTS / "index.json"
_LOCK = PurePosixPath(".lock")
_UNFINISHED = ".new-"
_DROPPED = ".gone-"
_REPORT_NAME = re.compile(r"(?:report|profile)_[0-9a-f]{16}\.")
_FOLDER_NAME = re.compile(r"snapshot_([0-9a-f]{64})")
# The limit of a snapshot, which is read whole; those of real profiles have some megabytes.
_MAX_BYTES = 256 << 20
# The limit of the index or of metadata; ours have some hundred bytes for each run or source.
_MAX_RECORD_BYTES = 64 << 20
_PRIVATE = 0o600


class _Format(msgspec.Struct):
    format: str


@dataclass(frozen=True, slots=True)
class SavedRun:
    """The outcome of saving a snapshot."""

    is_new: bool
    """Whether it was not stored before."""
    dropped: tuple[str, ...]
    """Ids of snapshots that retention removed."""


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """Stored runs, newest first, and the files that cannot be read."""

    runs: tuple[Run, ...]
    damaged: tuple[str, ...]


class SnapshotStore:
    """Snapshots and reports in a data folder."""

    def __init__(
        self, folder: Path, retention: Retention | None = None, job: Job | None = None
    ) -> None:
        self._folder = folder
        self._retention = retention or Retention()
        self._job = job or Job()
        """Waits for locks no longer than this call may take."""

    def save(self, snapshot: Snapshot, origins: Sequence[Origin], now_us: int) -> SavedRun:
        """Store a snapshot, or refresh it when it is stored already."""
        metadata = describe(snapshot, origins, now_us)
        with self._locked() as folder:
            _sweep(folder)
            is_new = self._place(folder, snapshot, metadata)
            others = [run for run in self._found(folder).runs if run.id != snapshot.id]
            runs = sorted([metadata.run, *others], key=newest_first)
            dropped = tuple(
                run.id
                for place, run in enumerate(runs)
                if run.id != snapshot.id
                and self._retention.is_over(place, run.ingested_at_us, now_us)
            )
            for each in dropped:
                _drop(folder, each)
            kept = tuple(run for run in runs if run.id not in dropped)
            self._write(_INDEX, msgspec.json.encode(RunIndex(runs=kept), order="sorted"))
        return SavedRun(is_new=is_new, dropped=dropped)

    def load(self, wanted: str) -> Snapshot:
        """Read a snapshot by its id or the beginning of it, and verify it.

        Raises:
            SnapshotNotFound: when there is none.
            SnapshotDamaged: when it is not what was stored.
        """
        return self._load(self.resolve(wanted))

    def metadata(self, wanted: str) -> RunMetadata:
        return self._metadata(self.resolve(wanted))

    def resolve(self, wanted: str) -> str:
        """Return the full id for the beginning of one."""
        _require_no_links(self._folder)
        try:
            with path_errors(_SNAPSHOTS), folder_beneath(self._folder, _SNAPSHOTS) as folder:
                ids = _ids(folder)
        except FileMissing:
            ids = []
        return full_id(ids, wanted)

    def runs(self) -> StoredRuns:
        _require_no_links(self._folder)
        try:
            with path_errors(_SNAPSHOTS), folder_beneath(self._folder, _SNAPSHOTS) as folder:
                return self._found(folder)
        except FileMissing:
            return StoredRuns(runs=(), damaged=())

    def page(self, limit: int, cursor: str | None) -> Page[Run]:
        """Return one page of the runs; runs that are added later do not shift the next pages.

        Raises:
            InvalidCursor: when the cursor belongs to another listing.
        """
        runs = self.runs().runs
        start = 0
        if cursor is not None:
            after = str(decode_cursor("runs", cursor))
            start = sum(1 for run in runs if _position(run) <= after)
        items = runs[start : start + limit]
        more = start + limit < len(runs)
        marker = encode_cursor("runs", _position(items[-1])) if more and items else None
        return Page(items=items, total=len(runs), next_cursor=marker)

    def save_report(self, report_id: str, formats: Mapping[str, bytes]) -> dict[str, Path]:
        return {
            suffix: self.save_export(f"report_{report_id}.{suffix}", content)
            for suffix, content in formats.items()
        }

    def save_export(self, name: str, content: bytes) -> Path:
        """Write a file to the reports, remove those that are too many, and return its path."""
        self._write(_REPORTS / name, content)
        with folder_beneath(self._folder, _REPORTS) as folder:
            _drop_reports(folder, self._retention)
        return self._folder / _REPORTS / name

    @contextmanager
    def _locked(self) -> Iterator[int]:
        """Lock the folder of snapshots; the system releases the lock when the process ends."""
        keep_out_of_git(self._folder, self._job)
        with (
            path_errors(_SNAPSHOTS),
            folder_beneath(self._folder, _SNAPSHOTS, create=True) as folder,
        ):
            lock = open_beneath(folder, _LOCK, os.O_RDWR | os.O_CREAT, _PRIVATE)
            try:
                with locked(lock, _SNAPSHOTS, self._job):
                    yield folder
            finally:
                os.close(lock)

    def _place(self, folder: int, snapshot: Snapshot, metadata: RunMetadata) -> bool:
        if len(snapshot.encoded) > _MAX_BYTES:
            raise FileTooLarge(
                f"The snapshot has {len(snapshot.encoded):,} bytes, more than {_MAX_BYTES:,}",
                suggestion="Ingest fewer artefacts at a time.",
            )
        described = msgspec.json.encode(metadata, order="sorted")
        name = f"snapshot_{snapshot.id}"
        if snapshot.id in _ids(folder):
            try:
                self._load(snapshot.id)
            except (SnapshotDamaged, PathError):
                self._write(_SNAPSHOTS / name / "snapshot.json", snapshot.encoded)
            self._write(_SNAPSHOTS / name / "metadata.json", described)
            return False
        unfinished = _UNFINISHED + secrets.token_hex(8)
        self._write(_SNAPSHOTS / unfinished / "snapshot.json", snapshot.encoded)
        self._write(_SNAPSHOTS / unfinished / "metadata.json", described)
        os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
        os.fsync(folder)
        return True

    def _found(self, folder: int) -> StoredRuns:
        """Take runs from the index, and read the folders that it lacks."""
        known = {run.id: run for run in self._index()}
        runs, unreadable = [], []
        for each in _ids(folder):
            try:
                run = known.get(each) or self._metadata(each).run
                _require_content(folder, run)
                runs.append(run)
            except (SnapshotDamaged, PathError) as error:
                unreadable.append(str(error.data.get("path", each)))
        return StoredRuns(
            runs=tuple(sorted(runs, key=newest_first)), damaged=tuple(sorted(unreadable))
        )

    def _index(self) -> tuple[Run, ...]:
        """Read the index; one that is missing or damaged is empty."""
        try:
            return decode_record(self._read(_INDEX, _MAX_RECORD_BYTES), RunIndex).runs
        except (BenchpinError, ValueError, RecursionError):
            return ()

    def _load(self, full: str) -> Snapshot:
        path = _SNAPSHOTS / f"snapshot_{full}" / "snapshot.json"
        try:
            content = self._read(path)
        except FileMissing as error:
            raise damaged(str(path), "it is missing") from error
        actual = hashlib.sha256(content).hexdigest()
        if actual != full:
            raise damaged(str(path), f"its SHA-256 is {actual}, not {full}")
        try:
            written = msgspec.json.decode(content, type=_Format).format
            if written != FORMAT:
                raise of_another_version(str(path), written)
            return decode_snapshot(content)
        except (ValueError, RecursionError) as error:
            raise damaged(str(path), f"it is none of this version ({error})") from error

    def _metadata(self, full: str) -> RunMetadata:
        path = _SNAPSHOTS / f"snapshot_{full}" / "metadata.json"
        try:
            return decode_record(self._read(path, _MAX_RECORD_BYTES), RunMetadata)
        except FileMissing as error:
            raise damaged(str(path), "it is missing") from error
        except (ValueError, RecursionError) as error:
            raise damaged(str(path), str(error)) from error

    def _read(self, path: PurePosixPath, max_bytes: int = _MAX_BYTES) -> bytes:
        with _own_files(), opened(self._folder, path, max_bytes) as source:
            return source.read(max_bytes)

    def _write(self, path: PurePosixPath, content: bytes) -> None:
        keep_out_of_git(self._folder, self._job)
        with _own_files():
            write_atomically(self._folder, path, content, self._job)


@contextmanager
def _own_files() -> Iterator[None]:
    """Mark what is wrong with a file of the store as no fault of the request."""
    try:
        yield
    except PathError as error:
        error.is_server_fault = True
        raise


def keep_out_of_git(folder: Path, job: Job) -> None:
    """Make a data folder that git ignores, so that its records are not committed by accident.

    Raises:
        AccessDenied: when it cannot be written, or a link is in the place of one of its folders.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_writable = os.access(folder, os.W_OK)
    except OSError as error:
        kind = DiskFull if is_disk_full(error) else AccessDenied
        raise _unwritable(folder, error.strerror, kind) from error
    if not is_writable:
        raise _unwritable(folder, "it is not writable")
    _require_no_links(folder)
    if not (folder / _IGNORED).exists():
        write_atomically(folder, _IGNORED, b"*\n", job)


def _require_no_links(folder: Path) -> None:
    """Name a link in place of a folder; the opens refuse it too, but cannot say which it is."""
    for path in (STATE.parent, STATE, _SNAPSHOTS, _REPORTS, BUNDLES):
        if (folder / path).is_symlink():
            raise AccessDenied(
                f"{path} in the data folder is a link, and links are not followed there",
                suggestion="Remove it, or name another data folder with --data-dir.",
                is_server_fault=True,
                data={"path": str(path)},
            )


def _unwritable(
    folder: Path, why: str | None, kind: type[AccessDenied] = AccessDenied
) -> AccessDenied:
    return kind(
        f"The data folder {folder} cannot be used: {why}",
        suggestion="Choose a folder that can be written with --data-dir.",
        is_server_fault=True,
        data={"path": str(folder)},
    )


def _ids(folder: int) -> list[str]:
    found = (_FOLDER_NAME.fullmatch(name) for name in os.listdir(folder))
    return sorted(name[1] for name in found if name)


def _require_content(folder: int, run: Run) -> None:
    """Check that the content of a run is there, without reading it."""
    path = PurePosixPath(f"snapshot_{run.id}/snapshot.json")
    try:
        descriptor = open_beneath(folder, path, READ)
        try:
            size = os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
    except OSError as error:
        raise damaged(str(_SNAPSHOTS / path), str(error.strerror)) from error
    if size != run.size_bytes:
        raise damaged(str(_SNAPSHOTS / path), f"it has {size} bytes, not {run.size_bytes}")


def _position(run: Run) -> str:
    """Return a text that sorts like the runs: newest first."""
    # counting down from 2**63 turns "later" into "smaller"; 20 digits keep the order as text
    return f"{(1 << 63) - run.ingested_at_us:020d}:{run.id}"


def _sweep(folder: int) -> None:
    """Remove what a process left that died while writing."""
    for name in os.listdir(folder):
        if name.startswith((_UNFINISHED, _DROPPED)):
            _remove_tree(folder, name)
        elif name.startswith(f".{_INDEX.name}."):
            os.unlink(name, dir_fd=folder)


def _drop(folder: int, full: str) -> None:
    """Remove a snapshot by one rename, then delete its files."""
    gone = _DROPPED + secrets.token_hex(8)
    with suppress(FileNotFoundError):
        os.rename(f"snapshot_{full}", gone, src_dir_fd=folder, dst_dir_fd=folder)
        _remove_tree(folder, gone)


def _remove_tree(folder: int, name: str) -> None:
    shutil.rmtree(name, dir_fd=folder, ignore_errors=True)
    with suppress(OSError):  # a link is not a tree; removing it leaves its target alone
        os.unlink(name, dir_fd=folder)


def _drop_reports(folder: int, retention: Retention) -> None:
    """Remove the oldest reports; all formats of a report count as one."""
    files: dict[str, list[str]] = {}
    made_at: dict[str, int] = {}
    for name in filter(_REPORT_NAME.match, os.listdir(folder)):
        stem = name.partition(".")[0]
        with suppress(FileNotFoundError):
            changed = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime_ns // 1000
            made_at[stem] = max(made_at.get(stem, 0), changed)
            files.setdefault(stem, []).append(name)
    newest = sorted(made_at, key=lambda stem: (-made_at[stem], stem))
    for place, stem in enumerate(newest):
        if retention.is_over(place, made_at[stem], made_at[newest[0]]):
            for name in files[stem]:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)
