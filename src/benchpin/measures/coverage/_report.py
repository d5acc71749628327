"""Find the coverage reports that test runs left in a workspace, and match them with its files."""

import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Job
from benchpin.core.errors import TimeLimitExceeded
from benchpin.facts import FileFacts, May
from benchpin.workspace.files import Unreadable, folder_beneath, read_regular

from ._contents import (
    MAX_BYTES,
    DamagedReport,
    FileCoverage,
    LineBudget,
    ReportContents,
    ReportedLines,
    read_lcov,
    read_xml,
)
from ._database import read_database

# How many names at the end of a path from another machine must be equal.
_MIN_COMMON_PARTS = 2
# How many source folders of a report are tried.
_MAX_SOURCES = 20
# No system opens a longer path.
_MAX_PATH_CHARS = 4096

Names = tuple[str, ...]
# The keys are endings of file names.
_READERS: dict[str, Callable[[bytes, LineBudget], ReportContents]] = {
    ".xml": read_xml,
    ".info": read_lcov,
    ".lcov": read_lcov,
    ".coverage": read_database,
}
_DATABASE = ".coverage"
_FOLDERS = ("", "coverage", "reports", "reports/coverage", "build", "build/coverage", "htmlcov")
_NAMES = (
    *("coverage.xml", "cobertura.xml", "cobertura-coverage.xml", "coverage.cobertura.xml"),
    *("jacoco.xml", "lcov.info", "coverage.info", "coverage.lcov", _DATABASE),
)
_USUAL = (
    *(f"{folder}/{name}".lstrip("/") for folder in _FOLDERS for name in _NAMES),
    "target/site/jacoco/jacoco.xml",
    "target/site/jacoco-aggregate/jacoco.xml",
    "target/site/cobertura/coverage.xml",
    "target/coverage/lcov.info",
    "build/reports/kover/report.xml",
    "build/reports/cobertura.xml",
    "build/logs/cobertura.xml",
)
# Folders with XML reports somewhere inside.
_TREES = ("build/reports/jacoco", "TestResults")
_MAX_MODULES = 400
_MAX_TREE_FILES = 100
# A folder this deep may be a module with reports of its own.
_MODULE_DEPTH = 2


# Match the paths of a report with files of the workspace.


class PathMatcher:
    """The files of a workspace, indexed by how their paths end."""

    def __init__(self, root: Path, paths: Iterable[str], is_there: Callable[[str], bool]) -> None:
        """Index files by their paths; `is_there` says whether a path is a file, source or not."""
        self._is_there = is_there
        self._root = _plain(_names(root.as_posix()))
        self._known = frozenset(tuple(path.split("/")) for path in paths)
        self._last = frozenset(names[-1] for names in self._known)
        self._deepest = max(map(len, self._known), default=0)
        self._backwards = sorted(names[::-1] for names in self._known)

    def starts(self, report: str, sources: Sequence[str]) -> tuple[Names, ...]:
        """Return the folders that the paths of a report may be relative to, the likeliest first.

        These are its source folders, then the folders around it, the nearest first and the root of
        the workspace last. A relative source folder is tried in each of those.
        """
        folders = [self._root + _names(str(it)) for it in PurePosixPath(report).parents]
        usable = [it for it in sources if len(it) <= _MAX_PATH_CHARS][:_MAX_SOURCES]
        named = (
            _names(source) if _is_absolute(source) else folder + _names(source)
            for source in usable
            for folder in folders
        )
        return tuple(dict.fromkeys(map(_plain, (*named, *folders))))

    def find(self, written: str, starts: Sequence[Names]) -> str | None:
        """Return the file that a path of a report names; None when there is none, or several.

        The first start that leads to a file decides, even if that file is not indexed. Otherwise,
        since a report may come from another machine, it is the one file whose path has the most
        names in common, from the end.
        """
        own = _names(written)
        if len(written) > _MAX_PATH_CHARS or not own or own[-1] not in self._last:
            return None
        is_whole, length = _is_absolute(written), len(_plain(own))
        tried = [_plain(start + own) for start in (((),) if is_whole else starts)]
        for names in tried:
            inside = self._inside(names)
            found = self._moved(names, length) if inside is None else inside
            if found in self._known:
                return "/".join(found)
            if inside is not None and (is_whole or self._is_there("/".join(inside))):
                return None
        least = _MIN_COMMON_PARTS if is_whole else length
        similar = (self._most_similar(names, least) for names in tried)
        return next(("/".join(it) for it in similar if it), None)

    def _inside(self, names: Names) -> Names | None:
        depth = len(self._root)
        return names[depth:] if names[:depth] == self._root else None

    def _moved(self, names: Names, own: int) -> Names:
        """Return the file of a path on a machine with another root; empty if there is none.

        The whole path of the file must end the other, and be longer than what the report wrote.
        """
        longest = max(1, len(names) - self._deepest)
        ends = (names[at:] for at in range(longest, len(names) - own))
        return next((end for end in ends if end in self._known), ())

    def _most_similar(self, names: Names, least: int) -> Names | None:
        """Return the one file that shares the most names at the end, if these are enough.

        Sorted by their reversed names, the files that share most with a path are its neighbours.
        """
        wanted = names[::-1]
        at = bisect_left(self._backwards, wanted)
        near = [(_in_common(wanted, it), it) for it in self._backwards[max(0, at - 2) : at + 2]]
        longest = max((length for length, _ in near), default=0)
        best = [it for length, it in near if length == longest]
        return best[0][::-1] if longest >= least and len(best) == 1 else None


