"""The quality gate in every format but JUnit's."""

from collections.abc import Iterator, Sequence

from benchpin.core import Bench, counted, plain
from benchpin.engines.insight.gate.judging import Gate, Violation, shown
from benchpin.engines.sarif import Finding, Rule

from ._formats import as_sarif
from ._gate_report import GateCheck, GateReport, GateViolation
from ._tables import columns

_SHOWN = 10
_TITLES = {"passed": "PASSED", "failed": "FAILED", "not_measured": "NOT MEASURED"}


def summary_text(report: GateReport, footer: str) -> str:
    """Return how it stands, and the first violations of the page."""
    more = "" if len(report.violations) <= _SHOWN else "format detailed lists more"
    lines = [*_head(report), *_worst(report.violations[:_SHOWN]), more or footer]
    return report.looked_at.below("\n".join(lines).rstrip())


def detailed_text(report: GateReport, footer: str) -> str:
    """Return every violation of the page, with what adds to it, and what was mended."""
    lines = [*_head(report), *_worst(report.violations)]
    for it in report.violations:
        if it.parts:
            rows = [(part.value, f"{part.file}:{part.line}", part.name) for part in it.parts]
            most = "most that it lacks" if it.check.startswith("min_") else "most of it"
            lines += ["", f"{it.message}; {most}:", *columns(rows)]
    if report.baseline is not None and report.baseline.mended:
        gone = report.baseline.mended
        named = [(it.check, it.value, it.file or "(project)", it.name) for it in gone]
        lines += ["", "mended:", *columns(named)]
    return report.looked_at.below("\n".join([*lines, footer]).rstrip())


def sarif_text(gate: Gate, bench: Bench) -> str:
    """Return every violation as SARIF; what was not measured is a notification."""
    rules = [
        Rule(_rule_id(it.measure.threshold_name), _pascal(it.measure.name), it.measure.meaning)
        for it in gate.checks
    ]
    missing = [
        f"{it.measure.threshold_name} was not measured: {it.reason}"
        for it in gate.checks
        if it.status == "not_measured"
    ]
    if gate.unmeasured_files:
        missing.append(gate.unmeasured_files)
    findings = [it for violation in gate.violations for it in _findings(violation)]
    return as_sarif(bench, rules, findings, missing)


def _head(report: GateReport) -> list[str]:
    lines = [f"{_TITLES[report.status]}: {_counted(report.checks)}"]
    if report.is_strict:
        lines[0] += "; strict, so what is not measured fails"
    lines += columns([_row(it) for it in report.checks])
    if report.diff is not None:
        it = report.diff
        since = f"{plain(it.revision)} ({it.commit[:12] if it.commit else 'no commit yet'})"
        lines.append(f"only what changed since {since}: {counted(it.changed_files, 'file')}")
    if report.baseline is not None:
        use = report.baseline
        is_written = "written: " if use.is_written else ""
        counts = f"{use.known:,} known, {use.mended_total:,} mended"
        lines.append(f"baseline {plain(use.file)}: {is_written}{counts}")
    return lines


def _counted(checks: Sequence[GateCheck]) -> str:
    counts = [
        (sum(it.status == status for it in checks), words)
        for status, words in (
            ("failed", "failed"),
            ("told", "told"),
            ("passed", "passed"),
            ("not_measured", "not measured"),
        )
    ]
    told = ", ".join(f"{count} {words}" for count, words in counts if count)
    return f"{counted(len(checks), 'check')}: {told}" if checks else "no check is set"


def _row(it: GateCheck) -> tuple[str, str, str, str]:
    return it.status.replace("_", " "), it.name, shown(it.threshold), _finding(it)


def _finding(it: GateCheck) -> str:
    if it.value is None:
        return it.reason
    more = (f", {it.known:,} known" if it.known else "") + (f"; {it.reason}" if it.reason else "")
    if it.scope == "project":
        return f"{shown(it.value)} {it.unit}{more}"
    of = "" if it.status == "told" else f"{it.violations:,} of "
    return f"worst {shown(it.value)}; {of}{it.measured:,} {it.scope}s{more}"


def _worst(violations: Sequence[GateViolation]) -> list[str]:
    rows = [
        (
            it.check,
            shown(it.value),
            "(project)" if it.file is None else f"{it.file}:{it.line}",
            _told(it),
        )
        for it in violations
    ]
    return ["", *columns(rows)] if rows else []


def _told(it: GateViolation) -> str:
    most = f"most in {it.parts[0].file}" if it.parts else ""
    before = "" if it.recorded is None else f" (was {shown(it.recorded)})"
    return f"{it.name or most}{before}".strip()


def _rule_id(name: str) -> str:
    return f"gate/{name.replace('_', '-')}"


def _pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _findings(it: Violation) -> Iterator[Finding]:
    """Give a violation at its place; that of a project at the part that weighs most."""
    place = it.place or (it.parts[0].place if it.parts else None)
    if place is None:
        return
    properties: dict[str, object] = {"value": it.value, "threshold": it.threshold}
    name = it.measure.threshold_name
    yield Finding(
        _rule_id(name), "error", it.message, place.file, place.line, place.end_line, properties
    )
