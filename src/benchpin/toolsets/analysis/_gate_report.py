"""What the quality gate reports."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from benchpin.core.results import Item
from benchpin.core.text import counted, plain
from benchpin.present import (
    Check,
    Column,
    Finding,
    FindingRule,
    Report,
    Table,
    View,
    location,
    show_cell,
)
from benchpin.present.charts import MARKS, checklist
from benchpin.present.pictures import Picture, PictureRow
from benchpin.project.gate import MEASURES, ChangedLines, Gate, GateCheck, GateViolation, Status
from benchpin.project.gate.baseline import KnownViolation

from ._selection import FilesSeen

_TITLES = {"passed": "PASSED", "failed": "FAILED", "not_measured": "NOT MEASURED"}
# Violations that one JUnit failure lists: its text is for a person.
_MAX_LISTED = 200
_MAX_FIXED = 100


class FixedViolation(Item):
    """A violation of the baseline that is gone."""

    check: str
    file: str | None
    name: str
    value: int | float

    @classmethod
    def of(cls, violation: KnownViolation) -> "FixedViolation":
        """Return it as the report names it."""
        return cls(
            check=violation.threshold,
            file=violation.file or None,
            name=violation.name,
            value=violation.value,
        )


class BaselineUse(Item):
    """The baseline, and how the project compares with it."""

    file: str
    is_written: bool
    known: int
    fixed_total: int
    fixed: list[FixedViolation]
    """The first of them; writing the baseline again takes them out."""

    @classmethod
    def of(
        cls,
        path: PurePosixPath,
        gate: Gate,
        fixed: Sequence[KnownViolation],
        *,
        is_written: bool,
    ) -> "BaselineUse":
        """Return how a gate compares with a baseline; `fixed` is of the one before a new one."""
        return cls(
            file=str(path),
            is_written=is_written,
            known=sum(check.known for check in gate.checks),
            fixed_total=len(fixed),
            fixed=[FixedViolation.of(it) for it in fixed[:_MAX_FIXED]],
        )


class DiffUse(Item):
    """What changed."""

    revision: str
    commit: str | None
    """What the files were compared with; null before the first commit: everything is new."""
    is_merge_base: bool
    """Whether that is where HEAD parted from the revision, which has gone on since."""
    changed_files: int

    @classmethod
    def of(cls, changes: ChangedLines) -> "DiffUse":
        """Return what changed, in brief."""
        return cls(
            revision=changes.revision,
            commit=changes.commit,
            is_merge_base=changes.is_merge_base,
            changed_files=len(changes.lines),
        )


def _headline(report: "GateReport") -> Iterator[str]:
    counts = [
        f"{count} {status.replace('_', ' ')}"
        for status in ("failed", "reported", "passed", "not_measured")
        if (count := sum(it.status == status for it in report.checks))
    ]
    outcome = f"{counted(len(report.checks), 'check')}: {', '.join(counts)}"
    strict = "; strict, so what is not measured fails" if report.is_strict else ""
    title = report.text_style.severity(report.status, _TITLES[report.status])
    yield f"{title}: {outcome if counts else 'no check is set'}{strict}"
    if report.diff is not None:
        diff = report.diff
        since = plain(diff.revision)
        base = diff.commit[:12] if diff.commit else "no commit yet"
        if diff.is_merge_base:
            base = f"compared with {base}, the merge base of {since} and HEAD"
        yield f"only what changed since {since} ({base}): {counted(diff.changed_files, 'file')}"
    if report.baseline is not None:
        use = report.baseline
        is_written = "written: " if use.is_written else ""
        compared = f"{use.known:,} known, {use.fixed_total:,} fixed"
        yield f"baseline {plain(use.file)}: {is_written}{compared}"


def _result(check: GateCheck) -> str:
    if check.value is None:
        return check.reason
    more = (f", {check.known:,} known" if check.known else "") + (
        f"; {check.reason}" if check.reason else ""
    )
    if check.scope == "project":
        return f"{show_cell(check.value)} {check.unit}{_place(check)}{more}"
    of = "" if check.status == "reported" else f"{check.violations:,} of "
    measured = counted(check.measured, check.scope)
    return f"worst {show_cell(check.value)}{_place(check)}; {of}{measured}{more}"


def _place(check: GateCheck) -> str:
    """Say where the worst value over the threshold is; that of a baseline is not new."""
    if check.worst is None:
        return ""
    if check.worst.file is None:
        return plain(f", worst in {check.worst.parts[0].file}") if check.worst.parts else ""
    new = "" if check.worst.value == check.value else f", new {show_cell(check.worst.value)}"
    return plain(
        f"{new} at {check.worst.file}:{check.worst.line} {check.worst.name or ''}".rstrip()
    )


def _name(violation: GateViolation) -> str:
    most = f"most in {violation.parts[0].file}" if violation.parts else ""
    before = "" if violation.recorded is None else f" (was {show_cell(violation.recorded)})"
    return f"{violation.name or most}{before}".strip()


def _parts(violation: GateViolation) -> Iterator[str]:
    if violation.parts:
        yield "missing most:" if MEASURES[violation.check].is_better_high else "adding most:"
    for part in violation.parts:
        yield plain(f"{show_cell(part.value)}  {part.file}:{part.line}  {part.name}".rstrip())


def _rule(check: GateCheck) -> FindingRule:
    measure = MEASURES[check.name]
    name = "".join(word.capitalize() for word in measure.name.split("_"))
    return FindingRule(_rule_id(check.name), name, measure.meaning)


def _rule_id(name: str) -> str:
    return f"gate/{name.replace('_', '-')}"


def _findings(violation: GateViolation) -> Iterator[Finding]:
    """Give a violation at its place; that of a project at the part that adds most."""
    properties: dict[str, object] = {"value": violation.value, "threshold": violation.threshold}
    rule = _rule_id(violation.check)
    if violation.file is not None:
        line = violation.line or 1
        end_line = violation.end_line or line
        yield Finding(rule, "error", violation.message, violation.file, line, end_line, properties)
    elif violation.parts:
        first = violation.parts[0]
        yield Finding(
            rule, "error", violation.message, first.file, first.line, first.line, properties
        )


def _not_measured(report: "GateReport") -> Iterator[str]:
    for check in report.checks:
        if check.status == "not_measured":
            yield f"{check.name} was not measured: {check.reason}"
    if report.unmeasured_files:
        yield report.unmeasured_files


def _junit_checks(report: "GateReport") -> Iterator[Check]:
    """Give a test case for each threshold; what was not measured fails if the gate is strict."""
    found = defaultdict[str, list[GateViolation]](list)
    for each in report.violations:
        found[each.check].append(each)
    for check in report.checks:
        title = f"{check.name} = {show_cell(check.threshold)}"
        if check.status == "failed":
            yield _failed(title, check.violations, found[check.name])
        elif check.status == "not_measured":
            yield _skipped(title, f"not measured: {check.reason}", report)
        elif check.reason:
            value = "" if check.value is None else f"{show_cell(check.value)}; "
            yield Check(title, output=f"{value}{check.reason}")
        else:
            yield Check(title)
    if report.unmeasured_files:
        yield _skipped("every file is measured", report.unmeasured_files, report)


def _skipped(title: str, reason: str, report: "GateReport") -> Check:
    return Check(title, failure=reason) if report.is_strict else Check(title, skipped=reason)


def _failed(title: str, count: int, violations: list[GateViolation]) -> Check:
    if not violations:  # a page without them
        return Check(title, failure=counted(count, "violation"))
    first = violations[0]
    lines = [line for it in violations[:_MAX_LISTED] for line in _violation_lines(it)]
    more = count - _MAX_LISTED
    return Check(
        title,
        failure=first.message if count == 1 else f"{count:,} violations; {first.message}",
        details=[*lines, f"and {more:,} more"] if more > 0 else lines,
        path=first.file or "",
        line=first.line or 0,
    )


def _violation_lines(violation: GateViolation) -> Iterable[str]:
    if violation.file is not None:
        return [f"{violation.file}:{violation.line}: {violation.message}"]
    parts = [f"{part.file}:{part.line}: {part.name}".removesuffix(": ") for part in violation.parts]
    return [violation.message, *(f"  {part}" for part in parts)]


def _checked(checks: Iterable[GateCheck]) -> Iterator[PictureRow]:
    """Yield each check with its outcome, those that fail first."""
    ranked = sorted(checks, key=lambda it: it.status != "failed")
    for order, violation in enumerate(ranked):
        status = violation.status.replace("_", " ")
        yield {
            "check": violation.name,
            "status": status,
            "mark": MARKS[status],
            "limit_text": f"limit {show_cell(violation.threshold)}",
            "result": _result(violation),
            "order": order,
        }


def _count(rows: Iterable[PictureRow], status: str) -> int:
    return sum(it["status"] == status for it in rows)


class GateReport(Report):
    """Whether the project passes, every check, and the violations, worst first."""

    passed: bool
    status: Status
    is_strict: bool
    checks: list[GateCheck]
    violations: list[GateViolation]
    total: int
    next_cursor: str | None
    baseline: Annotated[BaselineUse | None, Field(exclude_if=lambda it: it is None)] = None
    diff: Annotated[DiffUse | None, Field(exclude_if=lambda it: it is None)] = None
    looked_at: FilesSeen
    unmeasured_files: Annotated[str, Field(exclude=True)] = ""
    fails: Annotated[bool, Field(exclude=True)] = False

    def is_failure(self) -> bool:
        """Whether the command exits with 1; running out of time alone is another exit code."""
        is_late = self.partial and self.status == "not_measured"
        return self.fails and not self.passed and not is_late

    def failure_note(self) -> str:
        """Return the checks that fail, with limit, value and place."""
        failed = (it for it in self.checks if it.status == "failed")
        return "\n".join(
            f"failed: {it.name}, limit {show_cell(it.threshold)}: {_result(it)}" for it in failed
        )

    view = View["GateReport"](
        title="quality gate",
        headline=_headline,
        tables=(
            Table(
                rows=lambda it: it.checks,
                columns=(
                    Column("status", lambda it: it.status.replace("_", " "), is_severity=True),
                    Column("name", heading="check"),
                    Column("threshold", heading="limit"),
                    Column("result", _result),
                ),
            ),
            Table(
                rows=lambda it: it.violations,
                columns=(
                    Column("check"),
                    Column("value"),
                    Column("threshold", heading="limit"),
                    location(),
                    Column("name", _name),
                    Column("message", is_below=True),
                ),
                title="Violations, worst first",
                below=_parts,
                findings=_findings,
                is_page=True,
            ),
            Table(
                rows=lambda it: it.baseline.fixed if it.baseline else (),
                columns=(Column("check"), Column("value"), Column("file"), Column("name")),
                title="Fixed since the baseline",
                is_detail=True,
            ),
        ),
        pictures=(
            Picture(
                name="checks",
                title="Quality gate",
                rows=lambda it: [*_checked(it.checks)],
                spec=checklist(),
                alt=lambda it, rows: (
                    f"{_TITLES[it.status]}: of {counted(len(rows), 'check')}, "
                    f"{_count(rows, 'failed')} failed and {_count(rows, 'passed')} passed."
                ),
                is_variant=True,  # a page has the table, and each check once
                text=lambda rows: [
                    f"{it['mark']} {it['check']}: {it['limit_text']}, {it['result']}" for it in rows
                ],
            ),
        ),
        notes=lambda it: it.looked_at.to_lines(),
        warnings=_not_measured,
        rules=lambda it: [_rule(check) for check in it.checks],
        checks=lambda it: [*_junit_checks(it)],
    )
