"""Fill the copy of a workspace: files, links to dependencies, what was built there."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from benchpin.code.changes import Deltas, FileDelta
from benchpin.core.calls import Job
from benchpin.facts import FileSelection
from benchpin.workspace.files import READ, open_below
from benchpin.workspace.git import find_repository
from benchpin.workspace.git_objects import open_objects, read_index

from ._working_copy import MAX_COPY_BYTES, CannotCopy, WorkingCopy, own_folder

# Folders that git ignores, and that tests need: they are linked, not copied.
_DEPENDENCIES = frozenset(
    {
        *(".venv", "venv", "env", ".tox", ".nox", "node_modules", "vendor", "bower_components"),
        *("dist", "build", "out", ".yarn", ".pnp", ".eggs", "_build"),
    }
)
# What tools leave behind; a test that needs it makes it.
_LEFT_BEHIND = (".pyc", ".pyo", ".log", ".coverage", ".DS_Store", ".lock.tmp")
_MAX_FILES = 200_000
# A file that git ignores and that tests may need, such as a compiled module.
_MAX_IGNORED_BYTES = 64 << 20


@contextmanager
def working_copy(
    selection: FileSelection, deltas: Deltas, folder: Path, job: Job
) -> Iterator[WorkingCopy]:
    """Make a copy in a folder of ours, and remove it at the end of the block, whatever happens.

    One that a killed process left behind is removed by the next call.

    Raises:
        CannotCopy: when the workspace is too large, or the copy cannot be written.
        GitFailed: when git cannot read the repository.
        TimeLimitExceeded: when the time of the job is up.
    """
    with own_folder(folder) as tree:
        yield filled(WorkingCopy(tree, selection.root), selection, deltas, job)


def filled(copy: WorkingCopy, selection: FileSelection, deltas: Deltas, job: Job) -> WorkingCopy:
    """Write the state after a change to the empty folder of a copy; return the copy."""
    _Filling(copy, selection.workspace(), deltas, job).run()
    return copy


class _Filling:
    """Fills a copy with the files of one state of a workspace."""

    def __init__(
        self, copy: WorkingCopy, selection: FileSelection, deltas: Deltas, job: Job
    ) -> None:
        self._copy, self._selection, self._deltas, self._job = copy, selection, deltas, job
        self._root = selection.root
        self._bytes = 0

    def run(self) -> None:
        on_disk = self._on_disk()
        ids = self._deltas.after_ids
        wanted = on_disk if ids is None else sorted(ids)
        if len(wanted) > _MAX_FILES:
            raise CannotCopy(
                f"The workspace has {len(wanted):,} files; at most {_MAX_FILES:,} are copied",
                suggestion="Start Benchpin in a folder of the project.",
            )
        readable = [it for it in wanted if self._selection.may_read(it)]
        if ids is None:
            for path in self._job.timed(readable):
                self._copy_file(path)
        else:
            self._write_objects({it: ids[it] for it in readable})
        # What a patch would change is not on the disk.
        for delta in self._deltas.files:
            if ids is None and self._differs(delta):
                self._copy.write(delta.path, delta.after)
                if delta.old_path:
                    self._copy.write(delta.old_path, None)
        self._add_ignored({*on_disk, *wanted})

    def _on_disk(self) -> list[str]:
        """Return the files of the disk that git would have, tracked or not."""
        selection = self._selection
        repository = find_repository(selection.folder, self._root, selection.session.git_folders)
        tracked = (it.path for it in read_index(repository, self._job))
        return sorted({*selection.all_paths(), *tracked})

    def _differs(self, delta: FileDelta) -> bool:
        content = self._copy.read(delta.path)
        return content != delta.after or bool(delta.old_path)

    def _write_objects(self, ids: dict[str, str]) -> None:
        selection = self._selection
        repository = find_repository(selection.folder, self._root, selection.session.git_folders)
        with open_objects(repository, self._job) as objects:
            contents = objects.read_each(ids.values())
            for path, content in zip(self._job.timed(ids), contents, strict=True):
                if content is not None:
                    self._count(len(content))
                    self._copy.write(path, content)
                    self._set_mode(path)

    def _set_mode(self, path: str) -> None:
        with suppress(OSError):
            mode = (self._root / path).lstat().st_mode
            if stat.S_ISREG(mode):
                (self._copy.root / path).chmod(0o600 | (mode & 0o777))

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > MAX_COPY_BYTES:
            raise CannotCopy(
                f"The workspace has over {MAX_COPY_BYTES >> 30} GiB outside of what git ignores",
                suggestion="Start Benchpin in a folder of the project.",
            )

    def _copy_file(self, path: str) -> None:
        source, target = self._root / path, self._copy.root / path
        try:
            status = source.lstat()
            if stat.S_ISLNK(status.st_mode):
                self._link(source, target)
                return
            if not stat.S_ISREG(status.st_mode):
                return
            content = os.fdopen(open_below(self._root, PurePosixPath(path), READ), "rb")
        except OSError:
            return
        with content:
            self._count(os.fstat(content.fileno()).st_size)
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("wb") as copy:  # in pieces: a data set need not fit into memory
                shutil.copyfileobj(content, copy)
        target.chmod(0o600 | (status.st_mode & 0o777))

    def _link(self, source: Path, target: Path) -> None:
        """Make a link as it is in the workspace, if it leads to another place in it."""
        leads_to = source.readlink()
        inside = os.path.normpath(source.parent / leads_to)
        if leads_to.is_absolute() or not Path(inside).is_relative_to(self._root):
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(leads_to)

    def _add_ignored(self, known: set[str]) -> None:
        """Link the folders of dependencies beside the files, and copy what was built there."""
        folders = {"", *(parent for it in known for parent in _parents(it))}
        for folder in sorted(folders):
            self._job.require_time()
            with suppress(OSError), os.scandir(self._root / folder) as entries:
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if path not in known and path not in folders:
                        self._add_one(entry, path)

    def _add_one(self, entry: os.DirEntry[str], path: str) -> None:
        target = self._copy.root / path
        if target.is_symlink() or target.exists() or not self._selection.may_read(path):
            return
        if entry.is_symlink():
            self._link(Path(entry.path), target)
        elif entry.is_dir(follow_symlinks=False):
            if entry.name in _DEPENDENCIES:
                target.parent.mkdir(parents=True, exist_ok=True)
                self._link_folder(Path(entry.path), target)
        elif not entry.name.endswith(_LEFT_BEHIND):
            # After a change of its source a compiled module is that of another content.
            is_small = entry.stat(follow_symlinks=False).st_size <= _MAX_IGNORED_BYTES
            if is_small and self._deltas.after_ids is None:
                self._copy_file(path)

    def _link_folder(self, source: Path, target: Path) -> None:
        self._copy.linked.append(source)
        inner = [it for it in _links_within(source) if _leads_into(it, self._root, source)]
        if not inner:
            target.symlink_to(source)
            return
        # The packages of one repository depend on one another by links: those lead into the copy.
        for entry in os.scandir(source):
            self._link_entry(Path(entry.path), target / entry.name)

    def _link_entry(self, source: Path, target: Path) -> None:
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            inside = os.path.relpath(os.path.realpath(source), self._root)
            if not inside.startswith(".."):
                target.symlink_to(self._copy.root / inside)
        elif source.name.startswith("@") and source.is_dir():
            for entry in os.scandir(source):
                self._link_entry(Path(entry.path), target / entry.name)
        else:
            target.symlink_to(source)


def _links_within(folder: Path) -> Iterator[Path]:
    """Yield the links directly in a folder of packages, and in its scopes: `@scope/name`."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.is_symlink():
                yield Path(entry.path)
            elif entry.name.startswith("@"):
                yield from _links_within(Path(entry.path))


def _leads_into(link: Path, root: Path, folder: Path) -> bool:
    """Whether a link leads to a place of the workspace outside of a folder in it."""
    place = Path(os.path.realpath(link))
    return place.is_relative_to(root) and not place.is_relative_to(folder)


def _parents(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
