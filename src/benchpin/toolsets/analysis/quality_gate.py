"""Hold a project against thresholds."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, WithJsonSchema, field_validator
from pydantic_core import PydanticCustomError

from benchpin.core import Bench, Effect, FileMissing, InvalidParams, InvalidPath, Operation, tool
from benchpin.engines.files.reading import opened
from benchpin.engines.files.writing import write_atomically
from benchpin.engines.insight.gate import baseline as known
from benchpin.engines.insight.gate import junit
from benchpin.engines.insight.gate.changes import Changes, find_changes
from benchpin.engines.insight.gate.judging import Terms, judge
from benchpin.engines.insight.gate.measures import (
    DEFAULTS,
    MEASURES,
    listing,
    unknown_threshold,
)
from benchpin.engines.insight.project import Project

from . import _gate_text as text
from ._formats import page_of
from ._gate_report import GateReport, baseline_use, check_of, diff_use, violation_of
from ._project import project_of
from ._selection import SelectionParams, files_seen
from .settings import AnalysisSettings, GateSettings, Thresholds

_SEED_NAMES = {
    "complexity_threshold": "max_cyclomatic",
    "duplication_threshold": "max_duplication_percent",
    "coverage_threshold": "min_coverage_percent",
    "defect_threshold": "max_defect_probability",
}


_Limit = Annotated[float, WithJsonSchema({"type": "number", "minimum": 0})]
_Percent = Annotated[float, WithJsonSchema({"type": "number", "minimum": 0, "maximum": 100})]
_Probability = Annotated[float, WithJsonSchema({"type": "number", "minimum": 0, "maximum": 1})]


class QualityGateParams(SelectionParams):
    """What to hold the code against, and how to show what comes of it."""

    complexity_threshold: _Limit = DEFAULTS["max_cyclomatic"]
    """The highest cyclomatic complexity of a function that is let pass."""
    duplication_threshold: _Percent = DEFAULTS["max_duplication_percent"]
    """The most duplicated lines, in percent of all."""
    coverage_threshold: _Percent = DEFAULTS["min_coverage_percent"]
    """The least test coverage, in percent, by a report that is there."""
    defect_threshold: _Probability = DEFAULTS["max_defect_probability"]
    """The highest probability of a defect in a file, from 0 to 1."""
    thresholds: Thresholds = Field(default_factory=dict)
    """Others by name, such as {"max_cognitive": 15}; false leaves a check out. What is given in
    the call stands before benchpin.toml, and that before the defaults."""
    checks: tuple[str, ...] = ()
    """Only these thresholds, by name, such as max_cyclomatic; all that are set by default."""
    strict: bool = False
    """Whether a check that could not be measured fails."""
    baseline: str | None = None
    """A file of the workspace with known violations: they pass, unless they got worse."""
    update_baseline: bool = False
    """Write the violations that are there into the baseline; needs --allow write."""
    diff: str | None = None
    """A git revision: only functions that changed since fail, uncommitted work included; values of
    files and of the project are told, unless checks names them."""
    format: Literal["summary", "detailed", "json", "sarif", "junit"] = "summary"
    """How to show it; detailed lists every violation of the page."""
    fail_on_violation: bool = False
    """Have the command end with exit code 1 unless the gate passes."""
    toolchain: str | None = None
    """Only this toolchain or language: rust, deno, python-uv, go, java …; all by default."""
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    """How many violations to return; sarif has them all."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""

    @field_validator(*_SEED_NAMES)
    @classmethod
    def _refuse_out_of_range(cls, value: float, info: ValidationInfo) -> float:
        measure = MEASURES[_SEED_NAMES[str(info.field_name)]]
        if not measure.has_in_range(value):
            said = {"value": value, "range": measure.range}
            raise PydanticCustomError("bad_threshold", "{value} is not {range}", said)
        return value


