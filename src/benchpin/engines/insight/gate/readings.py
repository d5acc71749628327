"""Take a measure of a project, place by place."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

import msgspec

from benchpin.core import BenchpinError
from benchpin.engines.insight.coverage import CoverageReport, Unit
from benchpin.engines.insight.defects import coverage_of, defects_of
from benchpin.engines.insight.project import OUT_OF_TIME, Measured, Project
from benchpin.engines.metrics.graph import measure
from benchpin.engines.metrics.maintainability import FileMeasures, measure_file
from benchpin.engines.repository.documentation import measure_api
from benchpin.engines.source.facts import Function
from benchpin.engines.source.index import FileFacts
from benchpin.engines.source.testing import is_test_path

from .measures import Measure

_DIGITS = 4
_FILE_DIGITS = 2


class Place(msgspec.Struct, frozen=True, order=True, gc=False):
    """Where something was measured."""

    file: str
    line: int = 1
    end_line: int = 1
    name: str = ""
    """The name of the function or other thing there; empty for a whole file."""
    also: tuple[str, ...] = ()
    """Other files that it is a matter of."""


class Reading(msgspec.Struct, frozen=True, gc=False):
    """The value of a place, or what it adds to the value of the project."""

    place: Place
    value: float
    whole: float = 0.0
    """Of which the value is a part, where the project's is a share."""


Readings = Measured[Sequence[Reading]]


def take(measure: Measure, project: Project) -> Readings:
    """Return what was measured at every place, or why nothing was.

    Raises:
        Cancelled: when the job was cancelled.
    """
    job = project.job
    if not project.files and not job.missing:
        return _none("no file that is looked at is in a language that is measured")
    taken = _none(OUT_OF_TIME) if job.missing else TAKERS[measure.name](project)
    if job.missing:
        return _none(OUT_OF_TIME)
    if taken.value is not None and measure.scope != "project" and not taken.value:
        return _none(f"there are no {measure.scope}s to measure")
    return taken


def remark(measure: Measure, project: Project) -> str:
    """Return what is to know of a measure that was taken; mostly nothing."""
    if measure.name == "defect_probability":
        return _defects_remark(project)
    return _coverage_remark(project) if measure.name.endswith("coverage_percent") else ""


def total(measure: Measure, parts: Sequence[Reading]) -> float | None:
    """Return the value of all parts together; None for a share of nothing."""
    if not measure.is_share:
        return round(sum(part.value for part in parts), 1 if measure.unit == "hours" else None)
    whole = sum(part.whole for part in parts)
    return round(100 * sum(part.value for part in parts) / whole, 2) if whole else None


def _none(reason: str) -> Readings:
    return Measured(None, BenchpinError(reason, suggestion="Look at other files, or for longer."))


def _tidy(value: float) -> float:
    return value if isinstance(value, int) else round(value, _DIGITS)


def _whole_file(file: FileFacts) -> Place:
    return Place(file.path, 1, max(1, file.outline.lines))


def _of_functions(value_of: Callable[[Function], int], project: Project) -> Readings:
    return Measured(
        [
            Reading(Place(file.path, it.line, it.end_line, it.name), value_of(it))
            for file in project.files
            for it in file.outline.functions
        ]
    )


def _of_outlines(value_of: Callable[[FileFacts], float], project: Project) -> Readings:
    return Measured([Reading(_whole_file(file), _tidy(value_of(file))) for file in project.files])


def _of_code(value_of: Callable[[FileMeasures], float], project: Project) -> Readings:
    """Measure the files that have code: a file of comments is neither good nor bad."""
    return Measured(
        [
            Reading(_whole_file(file), round(value_of(measure_file(file.outline)), _FILE_DIGITS))
            for file in project.files
            if file.outline.code_lines
        ]
    )


def _of_files(values: Iterable[tuple[str, float]], project: Project) -> Readings:
    places = {file.path: _whole_file(file) for file in project.files}
    return Measured([Reading(places[path], _tidy(it)) for path, it in values if path in places])


def _missing(taken: Measured[object]) -> Readings:
    return Measured(None, taken.error, taken.lacks)


def _documentation(project: Project) -> Readings:
    folder, root = project.selection.folder, project.selection.root
    base = "" if folder == root else f"{folder.relative_to(root).as_posix()}/"
    counted = ((file, measure_api((file,), base)) for file in project.files)
    return Measured(
        [Reading(_whole_file(file), it.documented, it.public_symbols) for file, it in counted]
    )


def _hours(project: Project) -> Readings:
    found = project.complexity()
    if found.value is None:
        return _missing(found)
    return Measured(
        [
            Reading(
                Place(it.file, it.line, it.end_line, it.function),
                it.minutes_to_fix / 60,
            )
            for it in found.value.violations
        ]
    )


def _debt_comments(project: Project) -> Readings:
    found = project.debt()
    if found.value is None:
        return _missing(found)
    return Measured(
        [Reading(Place(it.file, it.line, it.end_line, it.text), 1) for it in found.value.items]
    )


def _coupling(is_outward: bool, project: Project) -> Readings:  # noqa: FBT001 - of a partial
    found = project.coupling()
    if found.value is None:
        return _missing(found)
    ends = (
        (path, it.depends_on if is_outward else it.dependents) for path, it in found.value.items()
    )
    return _of_files(ends, project)


