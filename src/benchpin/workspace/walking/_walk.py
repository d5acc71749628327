"""Find the files of a tree, without what git ignores and without vendored code.

`walk` runs once. A `Tree` keeps what it saw, for a server that is asked again and again: it lists a
folder again only when the stamp of the folder has changed, and reads rules again only when their
file has changed. Both run the same code, so both find the same files.

Symbolic links are never followed; only folders and files with rules are opened. The git index does
not matter: a tracked file that a rule ignores is left out.
"""

import os
import stat
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import msgspec

from benchpin.core.calls import Job, job_lock
from benchpin.core.errors import FileMissing, PathOutsideWorkspace
from benchpin.core.text import counted
from benchpin.system.formats import sorted_names
from benchpin.workspace.files import require_openat

from ._folder_filter import FolderFilter, WalkOptions
from ._folder_listings import FolderListing, FolderListings
from ._repository_rules import RepositoryRules, TrackedRules, find_marker, is_repository

_CHECK_EVERY = 128  # files between two looks at the job, so that a large folder can be cancelled
_CHECK_FOLDERS = 16
_RULES_NOT_READ = "ignore rules over a limit"
# The skipped entries of a folder that cannot be read: the folder itself.
_UNREADABLE = {"unreadable": 1}


class SourceFile(msgspec.Struct, frozen=True, gc=False):
    """A regular file; `gc=False`, because the collector would visit every one of them."""

    path: str
    """Relative to the root, with slashes."""
    size_bytes: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class WalkResult:
    """The files of a tree."""

    files: list[SourceFile]
    """Sorted by path."""
    skipped: dict[str, int]
    """How many files and folders were skipped, by reason; a folder counts once."""
    closed: tuple[str, ...] = ()
    """Folders that could not be read, with a slash at the end."""


def walk(root: Path, start: str, options: WalkOptions, job: Job) -> WalkResult:
    """Find the files below `start`, a folder or a file below the root.

    A start that is a file is found whatever the rules say.

    Raises:
        FileMissing: when there is no such folder or file.
        PathOutsideWorkspace: when it is not below the root.
    """
    return Tree(root, options, start).refresh(job)


@dataclass(slots=True, eq=False)
class _Folder:
    """A folder as it was last seen."""

    path: str
    prefix: str
    outer: FolderFilter
    """The filter without the rules in the folder itself."""
    depth: int
    known: TrackedRules | None = None
    listing: FolderListing | None = None
    """The listing that was filtered; None if there was no time for all of it."""
    files: list[str] = field(default_factory=list)
    folders: "dict[str, _Folder]" = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    filter: FolderFilter = field(init=False)

    def __post_init__(self) -> None:
        self.filter = self.outer

    @property
    def is_closed(self) -> bool:
        """Whether it could not be read."""
        return self.skipped is _UNREADABLE

    def update(self, listings: FolderListings, rules: RepositoryRules, job: Job) -> bool:
        """Bring it up to date; return whether it has changed. Known subfolders are kept."""
        before = (self.files, self.folders, self.skipped)
        try:
            listing = listings.read(self.path, self.prefix)
        except (FileNotFoundError, NotADirectoryError):
            self.listing, self.files, self.folders, self.skipped = None, [], {}, {}
        except OSError:
            self.listing, self.files, self.folders = None, [], {}
            self.skipped = _UNREADABLE
        else:
            # `is`: an unchanged folder has the same listing object, which saves comparing names.
            if listing is self.listing and self._has_same_rules():
                return False
            if self.known is not None or ".gitignore" in listing.files or listing.has_git:
                self._read_rules(listing, rules)
            self.listing = listing if self._filter(listing, job) else None
        return (self.files, self.folders, self.skipped) != before

    def _has_same_rules(self) -> bool:
        """Whether the rules in the folder itself have certainly not changed."""
        has_git = self.listing is not None and self.listing.has_git
        return not has_git and (self.known is None or self.known.is_current())

    def _read_rules(self, listing: FolderListing, rules: RepositoryRules) -> None:
        """Add the rules in the folder itself; if they have changed, drop the subfolders."""
        known = None
        if not self.outer.options.include_ignored:
            if listing.has_git and is_repository(marker := Path(self.path, ".git")):
                known = rules.of(marker)
            if ".gitignore" in listing.files:
                known = (known or TrackedRules(self.outer.ignore, ())).joined_by(self.path)
        if _contents(known) != _contents(self.known):
            self.folders = {}
            self.filter = self.outer if known is None else self.outer.with_ignore(known.rules)
        self.known = known

    def _filter(self, listing: FolderListing, job: Job) -> bool:
        """Separate what is found from what is skipped; return whether there was time for all."""
        # Local names: these two are called once for every name in the tree.
        skip_file, skip_folder = self.filter.skip_file, self.filter.skip_folder
        files: list[str] = []
        folders: dict[str, _Folder] = {}
        skipped = listing.others.copy()
        if self.known is not None and self.known.left_out:
            skipped[_RULES_NOT_READ] = self.known.left_out
        is_complete = True
        for at, name in enumerate(listing.files):
            if at and at % _CHECK_EVERY == 0:
                job.check()
                if job.is_expired:
                    job.leave_out(f"files of {self.prefix or '.'}")
                    is_complete = False
                    break
            if reason := skip_file(name):
                skipped[reason] = skipped.get(reason, 0) + 1
            else:
                files.append(name)
        for name in listing.folders:
            if reason := skip_folder(name) or self._enter(name, folders):
                skipped[reason] = skipped.get(reason, 0) + 1
        self.files, self.folders, self.skipped = files, folders, skipped
        return is_complete

    def _enter(self, name: str, folders: "dict[str, _Folder]") -> str:
        """Add a subfolder to those to visit, or return why it is skipped."""
        max_depth = self.filter.options.max_depth
        if max_depth is not None and self.depth >= max_depth:
            return "too deep"
        folder = self.folders.get(name)
        if folder is None:
            outer = self.filter.enter(name)
            if outer.excludes_everything:
                return "not included"
            path, prefix = f"{self.path}/{name}", f"{self.prefix}{name}/"
            folder = _Folder(path, prefix, outer, self.depth + 1)
        folders[name] = folder
        return ""


