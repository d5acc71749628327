"""The report on dead code in every format."""

from collections.abc import Sequence

from benchpin.core import Bench, counted, plain
from benchpin.engines.metrics.dead_code import SURE_FROM, DeadCodeSummary, DeadItem, FileShare
from benchpin.engines.sarif import Finding, Rule

from ._formats import as_sarif
from ._tables import as_csv, as_markdown, columns

HEADER = ("confidence", "status", "kind", "name", "file", "line", "end_line", "lines", "reason")
_FILE_HEADER = ("file", "items", "dead lines", "lines", "dead %")
_SHOWN = 10
RULES = (
    Rule("unused-function", "UnusedFunction", "Nothing in the workspace uses a function."),
    Rule("unused-method", "UnusedMethod", "Nothing in the workspace uses a method."),
    Rule("unused-type", "UnusedType", "Nothing in the workspace uses a type."),
    Rule("test-only-code", "TestOnlyCode", "Only tests use a function, method or type."),
)


def summary_text(
    summary: DeadCodeSummary,
    items: Sequence[DeadItem],
    files: Sequence[FileShare],
    min_confidence: float,
) -> str:
    """Return the few lines that say how it stands."""
    return "\n".join([*_head(summary, min_confidence), *_listed(items[:_SHOWN]), *_ranking(files)])


def full_text(
    summary: DeadCodeSummary,
    items: Sequence[DeadItem],
    files: Sequence[FileShare],
    min_confidence: float,
) -> str:
    """Return every finding of the page, with its reason."""
    lines = _head(summary, min_confidence)
    for it in items:
        lines += ["", f"{plain(it.file)}:{it.line}  {it.label} {it.name}, {it.lines} lines"]
        lines += [f"  {it.confidence:.2f}: {plain(it.reason)}"]
    return "\n".join([*lines, *_ranking(files)])


def csv_text(items: Sequence[DeadItem]) -> str:
    """Return every finding as CSV."""
    return as_csv(HEADER, [_row(it) for it in items])


def markdown_text(
    summary: DeadCodeSummary,
    items: Sequence[DeadItem],
    files: Sequence[FileShare],
    min_confidence: float,
) -> str:
    """Return the report as Markdown."""
    parts = ["# Dead code\n", *(f"- {line}" for line in _head(summary, min_confidence))]
    if items:
        parts += ["\n## Findings\n", as_markdown(HEADER, [_row(it) for it in items])]
    if files:
        parts += ["\n## Files\n", as_markdown(_FILE_HEADER, [_file_row(it) for it in files])]
    return "\n".join(parts)


def sarif_text(items: Sequence[DeadItem], bench: Bench) -> str:
    """Return every finding as SARIF."""
    return as_sarif(bench, RULES, [finding(it) for it in items])


def _head(summary: DeadCodeSummary, min_confidence: float) -> list[str]:
    if not summary.total_definitions:
        return [f"{counted(summary.total_files, 'file')}, nothing that could be dead"]
    kinds = (summary.dead_functions, summary.dead_methods, summary.dead_types)
    found = f"{sum(kinds):,} of {summary.total_definitions:,} functions, methods and types"
    sure = f"seem dead (confidence {min_confidence:g} or more)"
    parts = "{:,} functions, {:,} methods, {:,} types".format(*kinds)
    return [
        f"{found} in {counted(summary.total_files, 'file')} {sure}",
        f"{parts}; only tests use {summary.used_by_tests_only:,} of them",
        f"{summary.dead_lines:,} of {summary.total_lines:,} lines, {summary.dead_percent:g} %",
    ]


def _listed(items: Sequence[DeadItem]) -> list[str]:
    rows = [
        (f"{it.confidence:.2f}", it.label, it.name, f"{it.file}:{it.line}", it.lines)
        for it in items
    ]
    return ["", *columns(rows)] if rows else []


def _ranking(files: Sequence[FileShare]) -> list[str]:
    if not files:
        return []
    rows = [(it.dead_lines, "dead lines of", it.total_lines, it.file) for it in files]
    return ["", *columns(rows)]


def _row(it: DeadItem) -> tuple[str | int, ...]:
    place = (it.file, it.line, it.end_line, it.lines)
    return (f"{it.confidence:.2f}", it.status, it.label, it.name, *place, it.reason)


def _file_row(it: FileShare) -> tuple[str | int | float, ...]:
    return (it.file, it.items, it.dead_lines, it.total_lines, it.dead_percent)


def finding(it: DeadItem) -> Finding:
    """Return something dead as SARIF has it."""
    rule = "test-only-code" if it.status == "used_by_tests" else f"unused-{it.kind}"
    return Finding(
        rule,
        "warning" if it.confidence >= SURE_FROM else "note",
        f"{it.label} {it.name} seems dead: {it.reason}",
        it.file,
        it.line,
        it.end_line,
        {"confidence": it.confidence, "status": it.status},
    )
