"""A copy of the workspace as it is after a change, in which tests may do what they like.

Not a `git worktree`: that writes into the repository of the user, and runs what it configures, such
as filters and hooks. Folders of dependencies are links to those of the workspace, which programs in
the sandbox see read-only. Nothing in the workspace is changed, whatever the tests do.
"""

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchpin.code.changes import Deltas, FileDelta
from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError
from benchpin.facts import FileSelection
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.git import find_repository
from benchpin.workspace.git_objects import open_objects, read_index
from benchpin.workspace.writing import is_abandoned, marked_in_use

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
_MAX_BYTES = 4 << 30
# A file that git ignores and that tests may need, such as a compiled module.
_MAX_IGNORED_BYTES = 64 << 20
_TREE = "tree"
# What is a module for Python under a name, beside its source.
_COMPILED = re.compile(r"\.(?:[\w-]+\.)?(?:so|pyd|pyc)")


class CannotCopy(BenchpinError):
    """The workspace is too large to be copied, or the copy cannot be written."""

    kind = "cannot_copy"


class MergeInProgress(BenchpinError):
    """The files are neither the state before a merge nor the one after it."""

    kind = "merge_in_progress"


# What git writes while it waits for the user, and what for.
_UNFINISHED = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}


def require_settled(selection: FileSelection, change: str) -> None:
    """Return if the files on the disk are a state that can be judged.

    Raises:
        MergeInProgress: when a merge, a rebase or the like waits for the user.
        NotARepository: when the folder is not under version control.
    """
    folders = selection.session.git_folders
    place = find_repository(selection.folder, selection.root, folders).git_dir
    found = next((it for it in _UNFINISHED if (place / it).exists()), None)
    if found is not None and ".." not in change:
        name = _UNFINISHED[found]
        raise MergeInProgress(
            f"The repository is in the middle of a {name}: {found} is there",
            suggestion=f"Finish it, or `git {name} --abort`; or give two commits: diff=A..B.",
        )


@dataclass
class WorkingCopy:
    """The copy: its place, and what it shows of the workspace."""

    root: Path
    original: Path
    linked: list[Path] = field(default_factory=list)
    """Folders of the workspace that programs have to see too."""

    def read(self, path: str) -> bytes | None:
        try:
            return read_regular(os.fsencode(self.root), path, _MAX_BYTES)[0]
        except Unreadable:
            return None

    def write(self, path: str, content: bytes | None) -> None:
        """Give a file another content; None removes it.

        What is behind a link out of the copy stays as it is: a folder of the workspace that we
        linked, or whatever a test has put in the place of one.
        """
        place = self.root / path
        if not Path(os.path.realpath(place.parent)).is_relative_to(os.path.realpath(self.root)):
            return
        self._drop_compiled(place)
        # A test may have put a link, a pipe or a folder there.
        if place.is_dir() and not place.is_symlink():
            remove_tree(place)
        place.unlink(missing_ok=True)
        if content is None:
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)

    def _drop_compiled(self, place: Path) -> None:
        """Remove what would run in the place of a source file: it is of another content."""
        with suppress(OSError):
            for entry in list(os.scandir(place.parent)):
                is_of = entry.name.startswith(place.stem)
                if is_of and _COMPILED.fullmatch(entry.name.removeprefix(place.stem)):
                    Path(entry.path).unlink(missing_ok=True)

    @contextmanager
    def reverted(self, deltas: Sequence[FileDelta]) -> Iterator[None]:
        """Take back some of the changes, until the end of the block."""
        try:
            for delta in deltas:
                if delta.old_path or delta.before is None:
                    self.write(delta.path, None)
                if delta.before is not None:
                    self.write(delta.old_path or delta.path, delta.before)
            yield
        finally:
            for delta in deltas:
                if delta.old_path:
                    self.write(delta.old_path, None)
                self.write(delta.path, delta.after)

    @contextmanager
    def replaced(self, path: str, content: bytes) -> Iterator[None]:
        """Give a file another content, until the end of the block."""
        before = self.read(path)
        try:
            self.write(path, content)
            yield
        finally:
            self.write(path, before)

    def python_path(self) -> list[str]:
        """Return where an environment finds the project, in this copy instead of the workspace.

        An environment in which the project is installed for editing names folders of the workspace.
        """
        found = {"src": None} if (self.root / "src").is_dir() else {}
        for environment in (it for it in self.linked if (it / "pyvenv.cfg").exists()):
            for place in sorted(environment.glob("lib/python*/site-packages/*")):
                if place.suffix == ".pth" or place.name.startswith("__editable__"):
                    found |= dict.fromkeys(self._named_in(place))
        inside = (self.root / it for it in found)
        return [str(it) for it in inside if it.is_dir()]

    def _named_in(self, place: Path) -> Iterator[str]:
        """Yield the folders of the workspace that a file of site-packages puts on the path."""
        with suppress(OSError, UnicodeDecodeError):
            text = place.read_text(encoding="utf-8")
            root = re.escape(str(self.original))
            for match in re.finditer(
                rf"(?<![\w/.-]){root}(?P<inside>/[^\n'\":;,]{{0,4000}})?", text
            ):
                inside = Path((match["inside"] or "").strip("/"))
                # A line of a .pth is a folder; the table of a finder has a folder for each package.
                yield str(inside if place.suffix == ".pth" else inside.parent)


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
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            sweep(folder)
            place = Path(tempfile.mkdtemp(prefix="copy-", dir=folder))
            stack.callback(remove_tree, place)
            stack.enter_context(marked_in_use(place))
            tree = place / _TREE
            tree.mkdir()
            copy = WorkingCopy(tree, selection.root)
            _Filling(copy, selection.workspace(), deltas, job).run()
            yield copy
        except OSError as error:
            raise CannotCopy(
                f"The copy in {folder} in which programs run cannot be written: {error.strerror}",
                suggestion="Make room there, or set BENCHPIN_CACHE_DIR to another folder.",
            ) from error


def sweep(folder: Path) -> int:
    """Remove the copies that processes left behind that were killed; return how many."""
    # Without a tree, one is being made, and not marked yet.
    left = [it.parent for it in folder.glob(f"copy-*/{_TREE}") if is_abandoned(it.parent)]
    for place in left:
        remove_tree(place)
    return len(left)


def remove_tree(place: Path) -> None:
    """Remove a folder; tests may have made folders that nobody may enter or write."""
    for folder, inner, _ in os.walk(place):
        for path in (Path(folder, it) for it in inner):
            with suppress(OSError):
                if not path.is_symlink():
                    path.chmod(0o700)  # before the walk enters it
    shutil.rmtree(place, ignore_errors=True)


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
        if self._bytes > _MAX_BYTES:
            raise CannotCopy(
                f"The workspace has over {_MAX_BYTES >> 30} GiB outside of what git ignores",
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
            content = read_regular(os.fsencode(self._root), path, _MAX_BYTES)[0]
        except (OSError, Unreadable):
            return
        self._count(len(content))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
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
