"""Notes about changes to several files, so that a killed writer leaves all of them or none.

A note is a file in the cache folder. It is on the disk before the first file is touched, it names
the temporary files and the folders that will be made, and its suffix says how far its writer got:

    .prepared   nothing is replaced yet: what was made is removed
    .replacing  some files may be replaced: they get their old content back
    .replaced   all of them are: only what is left over is removed

The writer holds the lock of its note. A note that nobody holds is from a process that was killed;
the next start and the next writer settle it.
"""

import errno
import json
import logging
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal, cast

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import AccessDenied, BenchpinError, DiskFull, is_disk_full
from benchpin.core.text import sendable
from benchpin.workspace.files import folder_beneath, open_beneath, path_errors, read_in

from ._locking import locked, locked_folder
from ._writing import NO_FILE, sha256_of

logger = logging.getLogger(__name__)

State = Literal["prepared", "replacing", "replaced"]
MAX_FILE_BYTES = 64 << 20

_FOLDER = "journal"
_HERE = PurePosixPath()
_MAX_NOTE_BYTES = 64 << 20
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_NAME = re.compile(r"[0-9a-f]{32}\.(?P<state>prepared|replacing|replaced)").fullmatch
# Longer than that of a single file, so that its writer does not take ours for one of its own.
_TEMPORARY = re.compile(r"\..{1,100}\.[0-9a-f]{16}\.tmp", re.DOTALL).fullmatch
_MAX_STEM = 100


def temporary_name(path: PurePosixPath) -> str:
    """Return a new name beside a file, which only a note leads to."""
    return f".{path.name[:_MAX_STEM]}.{secrets.token_hex(8)}.tmp"


@dataclass(frozen=True, slots=True)
class FileStep:
    """How one file is changed; the names are in its folder."""

    path: str
    new: str
    """Where the new content is prepared; empty if the file is deleted."""
    old: str
    """Where the old file is kept; empty if there was none."""
    after: str
    """The SHA-256 of the new content, or `NO_FILE`."""

    @property
    def parent(self) -> PurePosixPath:
        """Return the folder of the file."""
        return PurePosixPath(self.path).parent


@dataclass(frozen=True, slots=True)
class Plan:
    """What is going to be changed below a root."""

    root: str
    steps: tuple[FileStep, ...]
    created: tuple[str, ...]
    """The folders that will be made, deepest first."""

    @property
    def parents(self) -> list[PurePosixPath]:
        """Return the folders of all files in the one order in which they are locked."""
        return sorted({it.parent for it in self.steps})

    def below(self, root: Path) -> "Plan | None":
        """Return the plan with paths from another root; None if it leads out of that."""

        def moved(path: str) -> str:
            return str(PurePosixPath(self.root, path).relative_to(root))

        with suppress(ValueError):
            steps = tuple(FileStep(moved(it.path), it.new, it.old, it.after) for it in self.steps)
            inside = (it for it in self.created if Path(self.root, it).is_relative_to(root))
            return Plan(str(root), steps, tuple(map(moved, inside)))
        return None


class Note:
    """A note on the disk, which is ours until it is closed."""

    def __init__(self, folder: Path, name: str, plan: Plan) -> None:
        self._folder, self._name = folder, name
        self.plan = plan

    @property
    def state(self) -> State:
        """Return how far its writer got."""
        return cast("State", self._name.partition(".")[2])

    def enter(self, state: State) -> None:
        """Write down that the next part begins.

        Raises:
            BenchpinError: when the disk refuses.
        """
        name = f"{self._name.partition('.')[0]}.{state}"
        with _writable(self._folder), folder_beneath(self._folder, _HERE) as folder:
            os.rename(self._name, name, src_dir_fd=folder, dst_dir_fd=folder)
            self._name = name
            os.fsync(folder)

    def settle(self, held: Mapping[PurePosixPath, int]) -> None:
        """Bring all files to one state, remove what is left over, and then the note.

        `held` are the folders of the files, locked; one that is not there had no file to settle.

        Raises:
            OSError: when the disk refuses; the note stays for the next start.
        """
        for step in reversed(self.plan.steps):
            folder = held.get(step.parent)
            if folder is None:
                continue
            if self.state == "replacing" and not _is_restored(folder, step):
                shown = sendable(step.path)
                logger.warning("%s was edited after a change was cut off: left as it is", shown)
            for name in filter(None, (step.new, step.old)):
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)
        try:
            sync(held)
        except BenchpinError:
            if self.state != "prepared":  # or a power cut could lose what was put back
                raise
        _remove_folders(Path(self.plan.root), self._surplus())
        with folder_beneath(self._folder, _HERE) as folder:
            os.unlink(self._name, dir_fd=folder)
            os.fsync(folder)

    def _surplus(self) -> Sequence[PurePosixPath]:
        """Return the folders that go if they are empty: made in vain, or of deleted files."""
        if self.state != "replaced":
            return [PurePosixPath(it) for it in self.plan.created]
        gone = {up for it in self.plan.steps if not it.new for up in PurePosixPath(it.path).parents}
        return sorted(gone, key=lambda it: -len(it.parts))


def _is_restored(folder: int, step: FileStep) -> bool:
    """Give a file its old content back, unless somebody has written another one since."""
    name = PurePosixPath(step.path).name
    if step.new and _exists(folder, step.new):
        return True  # it was not replaced
    try:
        present = sha256_of(read_in(folder, PurePosixPath(name), MAX_FILE_BYTES))
    except FileNotFoundError:
        present = NO_FILE
    except (OSError, BenchpinError):
        return False
    if present != step.after:
        # One that was to be deleted, and is there, or what a start put back that was killed.
        is_back = not _exists(folder, step.old) if step.old else present == NO_FILE
        return not step.new or is_back
    with suppress(FileNotFoundError):
        if step.old:
            os.replace(step.old, name, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)
    return True


