"""A copy of the workspace as it is after a change, in which tests may do what they like.

Not a `git worktree`: that writes into the repository of the user, and runs what it configures, such
as filters and hooks. Folders of dependencies are links to those of the workspace, which programs in
the sandbox see read-only. Nothing in the workspace is changed, whatever the tests do.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchpin.code.changes import FileDelta
from benchpin.core.errors import BenchpinError
from benchpin.facts import FileSelection
from benchpin.workspace.files import Unreadable, read_regular
from benchpin.workspace.git import find_repository
from benchpin.workspace.writing import is_abandoned, marked_in_use

MAX_COPY_BYTES = 4 << 30
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
            return read_regular(os.fsencode(self.root), path, MAX_COPY_BYTES)[0]
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

    def take_back(self, deltas: Sequence[FileDelta]) -> None:
        """Undo some of the changes."""
        for delta in deltas:
            if delta.old_path or delta.before is None:
                self.write(delta.path, None)
            if delta.before is not None:
                self.write(delta.old_path or delta.path, delta.before)

    @contextmanager
    def reverted(self, deltas: Sequence[FileDelta]) -> Iterator[None]:
        """Take back some of the changes, until the end of the block."""
        try:
            self.take_back(deltas)
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
def own_folder(folder: Path) -> Iterator[Path]:
    """Make an empty folder in a folder of ours, and remove it at the end of the block."""
    with ExitStack() as stack:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            sweep(folder)
            place = Path(tempfile.mkdtemp(prefix="copy-", dir=folder))
            stack.callback(remove_tree, place)
            stack.enter_context(marked_in_use(place))
            tree = place / _TREE
            tree.mkdir()
            yield tree
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
