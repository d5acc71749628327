"""Find the reports that test runs left in a workspace, and say what they mean for its files."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Literal

from benchpin.core import Job
from benchpin.engines.beneath import folder_beneath
from benchpin.engines.source.facts import Function
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.opening import Unreadable, read_regular

from .database import read_database
from .lcov import read_lcov
from .matching import Matcher
from .model import (
    MAX_BYTES,
    Budget,
    Contents,
    Coverage,
    Damaged,
    Lines,
    OutOfTime,
    Unit,
    heed,
    share_of_all,
)
from .xml import read_xml

May = Callable[[str], bool]
Format = Literal["xml", "lcov", "database"]

_READERS: dict[Format, Callable[[bytes, Budget], Contents]] = {
    "xml": read_xml,
    "lcov": read_lcov,
    "database": read_database,
}
_PLACES = ("", "coverage", "reports", "reports/coverage", "build", "build/coverage", "htmlcov")
_NAMES: dict[str, Format] = {
    "coverage.xml": "xml",
    "cobertura.xml": "xml",
    "cobertura-coverage.xml": "xml",
    "coverage.cobertura.xml": "xml",
    "jacoco.xml": "xml",
    "lcov.info": "lcov",
    "coverage.info": "lcov",
    "coverage.lcov": "lcov",
    ".coverage": "database",
}
_ELSEWHERE: dict[str, Format] = {
    "target/site/jacoco/jacoco.xml": "xml",
    "target/site/jacoco-aggregate/jacoco.xml": "xml",
    "target/site/cobertura/coverage.xml": "xml",
    "target/coverage/lcov.info": "lcov",
    "build/reports/kover/report.xml": "xml",
    "build/reports/cobertura.xml": "xml",
    "build/logs/cobertura.xml": "xml",
}
_TREES = ("build/reports/jacoco", "TestResults")
_MOST_MODULES = 400
_MOST_IN_TREE = 100
_MODULE_DEPTH = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a report, as it is now."""

    path: str
    format: Format
    size_bytes: int
    mtime_ns: int
    ctime_ns: int

    @property
    def rank(self) -> tuple[bool, int, str]:
        """The order in which reports are believed."""
        return self.format == "database", -self.mtime_ns, self.path


@dataclass(frozen=True, slots=True)
class ReportRead:
    """One report and what came of it."""

    source: Candidate
    files: int
    """Files of the workspace that it speaks of."""
    unknown: int
    """Paths in it that mean no file, or more than one."""
    changed_since: int
    """How many of its files were changed after it was written: of these it may not be true."""

    @property
    def path(self) -> str:
        """Its path in the workspace."""
        return self.source.path