def _exists(folder: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


@contextmanager
def noted(cache_dir: Path, plan: Plan, job: Job) -> Iterator[Note]:
    """Write a note before anything is changed, and hold its lock.

    Raises:
        BenchpinError: when it cannot be written.
        TimeLimitExceeded: when somebody holds the folder of notes.
    """
    import fcntl  # noqa: PLC0415 - not on Windows

    place = cache_dir / _FOLDER
    name = f"{secrets.token_hex(16)}.prepared"
    # With ASCII escapes, so that names that are not UTF-8 come back as they were.
    content = json.dumps(asdict(plan)).encode()
    with ExitStack() as stack:
        with _writable(place):
            place.mkdir(parents=True, exist_ok=True)
            folder = stack.enter_context(folder_beneath(place, _HERE))
            # Under this lock nobody takes a note that is not locked yet for an abandoned one.
            with locked(folder, PurePosixPath(_FOLDER), job):
                descriptor = open_beneath(folder, PurePosixPath(name), _NEW, 0o600)
                # Without a buffer, which would be written once more when the file is closed.
                file = stack.enter_context(os.fdopen(descriptor, "wb", buffering=0))
                try:
                    with suppress(OSError):  # a file system without locks
                        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    left = memoryview(content)
                    while left:
                        left = left[file.write(left) :]
                    os.fsync(descriptor)
                    os.fsync(folder)
                except OSError:
                    os.unlink(name, dir_fd=folder)
                    raise
        yield Note(place, name, plan)


@contextmanager
def _writable(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        kind = DiskFull if is_disk_full(error) else AccessDenied
        raise kind(
            f"Nothing was changed: the note about it cannot be written to {sendable(str(place))} "
            f"({error.strerror})",
            suggestion="Make room there, or set BENCHPIN_CACHE_DIR to another folder.",
            is_server_fault=True,
        ) from error


def settle_abandoned(cache_dir: Path, root: Path, job: Job) -> None:
    """Settle what killed writers left below a root; what cannot be settled now stays.

    Raises:
        TimeLimitExceeded: when somebody writes in the same folders.
    """
    place = cache_dir / _FOLDER
    if not place.is_dir():
        return
    for note in _abandoned(place, root, job):
        with ExitStack() as locks:
            held = {}
            try:
                for parent in note.plan.parents:
                    with suppress(FileNotFoundError, NotADirectoryError):
                        held[parent] = locks.enter_context(locked_folder(root, parent, job))
                note.settle(held)
            except OSError as error:
                logger.warning("a change that was cut off is not settled: %s", error)
            else:
                count, how = len(note.plan.steps), note.state
                logger.warning("a change of %d files was cut off (%s): settled", count, how)


def _abandoned(place: Path, root: Path, job: Job) -> Iterator[Note]:
    """Yield the notes of killed writers that are about files below a root, each while locked."""
    import fcntl  # noqa: PLC0415 - not on Windows

    with ExitStack() as stack:
        folder: int = stack.enter_context(folder_beneath(place, _HERE))
        notes = []
        with locked(folder, PurePosixPath(_FOLDER), job):
            for name in sorted(filter(_NAME, os.listdir(folder))):
                try:
                    file = stack.enter_context(_note_file(folder, name))
                    fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    continue  # in use, settled by another process, or no file
                if os.fstat(file.fileno()).st_nlink:  # not settled while it was opened
                    notes.append((name, _plan_in(file.read(_MAX_NOTE_BYTES))))
        for name, plan in notes:
            here = plan and plan.below(root)
            if here:
                yield Note(place, name, here)
            elif plan is None:
                if not name.endswith(".prepared"):  # cut off while it was written
                    logger.error("the note %s about a change is damaged: removed", place / name)
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)


def _note_file(folder: int, name: str) -> BinaryIO:
    flags = os.O_RDONLY | os.O_NONBLOCK
    file = os.fdopen(open_beneath(folder, PurePosixPath(name), flags), "rb")
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "is not a regular file")
    return file


def _plan_in(content: bytes) -> Plan | None:
    """Return the plan in a note; None if it is not one."""
    try:
        plan = msgspec.convert(json.loads(content), Plan)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors, too
        return None
    names = chain.from_iterable((it.new, it.old) for it in plan.steps)
    places = (plan.root, *plan.created, *(it.path for it in plan.steps))
    leads_out = any("\0" in it or ".." in PurePosixPath(it).parts for it in places)
    return plan if all(map(_TEMPORARY, filter(None, names))) and not leads_out else None


def sync(held: Mapping[PurePosixPath, int]) -> None:
    """Have the names in open folders on the disk.

    Raises:
        PathError: when the disk refuses.
    """
    for path, folder in held.items():
        with path_errors(path):
            os.fsync(folder)


def missing_folders(root: Path, paths: Sequence[PurePosixPath]) -> list[PurePosixPath]:
    """Return the folders that writing will create, deepest first."""
    folders = {parent for path in paths for parent in path.parents}
    missing = [folder for folder in folders if not (root / folder).exists()]
    return sorted(missing, key=lambda folder: (-len(folder.parts), str(folder)))


def _remove_folders(root: Path, folders: Sequence[PurePosixPath]) -> None:
    """Remove those folders that are empty; the deepest must come first."""
    for folder in folders:
        with suppress(OSError), folder_beneath(root, folder.parent) as parent:
            os.rmdir(folder.name, dir_fd=parent)
