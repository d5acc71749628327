"""Find the files of a tree, without what git ignores and what was copied in from elsewhere.

`walk` looks once. A `Tree` remembers what it saw, for a server that is asked again and again: a
folder is listed anew only when its stamp says that something came or went in it, and rules are
read anew only when their file changed. Both run the same code, so both find the same.

Links are never followed, and only folders and files with rules are ever opened. As for git, what
is in the index does not matter: a tracked file that a rule ignores is left out.
"""

import os
import stat
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from benchpin.core import FileMissing, Job, PathOutsideWorkspace
from benchpin.engines.ordering import sorted_names

from .excludes import Known, find_marker, is_repository, known_above, known_in
from .listing import Listing, Listings
from .scope import Scope, WalkOptions
from .turns import turn

__all__ = ["SourceFile", "Tree", "Walk", "WalkOptions", "walk"]

_CHECK_EVERY = 128
"""After so many files the job is asked whether to go on."""
_CHECK_FOLDERS = 16
_CLOSED = {"unreadable": 1}
"""What is left out in a folder that cannot be read: all of it, which counts once."""


class SourceFile(msgspec.Struct, frozen=True, gc=False):
    """A regular file; not of interest to the garbage collector, which looks at all there are."""

    path: str
    """Relative to the root, with slashes."""
    size_bytes: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class Walk:
    """What was found."""

    files: list[SourceFile]
    """By path."""
    skipped: dict[str, int]
    """How many files and folders were left out, by reason; a folder counts once."""
    closed: tuple[str, ...] = ()
    """Folders among them that could not be read, with a slash behind."""


def walk(root: Path, start: str, options: WalkOptions, job: Job) -> Walk:
    """Find the files beneath `start`, a folder or a file beneath the root.

    A file that is named is found, whatever the rules say.

    Raises:
        FileMissing: when there is no such folder or file.
        PathOutsideWorkspace: when it is not beneath the root.
        Cancelled: when the job was cancelled.
    """
    return Tree(root, options, start).refresh(job)