@tool(title="Quality gate", effect=Effect.READ, further_effect=Effect.WRITE)
def quality_gate(params: QualityGateParams, bench: Bench) -> GateReport:
    """Check a project against thresholds: complexity, duplication, coverage, defects, any measure.

    Each check passes, fails or is not measured, with the reason. Use baseline or diff to hold only
    new code against them. Made for CI: SARIF, JUnit, exit codes.
    """
    settings = bench.settings(AnalysisSettings).gate
    thresholds = _thresholds(params, settings)
    path = _baseline_path(params, settings, bench)
    if params.update_baseline:
        bench.require(Effect.WRITE, "Writing a baseline")
    before = known.Baseline() if path is None else _read_baseline(path, params, bench)
    project = project_of(params, bench, params.toolchain, skip_when_late=True)
    changes = _changes(params, project)
    is_strict = params.strict if "strict" in params.model_fields_set else settings.strict
    terms = Terms(thresholds, before, changes, is_strict, frozenset(params.checks))
    gate = judge(project, terms)
    mended = [it for check in gate.checks for it in check.mended]
    if path is not None and params.update_baseline:
        new = known.Baseline(tuple(gate.records(before)))
        write_atomically(bench.workspace.root, path, known.dump(new))
        gate = judge(project, replace(terms, baseline=new))
    page = page_of(gate.violations, "gate", params)
    report = GateReport(
        passed=gate.status == "passed",
        status=gate.status,
        is_strict=is_strict,
        checks=[check_of(it) for it in gate.checks],
        violations=[violation_of(it) for it in page.items],
        total=page.total,
        next_cursor=page.next_cursor,
        baseline=None
        if path is None
        else baseline_use(str(path), gate, mended, is_written=params.update_baseline),
        diff=None if changes is None else diff_use(changes),
        looked_at=files_seen(project.sources),
        fails=params.fail_on_violation,
    )
    shown = ""
    match params.format:
        case "summary":
            shown = text.summary_text(report, page.footer())
        case "detailed":
            shown = text.detailed_text(report, page.footer())
        case "sarif":
            shown = text.sarif_text(gate, bench)
        case "junit":
            shown = junit.document(gate)
    return report.model_copy(update={"shown": shown})


def _thresholds(params: QualityGateParams, settings: GateSettings) -> dict[str, float]:
    """Put the thresholds together: the call's before the file's before the defaults."""
    given = params.model_fields_set & _SEED_NAMES.keys()
    called = {_SEED_NAMES[name]: float(getattr(params, name)) for name in sorted(given)}
    for name in sorted(called.keys() & params.thresholds.keys()):
        raise InvalidParams(
            f"{name} is given twice, in thresholds and under its own name",
            suggestion="Give one of them.",
        )
    wanted: Mapping[str, float | Literal[False]] = {
        **DEFAULTS,
        **settings.thresholds,
        **called,
        **params.thresholds,
    }
    _require_known({**params.thresholds, **dict.fromkeys(params.checks, 0)})
    chosen = set(params.checks) or set(wanted)
    for name in sorted(chosen - wanted.keys()):
        raise InvalidParams(
            f"{name} has no threshold",
            suggestion=f'Set it in benchpin.toml, or give thresholds: {{"{name}": …}}.',
        )
    return {name: it for name, it in wanted.items() if name in chosen and it is not False}


def _require_known(names: Mapping[str, object]) -> None:
    if problem := unknown_threshold(names):
        raise InvalidParams(
            problem[0].upper() + problem[1:],
            suggestion=f"Known thresholds: {listing()}.",
            data={"known": list(MEASURES)},
        )


def _baseline_path(
    params: QualityGateParams, settings: GateSettings, bench: Bench
) -> PurePosixPath | None:
    named = params.baseline or settings.baseline
    if params.update_baseline and (named is None or params.diff is not None):
        raise InvalidParams(
            "update_baseline needs a baseline, and the whole project: no diff",
            suggestion='Give "baseline": ".benchpin-baseline.json", and leave diff out.',
        )
    if named is None:
        return None
    operation = Operation.WRITE if params.update_baseline else Operation.READ
    place = bench.path(named, operation)
    if place == bench.workspace.root:
        raise InvalidPath(f"{named!r} is the workspace", suggestion="Name a file in it.")
    return bench.workspace.relative(place)


def _read_baseline(path: PurePosixPath, params: QualityGateParams, bench: Bench) -> known.Baseline:
    """Return what is known; a baseline that is to be written may be missing."""
    if not bench.path(str(path)).exists():
        if params.update_baseline:
            return known.Baseline()
        raise FileMissing(
            f"There is no baseline at {str(path)!r}",
            suggestion="Write it with update_baseline, on the command line with "
            "`benchpin --allow write quality gate --update-baseline`; or correct the path.",
            data={"path": str(path)},
        )
    with opened(bench.workspace.root, path, known.MAX_BYTES) as file:
        return known.load(file.read(known.MAX_BYTES), str(path))


def _changes(params: QualityGateParams, project: Project) -> Changes | None:
    if params.diff is None:
        return None
    selection = project.selection
    paths = [file.path for file in project.files]
    return find_changes(params.diff, paths, selection.folder, selection.root, project.job)