def _cycles(project: Project) -> Readings:
    graph = project.graph()
    if graph.value is None:
        return _missing(graph)
    built = graph.value
    measured = measure(built, ("components",), project.job)
    if measured.cycles is None:
        return Measured([]) if not built.nodes else _none(OUT_OF_TIME)
    readings = []
    for cycle in measured.cycles:
        files = cycle.path
        way = " -> ".join([*files, files[0]])
        readings.append(Reading(Place(files[0], name=way, also=tuple(files[1:])), 1))
    return Measured(readings)


def _unresolved_imports(project: Project) -> Readings:
    graph = project.graph()
    if graph.value is None:
        return _missing(graph)
    found = graph.value.unresolved_imports
    return Measured([Reading(Place(it.file, it.line, it.line, it.module), 1) for it in found])


def _duplication(project: Project) -> Readings:
    found = project.duplicates()
    if found.value is None:
        return _missing(found)
    lines = {it.file: it.duplicated_lines for it in found.value.files}
    return Measured(
        [
            Reading(_whole_file(file), lines.get(file.path, 0), file.outline.lines)
            for file in project.files
        ]
    )


def _by_file(take_parts: Callable[[Project], Readings], project: Project) -> Readings:
    """Return the share of each file, where it has something that could be a part."""
    parts = take_parts(project)
    if parts.value is None:
        return parts
    return Measured(
        [
            Reading(it.place, round(100 * it.value / it.whole, _FILE_DIGITS))
            for it in parts.value
            if it.whole
        ]
    )


def _dead_code(project: Project) -> Readings:
    found = project.dead_code()
    if found.value is None:
        return _missing(found)
    lines = {it.file: it.dead_lines for it in found.value.files}
    return Measured(
        [
            Reading(_whole_file(file), lines.get(file.path, 0), file.outline.lines)
            for file in project.files
            if not is_test_path(file.path)
        ]
    )


def _dead_definitions(project: Project) -> Readings:
    found = project.dead_code()
    if found.value is None:
        return _missing(found)
    items = found.value.items
    return Measured([Reading(Place(it.file, it.line, it.end_line, it.name), 1) for it in items])


def _debt_gradient(project: Project) -> Readings:
    found = project.debt_gradients()
    if found.value is None:
        return _missing(found)
    return _of_files(((it.file, it.score) for it in found.value), project)


def _coverage(project: Project) -> Readings:
    report = coverage_of(project)
    if report is None:
        return _none("no coverage report was found")
    if not report.by_file:
        problem = report.problems[0]
        return _none(f"{problem.path}: {problem.reason}")
    unit = _unit(report)
    found = ((file, report.by_file.get(file.path)) for file in project.files)
    return Measured(
        [
            Reading(_whole_file(file), it.covered, it.total)
            for file, it in found
            if it is not None and it.unit == unit
        ]
    )


def _unit(report: CoverageReport) -> Unit:
    """Return what is counted: functions only where no report names lines."""
    is_lines = any(it.unit == "lines" for it in report.by_file.values())
    return "lines" if is_lines else "functions"


def _coverage_remark(project: Project) -> str:
    """Say which reports the coverage is from, and how far they can be true."""
    report = coverage_of(project)
    if report is None or not report.reports:
        return ""
    first, *others = report.reports
    more = f" and {len(others):,} more" if others else ""
    changed = sum(it.changed_since for it in report.reports)
    stale = f"; {changed:,} of its files changed since" if changed else ""
    functions = ", in functions" if _unit(report) == "functions" else ""
    return f"by {first.path}{more}{functions}{stale}"


def _defects(project: Project) -> Readings:
    found = defects_of(project)
    if found.value is None:
        return _missing(found)
    return _of_files(((it.file, it.probability) for it in found.value.files), project)


def _defects_remark(project: Project) -> str:
    """Say when the probabilities come from the code alone."""
    found = defects_of(project).value
    lacking = "" if found is None else found.lacks_history
    return f"without history: {lacking}" if lacking else ""


TAKERS: dict[str, Callable[[Project], Readings]] = {
    "cyclomatic": partial(_of_functions, lambda it: it.cyclomatic),
    "cognitive": partial(_of_functions, lambda it: it.cognitive),
    "nesting": partial(_of_functions, lambda it: it.nesting),
    "parameters": partial(_of_functions, lambda it: it.parameters),
    "function_lines": partial(_of_functions, lambda it: it.code_lines),
    "file_lines": partial(_of_outlines, lambda it: it.outline.lines),
    "file_functions": partial(_of_outlines, lambda it: len(it.outline.functions)),
    "maintainability": partial(_of_code, lambda it: it.maintainability_index),
    "halstead_volume": partial(_of_code, lambda it: it.halstead.volume),
    "halstead_difficulty": partial(_of_code, lambda it: it.halstead.difficulty),
    "halstead_effort": partial(_of_code, lambda it: it.halstead.effort),
    "documented_percent": _documentation,
    "technical_debt_hours": _hours,
    "debt_comments": _debt_comments,
    "dependencies": partial(_coupling, True),
    "dependents": partial(_coupling, False),
    "cycles": _cycles,
    "unresolved_imports": _unresolved_imports,
    "coverage_percent": _coverage,
    "file_coverage_percent": partial(_by_file, _coverage),
    "duplication_percent": _duplication,
    "file_duplication_percent": partial(_by_file, _duplication),
    "dead_code_percent": _dead_code,
    "dead_definitions": _dead_definitions,
    "debt_gradient": _debt_gradient,
    "defect_probability": _defects,
}