class _Folder:
    """A folder as it was looked at last."""

    __slots__ = (
        "depth",
        "files",
        "folders",
        "known",
        "listing",
        "outer",
        "place",
        "prefix",
        "scope",
        "skipped",
    )

    def __init__(self, place: str, prefix: str, outer: Scope, depth: int) -> None:
        self.place = place
        self.prefix = prefix
        self.outer = outer
        """The rules without those that stand in the folder itself."""
        self.scope = outer
        self.depth = depth
        self.known: Known | None = None
        self.listing: Listing | None = None
        """What was sorted; None when there was no time for all of it."""
        self.files: list[str] = []
        self.folders: dict[str, _Folder] = {}
        self.skipped: dict[str, int] = {}

    @property
    def is_closed(self) -> bool:
        """Whether it could not be read."""
        return self.skipped is _CLOSED

    def look(self, listings: Listings, job: Job) -> bool:
        """See what is in it, and return whether that is news; known folders stay known."""
        before = (self.files, self.folders, self.skipped)
        try:
            listing = listings.look(self.place, self.prefix)
        except (FileNotFoundError, NotADirectoryError):
            self.listing, self.files, self.folders, self.skipped = None, [], {}, {}
        except OSError:
            self.listing, self.files, self.folders = None, [], {}
            self.skipped = _CLOSED
        else:
            if listing is self.listing and self._has_same_rules():
                return False
            if self.known is not None or ".gitignore" in listing.files or listing.has_git:
                self._open(listing)
            self.listing = listing if self._sort(listing, job) else None
        return (self.files, self.folders, self.skipped) != before

    def _has_same_rules(self) -> bool:
        """Whether the rules that stand in it are certainly as they were read."""
        has_git = self.listing is not None and self.listing.has_git
        return not has_git and (self.known is None or self.known.is_current())

    def _open(self, listing: Listing) -> None:
        """Add the rules that the folder itself brings; when they are news, forget what is below."""
        known = None
        if not self.outer.options.include_ignored:
            if listing.has_git and is_repository(marker := Path(self.place, ".git")):
                known = known_in(marker)
            if ".gitignore" in listing.files:
                known = (known or Known(self.outer.ignore, ())).joined_by(self.place)
        if _contents(known) != _contents(self.known):
            self.folders = {}
            self.scope = self.outer if known is None else self.outer.with_ignore(known.rules)
        self.known = known

    def _sort(self, listing: Listing, job: Job) -> bool:
        """Tell what is found from what is left out; return whether there was time for all."""
        against_file, against_folder = self.scope.against_file, self.scope.against_folder
        files: list[str] = []
        folders: dict[str, _Folder] = {}
        skipped = listing.others.copy()
        is_whole = True
        for at, name in enumerate(listing.files):
            if at and at % _CHECK_EVERY == 0:
                job.check()
                if job.is_expired:
                    job.leave_out(f"files of {self.prefix or '.'}")
                    is_whole = False
                    break
            if reason := against_file(name):
                skipped[reason] = skipped.get(reason, 0) + 1
            else:
                files.append(name)
        for name in listing.folders:
            if reason := against_folder(name) or self._enter(name, folders):
                skipped[reason] = skipped.get(reason, 0) + 1
        self.files, self.folders, self.skipped = files, folders, skipped
        return is_whole

    def _enter(self, name: str, folders: "dict[str, _Folder]") -> str:
        """Put a folder among those to look into, or say why not."""
        max_depth = self.scope.options.max_depth
        if max_depth is not None and self.depth >= max_depth:
            return "too deep"
        folder = self.folders.get(name)
        if folder is None:
            outer = self.scope.enter(name)
            if outer.is_futile:
                return "not included"
            place, prefix = f"{self.place}/{name}", f"{self.prefix}{name}/"
            folder = _Folder(place, prefix, outer, self.depth + 1)
        folders[name] = folder
        return ""


def _contents(known: Known | None) -> tuple[bytes, ...] | None:
    return None if known is None else known.contents


