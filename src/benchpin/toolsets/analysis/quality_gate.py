"""Check a project against thresholds."""

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, WithJsonSchema, field_validator
from pydantic_core import PydanticCustomError

from benchpin.core.calls import Bench, Operation
from benchpin.core.errors import InvalidParams, InvalidPath
from benchpin.core.tools import Effect, Rare, tool
from benchpin.present import FindingFormat, FindingParams, Image
from benchpin.project import gate as gates
from benchpin.project.gate import DEFAULTS, MEASURES, GateTerms, check_project
from benchpin.project.gate import baseline as known
from benchpin.workspace.writing import write_atomically

from ._gate_report import BaselineUse, DiffUse, GateReport
from ._selection import ScopedParams, ToolchainParams, files_seen, project_of
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


class QualityGateParams(FindingParams, ScopedParams, ToolchainParams):
    """What to check, and how to show the outcome."""

    format: Rare[Literal[FindingFormat, Image]] = "summary"  # type: ignore[assignment]  # offers more than the base
    """How to show it; full adds columns and details; csv, sarif and junit have every row."""
    complexity_threshold: Rare[_Limit] = DEFAULTS["max_cyclomatic"]
    """The highest allowed cyclomatic complexity of a function."""
    duplication_threshold: Rare[_Percent] = DEFAULTS["max_duplication_percent"]
    """The highest allowed share of duplicated lines, in percent."""
    coverage_threshold: Rare[_Percent] = DEFAULTS["min_coverage_percent"]
    """The lowest allowed test coverage, in percent, by an existing coverage report."""
    defect_threshold: Rare[_Probability] = DEFAULTS["max_defect_probability"]
    """The highest allowed probability of a defect in a file, from 0 to 1."""
    thresholds: Thresholds = Field(default_factory=dict)
    """Limits by name, such as {"max_cognitive": 15}; false leaves a check out. The call overrides
    benchpin.toml, and that overrides the defaults."""
    checks: Rare[tuple[str, ...]] = ()
    """Only these thresholds, by name, such as max_cyclomatic; all that are set by default."""
    strict: Rare[bool] = False
    """Whether a check that could not be measured fails."""
    baseline: Rare[str | None] = None
    """A file with known violations, which pass unless they got worse."""
    update_baseline: Rare[bool] = False
    """Write the current violations to the baseline; a server needs --allow write."""
    diff: str | None = None
    """A git revision: only functions that changed since its merge base with HEAD can fail;
    values of files and of the project are reported, unless checks names them."""
    fail_on_violation: Rare[bool] = False
    """Unless the gate passes, exit with code 1; over MCP, mark the result as an error."""

    @field_validator(*_SEED_NAMES)
    @classmethod
    def _refuse_out_of_range(cls, value: float, info: ValidationInfo) -> float:
        measure = MEASURES[_SEED_NAMES[str(info.field_name)]]
        if not measure.has_in_range(value):
            said = {"value": value, "range": measure.range}
            raise PydanticCustomError("bad_threshold", "{value} is not {range}", said)
        return value


@tool(
    title="Quality gate",
    effect=Effect.READ,
    is_heavy=True,
    further_effect=Effect.WRITE,
    also=(
        "CI, fail the build, pull request check, thresholds, limits, coverage minimum, policy, "
        "merge allowed, standards, regression, SARIF, block a merge, must not get worse, does "
        "it pass, fail CI, thresholds of the team"
    ),
)
def quality_gate(params: QualityGateParams, bench: Bench) -> GateReport:
    """Check a project against thresholds: complexity, duplication, coverage, defects, any measure.

    Each check passes, fails or is not measured, with the reason. Use baseline or diff to check only
    new code. Made for CI: SARIF, JUnit, exit codes.
    """
    settings = bench.settings(AnalysisSettings).gate
    given = params.model_fields_set & _SEED_NAMES.keys()
    thresholds = gates.choose_thresholds(
        {_SEED_NAMES[name]: float(getattr(params, name)) for name in sorted(given)},
        params.thresholds,
        settings.thresholds,
        params.checks,
    )
    path = _baseline_path(params, settings, bench)
    if params.update_baseline:
        bench.require(Effect.WRITE, "Writing a baseline", by_argument=True)
    root = bench.workspace.root
    before, sha256 = known.read(root, path, may_be_missing=params.update_baseline)
    project = project_of(params, bench, skip_when_late=True)
    changes = None if params.diff is None else gates.find_changes(project, params.diff)
    is_strict = params.strict if "strict" in params.model_fields_set else settings.strict
    terms = GateTerms(thresholds, before, changes, is_strict, frozenset(params.checks))
    gate = check_project(project, terms)
    fixed = gate.fixed
    if path is not None and params.update_baseline:
        new = known.Baseline(tuple(gate.records(before)))
        write_atomically(root, path, known.dump(new), bench.job, expected_sha256=sha256)
        gate = check_project(project, replace(terms, baseline=new))
    page = params.page(gate.violations)
    return GateReport(
        passed=gate.status == "passed",
        status=gate.status,
        is_strict=is_strict,
        checks=gate.checks,
        violations=list(page.items),
        total=page.total,
        next_cursor=page.next_cursor,
        baseline=path and BaselineUse.of(path, gate, fixed, is_written=params.update_baseline),
        diff=changes and DiffUse.of(changes),
        looked_at=files_seen(project.sources),
        unmeasured_files=gate.unmeasured_files,
        fails=params.fail_on_violation,
        format=params.format,
    )


def _baseline_path(
    params: QualityGateParams, settings: GateSettings, bench: Bench
) -> PurePosixPath | None:
    named = params.baseline or settings.baseline
    if params.update_baseline and (named is None or params.diff is not None):
        raise InvalidParams(
            "update_baseline needs a baseline, and the whole project: no diff",
            suggestion="Give baseline=.benchpin-baseline.json, and leave `diff` out.",
        )
    if named is None:
        return None
    operation = Operation.WRITE if params.update_baseline else Operation.READ
    place = bench.path(named, operation)
    if place == bench.workspace.root:
        raise InvalidPath(f"{named!r} is the workspace", suggestion="Name a file in it.")
    return bench.workspace.relative(place)