def _names(path: str) -> Names:
    return tuple(it for it in path.replace("\\", "/").split("/") if it not in {"", "."})


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\")) or path.replace("\\", "/").partition("/")[0].endswith(":")


def _plain(names: Names) -> Names:
    """Return a path without `..`, going by the names alone."""
    if ".." not in names:
        return names
    plain: list[str] = []
    for name in names:
        if name == "..":
            del plain[-1:]
        else:
            plain.append(name)
    return tuple(plain)


def _in_common(one: Names, other: Names) -> int:
    """Return how many names are equal, from the first on."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda it: it[0] == it[1], pairs))


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A file that may be a report, as it is now."""

    path: str
    size_bytes: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True)
class ReportRead:
    """A report that is used."""

    source: ReportFile
    files: int
    """Files of the workspace that it covers."""
    unknown: int
    """Paths in it that match no file, or more than one."""
    changed_since: int
    """How many of its files changed after it was written, so that it may be wrong about them."""

    @property
    def path(self) -> str:
        return self.source.path


@dataclass(frozen=True, slots=True)
class UnusedReport:
    """A report that is not used, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """What all reports contain; for a file in several of them, the newest with lines counts."""

    by_file: Mapping[str, FileCoverage]
    reports: tuple[ReportRead, ...]
    problems: tuple[UnusedReport, ...]


def find_reports(
    root: Path, files: Sequence[FileFacts], may: May, job: Job
) -> tuple[ReportFile, ...]:
    """Return what may be a report, the most trusted first; nothing is read yet.

    `may` says whether a path may be read. Links are not followed.

    Raises:
        Cancelled: when the job was cancelled.
    """
    # A database comes last: it has no lines that did not run.
    return tuple(
        sorted(
            _candidates(root, files, may, job),
            key=lambda it: (it.path.endswith(_DATABASE), -it.mtime_ns, it.path),
        )
    )


def read_reports(
    root: Path, files: Sequence[FileFacts], candidates: Sequence[ReportFile], job: Job
) -> CoverageReport:
    """Return what reports contain about files, which need their outline.

    A report that cannot be read in time is left out as a whole.

    Raises:
        Cancelled: when the job was cancelled.
    """
    facts = {file.path: file for file in files}
    matcher = PathMatcher(root, facts, lambda path: _mtime_ns(root, path) > 0)
    by_file: dict[str, FileCoverage] = {}
    reports: list[ReportRead] = []
    problems: list[UnusedReport] = []
    late = 0
    for candidate in candidates:
        try:
            contents = _read(root, candidate, job)
            found = _match(contents, candidate.path, matcher, facts, job)
        except (DamagedReport, Unreadable, TimeLimitExceeded) as error:
            is_late = isinstance(error, TimeLimitExceeded)
            late += is_late
            problems.append(UnusedReport(candidate.path, "out of time" if is_late else str(error)))
            continue
        if not found:
            problems.append(UnusedReport(candidate.path, "it names no file of the workspace"))
            continue
        by_file = found | by_file
        changed = sum(_mtime_ns(root, path) > candidate.mtime_ns for path in found)
        unknown = len(contents.files) - len(found)
        reports.append(ReportRead(candidate, len(found), unknown, changed))
    if late:
        job.leave_out(f"{late} of {len(candidates)} coverage reports")
    return CoverageReport(dict(sorted(by_file.items())), tuple(reports), tuple(problems))


def _read(root: Path, file: ReportFile, job: Job) -> ReportContents:
    job.require_time()
    data, _ = read_regular(os.fsencode(root), file.path, MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise DamagedReport(f"it is bigger than {MAX_BYTES >> 20} MiB")
    read = next(reader for ending, reader in _READERS.items() if file.path.endswith(ending))
    return read(data, LineBudget(job))


def _match(
    contents: ReportContents,
    report: str,
    matcher: PathMatcher,
    facts: Mapping[str, FileFacts],
    job: Job,
) -> dict[str, FileCoverage]:
    """Return the coverage of the files of the workspace that a report names."""
    starts = matcher.starts(report, contents.sources)
    found: dict[str, FileCoverage] = {}
    for written, lines in contents.files.items():
        job.require_time()
        path = matcher.find(written, starts)
        if path is not None and path not in found:
            found[path] = _coverage(lines, facts[path])
    return found


def _coverage(lines: ReportedLines, file: FileFacts) -> FileCoverage:
    if lines.entered is None:
        return lines.coverage()
    # A function was entered if a line of its body ran; one that is all on one line is unknown.
    bodies = [
        range(it.line + it.signature.count("\n") + 1, it.end_line + 1)
        for it in file.outline.functions
    ]
    entered = sum(not lines.entered.isdisjoint(body) for body in bodies)
    return FileCoverage(entered, sum(map(bool, bodies)), "functions")


def _candidates(root: Path, files: Sequence[FileFacts], may: May, job: Job) -> Iterator[ReportFile]:
    """Look in the usual places of the workspace and of its modules."""
    modules = {
        "/".join(parts[:depth])
        for parts in {tuple(file.path.split("/")[:-1]) for file in files} | {()}
        for depth in range(min(len(parts), _MODULE_DEPTH) + 1)
    }
    seen: set[str] = set()
    for module in sorted(modules, key=lambda it: (it.count("/"), it))[:_MAX_MODULES]:
        job.check()
        for path in _possible_paths(root, module, job):
            status = None if path in seen else _status(root, path)
            if status is not None and may(path):
                seen.add(path)
                yield ReportFile(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _possible_paths(root: Path, module: str, job: Job) -> Iterator[str]:
    """Yield where a report may be in a module; nothing below folders that are not there."""
    try:
        there = frozenset(it.name for it in (root / module).iterdir())
    except OSError:
        return
    start = f"{module}/" if module else ""
    yield from (start + path for path in _USUAL if path.partition("/")[0] in there)
    for tree in _TREES:
        if tree.partition("/")[0] in there:
            yield from _xml_below(root, start + tree, job)


def _xml_below(root: Path, folder: str, job: Job) -> list[str]:
    found: list[str] = []
    with suppress(OSError), folder_beneath(root, PurePosixPath(folder)) as top:
        for parent, folders, names, _ in islice(os.fwalk(".", dir_fd=top), _MAX_TREE_FILES):
            job.check()
            folders.sort()
            place = PurePosixPath(folder, parent)
            found += (f"{place}/{name}" for name in sorted(names) if name.endswith(".xml"))
    return found[:_MAX_TREE_FILES]


def _status(root: Path, path: str) -> os.stat_result | None:
    """Return the status of a file; None if there is none, or a link leads to it."""
    place = PurePosixPath(path)
    try:
        with folder_beneath(root, place.parent) as folder:
            return os.lstat(place.name, dir_fd=folder)
    except (OSError, ValueError):
        return None


def _mtime_ns(root: Path, path: str) -> int:
    try:
        return os.lstat(f"{root}/{path}").st_mtime_ns
    except (OSError, ValueError):
        return 0