@dataclass(frozen=True, slots=True)
class Problem:
    """A report that is not used, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class CoverageReport:
    """What all reports say; of a file that several speak of, the newest with lines counts."""

    by_file: Mapping[str, Coverage]
    reports: tuple[ReportRead, ...]
    problems: tuple[Problem, ...]

    @property
    def share(self) -> float | None:
        """How much was run of all files together; of functions only where no lines are known."""
        return share_of_all(self.by_file.values())

    def share_of(self, unit: Unit) -> float | None:
        """Return how much was run of all files that are counted in lines, or in functions."""
        found = [it for it in self.by_file.values() if it.unit == unit]
        total = sum(it.total for it in found)
        return sum(it.covered for it in found) / total if total else None


def find_reports(
    root: Path, files: Sequence[FileFacts], may: May, job: Job
) -> tuple[Candidate, ...]:
    """Return what may be a report, the most trusted first; nothing is read yet.

    `may` says whether a path may be read. Links are not followed.

    Raises:
        Cancelled: when the job was cancelled.
    """
    return tuple(sorted(_candidates(root, files, may, job), key=lambda it: it.rank))


def read_reports(
    root: Path, files: Sequence[FileFacts], candidates: Sequence[Candidate], job: Job
) -> CoverageReport:
    """Say what reports mean for files, which need their outline.

    A report that there is no time for is left out whole.

    Raises:
        Cancelled: when the job was cancelled.
    """
    facts = {file.path: file for file in files}
    matcher = Matcher(root, facts, lambda path: _mtime_ns(root, path) > 0)
    by_file: dict[str, Coverage] = {}
    reports: list[ReportRead] = []
    problems: list[Problem] = []
    late = 0
    for it in candidates:
        try:
            contents = _read(root, it, job)
            found = _match(contents, it.path, matcher, facts, job)
        except (Damaged, Unreadable, OutOfTime) as error:
            late += isinstance(error, OutOfTime)
            problems.append(Problem(it.path, str(error)))
            continue
        if not found:
            problems.append(Problem(it.path, "it speaks of no file of the workspace"))
            continue
        by_file = found | by_file
        changed = sum(_mtime_ns(root, path) > it.mtime_ns for path in found)
        unknown = len(contents.files) - len(found)
        reports.append(ReportRead(it, len(found), unknown, changed))
    if late:
        job.leave_out(f"{late} of {len(candidates)} coverage reports")
    return CoverageReport(dict(sorted(by_file.items())), tuple(reports), tuple(problems))


def _read(root: Path, it: Candidate, job: Job) -> Contents:
    heed(job)
    data, _ = read_regular(os.fsencode(root), it.path, MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise Damaged(f"it is bigger than {MAX_BYTES >> 20} MiB")
    return _READERS[it.format](data, Budget(job))


def _match(
    contents: Contents, report: str, matcher: Matcher, facts: Mapping[str, FileFacts], job: Job
) -> dict[str, Coverage]:
    """Return the coverage of the files that a report speaks of."""
    starts = matcher.starts(report, contents.sources)
    found: dict[str, Coverage] = {}
    for written, lines in contents.files.items():
        heed(job)
        path = matcher.find(written, starts)
        if path is None or path in found:
            continue
        found[path] = (
            _functions(lines.entered, facts[path]) if _is_partial(lines) else lines.coverage()
        )
    return found


def _is_partial(lines: Lines) -> bool:
    return lines.entered is not None


def _functions(entered: frozenset[int] | None, file: FileFacts) -> Coverage:
    """Count the functions with a line of the body that ran; a function on one line is unknown."""
    ran = entered or frozenset()
    bodies = [body for it in file.outline.functions if (body := _body(it))]
    return Coverage(sum(not ran.isdisjoint(body) for body in bodies), len(bodies), "functions")


def _body(it: Function) -> range:
    return range(it.line + it.signature.count("\n") + 1, it.end_line + 1)


def _candidates(root: Path, files: Sequence[FileFacts], may: May, job: Job) -> Iterator[Candidate]:
    """Look in the usual places of the workspace and of its modules."""
    modules = {
        "/".join(parts[:depth])
        for parts in {tuple(file.path.split("/")[:-1]) for file in files} | {()}
        for depth in range(min(len(parts), _MODULE_DEPTH) + 1)
    }
    seen: set[str] = set()
    for module in sorted(modules, key=lambda it: (it.count("/"), it))[:_MOST_MODULES]:
        job.check()
        start = f"{module}/" if module else ""
        there = _names_in(root / module)
        for path, kind in _places(root, start, there, job):
            it = None if path in seen else _status(root, path)
            if it is not None and may(path):
                seen.add(path)
                yield Candidate(path, kind, it.st_size, it.st_mtime_ns, it.st_ctime_ns)


def _names_in(folder: Path) -> frozenset[str]:
    try:
        return frozenset(it.name for it in os.scandir(folder))
    except OSError:
        return frozenset()


def _places(
    root: Path, start: str, there: frozenset[str], job: Job
) -> Iterator[tuple[str, Format]]:
    """Give where a report may be in a module, going by what is there."""
    for path, kind in _USUAL.items():
        if path.partition("/")[0] in there:
            yield start + path, kind
    for tree in _TREES:
        if tree.partition("/")[0] in there:
            yield from ((path, "xml") for path in _xml_below(root, start + tree, job))


_USUAL: dict[str, Format] = {
    f"{place}/{name}".lstrip("/"): kind for place in _PLACES for name, kind in _NAMES.items()
} | _ELSEWHERE


def _xml_below(root: Path, folder: str, job: Job) -> list[str]:
    found: list[str] = []
    with suppress(OSError), folder_beneath(root, PurePosixPath(folder)) as top:
        for parent, folders, names, _ in islice(os.fwalk(".", dir_fd=top), _MOST_IN_TREE):
            job.check()
            folders.sort()
            place = PurePosixPath(folder, parent)
            found += (f"{place}/{name}" for name in sorted(names) if name.endswith(".xml"))
    return found[:_MOST_IN_TREE]


def _status(root: Path, path: str) -> os.stat_result | None:
    """Return the status of what is there, None for nothing and behind a link."""
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