class Tree:
    """A tree that is looked at again and again."""

    def __init__(
        self,
        root: Path,
        options: WalkOptions,
        start: str = "",
        *,
        wants: Callable[[str], bool] = bool,
        listings: Listings | None = None,
    ) -> None:
        """Choose what to look at.

        `wants` chooses files by their names; the others cost nothing more and are not found.
        `listings` are those of the root, and may be shared with other trees.

        Raises:
            PathOutsideWorkspace: when `start` is not beneath the root.
        """
        way = PurePosixPath(start)
        if way.is_absolute() or ".." in way.parts:
            raise PathOutsideWorkspace(
                f"{start!r} is outside the workspace",
                suggestion="Give a path relative to the workspace, without `..`.",
                data={"path": start},
            )
        self._root = root.absolute()
        self._way = way.parts
        self._start = self._root.joinpath(*self._way)
        self._options = options
        self._wants = wants
        self._listings = listings or Listings()
        self._lock = threading.Lock()
        self._marker: Path | None = None
        self._known: Known | None = None
        self._top: _Folder | None = None
        self._paths: list[str] | None = None
        self._skipped: Counter[str] = Counter()
        self._closed: tuple[str, ...] = ()
        self._files: dict[str, SourceFile] = {}

    def refresh(self, job: Job) -> Walk:
        """Find the files as they are now.

        Raises:
            FileMissing: when the folder or file to start from is not there.
            Cancelled: when the job was cancelled.
        """
        with turn(self._lock, job) as is_mine:
            if not is_mine:
                job.leave_out("all files: another walk took all the time")
                return Walk([], {})
            status = self._find_start()
            if stat.S_ISDIR(status.st_mode):
                seen, is_whole = self._look(job)
                return self._measure(seen, job, is_whole=is_whole)
            if not stat.S_ISREG(status.st_mode):
                is_link = stat.S_ISLNK(status.st_mode)
                return Walk([], {"symbolic link" if is_link else "not a regular file": 1})
            path = "/".join(self._way)
            return Walk([_file(path, status)], {})

    def paths(self, job: Job) -> list[str]:
        """Name the files as they are now, without asking the system about each.

        Raises:
            FileMissing: when the folder or file to start from is not there.
            Cancelled: when the job was cancelled.
        """
        with turn(self._lock, job) as is_mine:
            if is_mine and stat.S_ISDIR(self._find_start().st_mode):
                seen, is_whole = self._look(job)
                return list(self._named(seen, is_whole=is_whole))
        return [file.path for file in self.refresh(job).files]

    def _find_start(self) -> os.stat_result:
        """Go to the start without following a link beneath the root."""
        place = self._root
        try:
            status = place.stat()
            for name in self._way:
                place /= name
                if not stat.S_ISDIR(status.st_mode):
                    break
                status = place.lstat()
            else:
                return status
        except (OSError, ValueError) as error:
            raise self._missing() from error
        raise self._missing()

    def _missing(self) -> FileMissing:
        path = "/".join(self._way) or "."
        return FileMissing(
            f"There is no folder or file {path!r} that can be reached without following a link",
            suggestion="Check the path; it is relative to the workspace.",
            data={"path": path},
        )

    def _look(self, job: Job) -> tuple[list[_Folder], bool]:
        """Bring the folders up to date; return those looked into, and whether these are all."""
        stack = [self._open_top()]
        seen: list[_Folder] = []
        while stack:
            if len(seen) % _CHECK_FOLDERS == 0:
                job.check()
                if job.is_expired:
                    job.leave_out(f"{len(stack)} folders that were not looked into")
                    return seen, False
                job.report(len(seen), None, "folders")
            folder = stack.pop()
            seen.append(folder)
            if folder.look(self._listings, job):
                self._paths = None
            stack.extend(folder.folders.values())
        return seen, True

    def _open_top(self) -> _Folder:
        """Return the folder to start from, a new one when the rules above it are news."""
        marker = find_marker(self._start.parent)
        known = self._known
        if known is None or marker != self._marker or not known.is_current():
            self._marker = marker
            self._known = known_above(self._start, self._root)
            if known is None or known.contents != self._known.contents:
                self._top = None
            known = self._known
        if self._top is None:
            scope = Scope.at(self._way, self._options, known.rules)
            prefix = "".join(f"{name}/" for name in self._way)
            self._top = _Folder(str(self._start), prefix, scope, depth=1)
            self._paths = None
        return self._top

    def _gather(self, seen: list[_Folder]) -> list[str]:
        """Put together what the folders have."""
        wants = self._wants
        self._skipped = Counter()
        self._closed = tuple(sorted(folder.prefix or "./" for folder in seen if folder.is_closed))
        for folder in seen:
            if folder.skipped:
                self._skipped.update(folder.skipped)
        return sorted_names(
            [folder.prefix + name for folder in seen for name in folder.files if wants(name)]
        )

    def _named(self, seen: list[_Folder], *, is_whole: bool) -> list[str]:
        """Return the paths that were wanted, from memory where nothing changed."""
        paths = self._paths
        if paths is None or not is_whole:
            paths = self._gather(seen)
            self._paths = paths if is_whole else None
        return paths

    def _measure(self, seen: list[_Folder], job: Job, *, is_whole: bool) -> Walk:
        """Ask the system about every file."""
        paths = self._named(seen, is_whole=is_whole)
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
                try:
                    status = os.lstat(base + path)
                except (FileNotFoundError, NotADirectoryError):
                    continue
                except OSError:
                    skipped["unreadable"] = skipped.get("unreadable", 0) + 1
                    continue
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
        return Walk(files, dict(sorted(skipped.items())), self._closed)


def _file(path: str, status: os.stat_result) -> SourceFile:
    return SourceFile(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
