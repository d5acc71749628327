"""The values of every measure: one for each function or file, or the parts of a project's value."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from benchpin.code.changes import FileDelta, deltas_since
from benchpin.core.errors import BenchpinError, InvalidParams
from benchpin.facts import FileFacts, Function
from benchpin.measures.complexity import FileMeasures, hours_by_function, measure_file
from benchpin.measures.coverage import CoverageReport, Unit
from benchpin.project import OUT_OF_TIME, MeasureResult, Project
from benchpin.project.defects import defects_of
from benchpin.repository.documents import measure_api
from benchpin.workspace.diffs import changed_hunks

from ._measures import GateMeasure

_DIGITS = 4
_FILE_DIGITS = 2


class GateValue(msgspec.Struct, frozen=True, gc=False):
    """The value of a function or file, or what it adds to the value of the project."""

    value: float
    file: str
    line: int = 1
    end_line: int = 1
    name: str = ""
    """Of the function, or of what else is measured; empty for a whole file."""
    also: tuple[str, ...] = ()
    """The other files of an import cycle."""
    whole: float = 0.0
    """What the value is a part of, where the project's value is a share."""

    @property
    def place(self) -> tuple[str, int, int, str]:
        """Where it was measured, to sort by."""
        return self.file, self.line, self.end_line, self.name


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines that are new or differ; one that ends before it starts marks deleted lines."""

    start: int
    end: int


# Every line of a file, however long it is.
WHOLE = (LineRange(1, 1 << 40),)


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """The lines of the measured files that changed since a revision."""

    revision: str
    commit: str | None
    """What they were compared with; None before the first commit: everything is new."""
    lines: Mapping[str, tuple[LineRange, ...]]
    """By path, in order; only files that changed."""
    is_merge_base: bool = False
    """Whether the commit is where HEAD parted from the revision."""

    def touch(self, value: GateValue) -> bool:
        """Whether something changed where a value was measured, or in another file of its cycle."""
        if any(file in self.lines for file in value.also):
            return True
        ranges = self.lines.get(value.file, ())
        if not value.name:
            return bool(ranges)
        at = bisect_left(ranges, value.line, key=lambda one: one.end)
        return at < len(ranges) and ranges[at].start <= value.end_line


def find_changes(project: Project, revision: str) -> ChangedLines:
    """Return what changed; a file that git does not track, or that is not comparable, is new.

    Raises:
        GitFailed: when git cannot read the repository.
        InvalidParams: when the repository has no such revision.
        NotARepository: when the folder is not under version control.
        TimeLimitExceeded: when the job's time is up.
    """
    start, is_range, _ = revision.partition("..")
    start = start or ("HEAD" if is_range else "")
    found = deltas_since(project.selection, start)  # which says so if there is no such revision
    if is_range:
        raise InvalidParams(
            f"{revision[:100]!r} is a range; the gate checks the files as they are now",
            suggestion=f"Give one revision, such as {start}.",
            data={"revision": revision},
        )
    measured = {it.path for it in project.sources.files}
    lines = {it.path: _changed_lines(it) for it in found.files} | dict.fromkeys(
        found.unreadable, WHOLE
    )
    changed = {path: it for path, it in sorted(lines.items()) if it and path in measured}
    return ChangedLines(revision, found.commit, changed, found.is_merge_base)


def _changed_lines(delta: FileDelta) -> tuple[LineRange, ...]:
    if delta.before is None or delta.after is None:
        return WHOLE
    hunks = changed_hunks(delta.before, delta.after)
    return tuple(LineRange(it.new_start + 1, it.new_end) for it in hunks)


class ReportsUnreadable(BenchpinError):
    """There are reports of what tests ran, and none can be used."""

    kind = "reports_unreadable"


GateValues = MeasureResult[Sequence[GateValue]]


def find_values(measure: GateMeasure, project: Project) -> GateValues:
    """Return the values of a measure, or why there are none.

    Raises:
        Cancelled: when the job was cancelled.
    """
    job = project.job
    if not project.sources.files and not job.missing:
        return _none("no selected file is in a supported language")
    found = _none(OUT_OF_TIME) if job.missing else FINDERS[measure.name](project)
    if job.missing:
        return _none(OUT_OF_TIME)
    if found.value is not None and measure.scope != "project" and not found.value:
        return _none(f"there are no {measure.scope}s to measure")
    return found


def reason_of(measure: GateMeasure, project: Project) -> str:
    """Return how the values of a measure were found, where that limits them; else nothing."""
    if measure.name == "defect_probability":
        found = defects_of(project).value
        return f"without history: {found.lacks_history}" if found and found.lacks_history else ""
    return _coverage_reason(project) if measure.name.endswith("coverage_percent") else ""


def total(measure: GateMeasure, parts: Sequence[GateValue]) -> float | None:
    """Return the value of all parts together; None for a share of nothing."""
    if not measure.is_share:
        return round(sum(part.value for part in parts), 1 if measure.unit == "hours" else None)
    whole = sum(part.whole for part in parts)
    return round(100 * sum(part.value for part in parts) / whole, 2) if whole else None


def _none(reason: str) -> GateValues:
    return MeasureResult(
        None, BenchpinError(reason, suggestion="Look at other files, or for longer.")
    )


def _of_file(file: FileFacts, value: float, whole: float = 0.0) -> GateValue:
    return GateValue(value, file.path, 1, max(1, file.outline.lines), whole=whole)


def _functions(value_of: Callable[[Function], int]) -> Callable[[Project], GateValues]:
    return lambda project: MeasureResult(
        [
            GateValue(value_of(it), file.path, it.line, it.end_line, it.name)
            for file in project.sources.files
            for it in file.outline.functions
        ]
    )


def _files(value_of: Callable[[FileFacts], int]) -> Callable[[Project], GateValues]:
    return lambda project: MeasureResult(
        [_of_file(it, value_of(it)) for it in project.sources.files]
    )


def _code(value_of: Callable[[FileMeasures], float]) -> Callable[[Project], GateValues]:
    """Measure the files that have code: a file of comments is neither good nor bad."""
    return lambda project: MeasureResult(
        [
            _of_file(file, round(value_of(measure_file(file.outline)), _FILE_DIGITS))
            for file in project.sources.files
            if file.outline.code_lines
        ]
    )


def _by_path(project: Project, values: Mapping[str, float]) -> list[GateValue]:
    return [
        _of_file(file, round(values[file.path], _DIGITS))
        for file in project.sources.files
        if file.path in values
    ]


def _share_of_each(parts: Callable[[Project], GateValues]) -> Callable[[Project], GateValues]:
    """Measure the share of each file that has something to be a share of."""
    return lambda project: parts(project).then(
        lambda found: [
            msgspec.structs.replace(
                it, value=round(100 * it.value / it.whole, _FILE_DIGITS), whole=0.0
            )
            for it in found
            if it.whole
        ]
    )


def _documentation(project: Project) -> GateValues:
    folder, root = project.selection.folder, project.selection.root
    base = "" if folder == root else f"{folder.relative_to(root).as_posix()}/"
    counts = ((file, measure_api((file,), base)) for file in project.files)
    return MeasureResult([_of_file(file, it.documented, it.public_symbols) for file, it in counts])


def _cycles(project: Project) -> GateValues:
    """Count each import cycle once, in its first file, under its path."""
    return project.cycles.then(
        lambda cycles: [
            GateValue(
                1,
                it.path[0],
                it.line(it.path[0]),
                it.line(it.path[0]),
                name=" -> ".join((*it.path, it.path[0])),
                also=it.path[1:],
            )
            for it in cycles
        ]
    )


def _lines_of(files: Iterable[FileFacts], lines: Mapping[str, int]) -> list[GateValue]:
    return [_of_file(it, lines.get(it.path, 0), it.outline.lines) for it in files]


def _duplication(project: Project) -> GateValues:
    return project.duplicates().then(
        lambda found: _lines_of(
            project.sources.files, {it.file: it.duplicated_lines for it in found.files}
        )
    )


def _dead_code(project: Project) -> GateValues:
    return project.dead_code().then(
        lambda found: _lines_of(
            project.sources.files, {it.file: it.dead_lines for it in found.files}
        )
    )


def _coverage(project: Project) -> GateValues:
    report = project.coverage()
    if report is None:
        return _none("no coverage report was found")
    if not report.by_file:
        problem = report.problems[0]
        return MeasureResult(
            None,
            ReportsUnreadable(
                f"{problem.path}: {problem.reason}",
                suggestion="Write the report again, or remove it.",
                data={"path": problem.path},
            ),
        )
    unit = _unit(report)
    covered = ((file, report.by_file.get(file.path)) for file in project.sources.files)
    return MeasureResult(
        [_of_file(file, it.covered, it.total) for file, it in covered if it and it.unit == unit]
    )


def _unit(report: CoverageReport) -> Unit:
    """Return what is counted: functions only where no report names lines."""
    has_lines = any(it.unit == "lines" for it in report.by_file.values())
    return "lines" if has_lines else "functions"


def _coverage_reason(project: Project) -> str:
    """Name the reports that the coverage is from, and how many files changed since."""
    report = project.coverage()
    if report is None or not report.reports:
        return ""
    first, *others = report.reports
    more = f" and {len(others):,} more" if others else ""
    changed = sum(it.changed_since for it in report.reports)
    stale = f"; {changed:,} of its files changed since" if changed else ""
    functions = ", in functions" if _unit(report) == "functions" else ""
    return f"by {first.path}{more}{functions}{stale}"


# How the values of each measure are found.
FINDERS: dict[str, Callable[[Project], GateValues]] = {
    "cyclomatic": _functions(lambda it: it.cyclomatic),
    "cognitive": _functions(lambda it: it.cognitive),
    "nesting": _functions(lambda it: it.nesting),
    "parameters": _functions(lambda it: it.parameters),
    "function_lines": _functions(lambda it: it.code_lines),
    "file_lines": _files(lambda it: it.outline.lines),
    "file_functions": _files(lambda it: len(it.outline.functions)),
    "maintainability": _code(lambda it: it.maintainability_index),
    "halstead_volume": _code(lambda it: it.halstead.volume),
    "halstead_difficulty": _code(lambda it: it.halstead.difficulty),
    "halstead_effort": _code(lambda it: it.halstead.effort),
    "documented_percent": _documentation,
    "technical_debt_hours": lambda project: project.complexity().then(
        lambda found: [
            GateValue(hours, *place) for place, hours in hours_by_function(found.violations).items()
        ]
    ),
    "debt_comments": lambda project: project.debt().then(
        lambda found: [GateValue(1, it.file, it.line, it.end_line, it.text) for it in found.items]
    ),
    "dependencies": lambda project: project.coupling.then(
        lambda found: _by_path(project, {path: it.depends_on for path, it in found.items()})
    ),
    "dependents": lambda project: project.coupling.then(
        lambda found: _by_path(project, {path: it.dependents for path, it in found.items()})
    ),
    "cycles": _cycles,
    "unresolved_imports": lambda project: project.graph().then(
        lambda found: [
            GateValue(1, it.file, it.line, it.line, it.module) for it in found.unresolved_imports
        ]
    ),
    "coverage_percent": _coverage,
    "file_coverage_percent": _share_of_each(_coverage),
    "duplication_percent": _duplication,
    "file_duplication_percent": _share_of_each(_duplication),
    "dead_code_percent": _dead_code,
    "dead_definitions": lambda project: project.dead_code().then(
        lambda found: [GateValue(1, it.file, it.line, it.end_line, it.name) for it in found.items]
    ),
    "debt_gradient": lambda project: project.debt_gradients().then(
        lambda found: _by_path(project, {it.file: it.score for it in found})
    ),
    "defect_probability": lambda project: defects_of(project).then(
        lambda found: _by_path(project, {it.file: it.probability for it in found.files})
    ),
}