def _contents(known: TrackedRules | None) -> tuple[bytes, ...] | None:
    return None if known is None else known.contents


class Tree:
    """A tree that is walked again and again; each walk visits only what has changed."""

    def __init__(
        self,
        root: Path,
        options: WalkOptions,
        start: str = "",
        *,
        wants: Callable[[str], bool] = bool,
        listings: FolderListings | None = None,
    ) -> None:
        """Choose what to walk.

        `wants` selects files by name, before anything is read about them. `listings` are those of
        the root, and may be shared with other trees.

        Raises:
            PathOutsideWorkspace: when `start` is not below the root.
        """
        path = PurePosixPath(start)
        if path.is_absolute() or ".." in path.parts:
            raise PathOutsideWorkspace(
                f"{start!r} is outside the workspace",
                suggestion="Give a path relative to the workspace, without `..`.",
                data={"path": start},
            )
        self._root = root.absolute()
        self._steps = path.parts
        self._start = self._root.joinpath(*self._steps)
        self._options = options
        self._wants = wants
        self._listings = listings or FolderListings()
        self._rules = RepositoryRules()
        self._lock = threading.Lock()
        self._marker: Path | None = None
        self._known: TrackedRules | None = None
        self._top: _Folder | None = None
        self._paths: list[str] | None = None
        self._skipped: Counter[str] = Counter()
        self._closed: tuple[str, ...] = ()
        self._files: dict[str, SourceFile] = {}

    def refresh(self, job: Job, seen: Mapping[str, SourceFile] | None = None) -> WalkResult:
        """Find the files as they are now; `seen` are those that the job has looked at already.

        Raises:
            FileMissing: when the folder or file to start from does not exist.
        """
        with job_lock(self._lock, job) as is_held:
            if not is_held:
                job.leave_out("all files: the time ran out while another walk was under way")
                return WalkResult([], {})
            status = self._find_start()
            if stat.S_ISDIR(status.st_mode):
                folders, is_complete = self._visit(job)
                paths = self._wanted_paths(folders, is_complete=is_complete)
                return self._measure(paths, job, seen or {})
            if not stat.S_ISREG(status.st_mode):
                is_link = stat.S_ISLNK(status.st_mode)
                return WalkResult([], {"symbolic link" if is_link else "not a regular file": 1})
            path = "/".join(self._steps)
            return WalkResult([_file(path, status)], {})

    def paths(self, job: Job) -> list[str]:
        """Return the paths of the files as they are now, without reading the status of each.

        Raises:
            FileMissing: when the folder or file to start from does not exist.
        """
        with job_lock(self._lock, job) as is_held:
            if is_held and stat.S_ISDIR(self._find_start().st_mode):
                seen, is_complete = self._visit(job)
                return list(self._wanted_paths(seen, is_complete=is_complete))
        return [file.path for file in self.refresh(job).files]

    def _find_start(self) -> os.stat_result:
        """Return the status of the start; no symbolic link below the root is followed."""
        require_openat()  # here: the workers that read the files could only crash
        path = self._root
        try:
            status = path.stat()
            for name in self._steps:
                path /= name
                if not stat.S_ISDIR(status.st_mode):
                    break
                status = path.lstat()
            else:
                return status
        except (OSError, ValueError) as error:
            raise self._missing() from error
        raise self._missing()

    def _missing(self) -> FileMissing:
        path = "/".join(self._steps) or "."
        return FileMissing(
            f"There is no folder or file {path!r}, or a symbolic link leads to it",
            suggestion="Check the path; it is relative to the workspace.",
            data={"path": path},
        )

    def _visit(self, job: Job) -> tuple[list[_Folder], bool]:
        """Bring the folders up to date; return those visited, and whether these are all."""
        stack = [self._open_top()]
        seen: list[_Folder] = []
        while stack:
            if len(seen) % _CHECK_FOLDERS == 0:
                job.check()
                if job.is_expired:
                    texts = "folder that was not visited", "folders that were not visited"
                    job.leave_out(counted(len(stack), *texts))
                    return seen, False
                job.report(len(seen), None, "folders")
            folder = stack.pop()
            seen.append(folder)
            if folder.update(self._listings, self._rules, job):
                self._paths = None
            stack.extend(folder.folders.values())
        return seen, True

    def _open_top(self) -> _Folder:
        """Return the folder to start from; a new one if the rules above it have changed."""
        marker = find_marker(self._start.parent)
        known = self._known
        if known is None or marker != self._marker or not known.is_current():
            self._marker = marker
            self._known = self._rules.above(self._start, self._root)
            if known is None or known.contents != self._known.contents:
                self._top = None
            known = self._known
        if self._top is None:
            outer = FolderFilter.at(self._steps, self._options, known.rules)
            prefix = "".join(f"{name}/" for name in self._steps)
            self._top = _Folder(str(self._start), prefix, outer, depth=1)
            self._paths = None
        return self._top

    def _gather(self, seen: list[_Folder]) -> list[str]:
        """Combine the files and the skipped entries of the folders."""
        wants = self._wants
        self._skipped = Counter()
        self._closed = tuple(sorted(folder.prefix or "./" for folder in seen if folder.is_closed))
        for folder in seen:
            if folder.skipped:
                self._skipped.update(folder.skipped)
        return sorted_names(
            [folder.prefix + name for folder in seen for name in folder.files if wants(name)]
        )

    def _wanted_paths(self, seen: list[_Folder], *, is_complete: bool) -> list[str]:
        """Return the wanted paths; the same list as before if nothing has changed."""
        paths = self._paths
        if paths is None or not is_complete:
            paths = self._gather(seen)
            self._paths = paths if is_complete else None
        return paths

    def _measure(self, paths: list[str], job: Job, seen: Mapping[str, SourceFile]) -> WalkResult:
        """Read the status of every file that was not seen."""
        known = self._files
        skipped = dict(self._skipped)
        base = f"{self._root}/"
        files: list[SourceFile] = []
        for first in range(0, len(paths), _CHECK_EVERY):
            job.check()
            if job.is_expired:
                job.leave_out(f"{len(paths) - first} of {len(paths)} files")
                break
            job.report(first, len(paths), "names")
            for path in paths[first : first + _CHECK_EVERY]:
                if path in seen:
                    files.append(seen[path])
                    continue
                try:
                    status = os.lstat(base + path)  # a Path costs more than the call
                except (FileNotFoundError, NotADirectoryError):
                    continue
                except OSError:
                    skipped["unreadable"] = skipped.get("unreadable", 0) + 1
                    continue
                # Unchanged files keep their object: less to allocate, and quick to compare.
                file = known.get(path)
                if (
                    file is None
                    or file.mtime_ns != status.st_mtime_ns
                    or file.ctime_ns != status.st_ctime_ns
                    or file.size_bytes != status.st_size
                ):
                    file = known[path] = _file(path, status)
                files.append(file)
        if len(known) > len(files):
            self._files = {file.path: file for file in files}
        return WalkResult(files, dict(sorted(skipped.items())), self._closed)


def _file(path: str, status: os.stat_result) -> SourceFile:
    return SourceFile(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
