"""The debt report in every format."""

from collections.abc import Mapping, Sequence

from benchpin.core import Bench, counted
from benchpin.engines.metrics.debt import CATEGORIES, Category, DebtItem, DebtSummary, Severity
from benchpin.engines.sarif import Finding, Level, Rule

from ._formats import as_sarif
from ._tables import as_csv, as_markdown, columns

HEADER = (
    "severity",
    "category",
    "confidence",
    "file",
    "line",
    "context",
    "text",
    "reason",
)
_SHOWN = 10
_LEVELS: dict[Severity, Level] = {
    "Critical": "error",
    "High": "warning",
    "Medium": "warning",
    "Low": "note",
}
RULES = [
    Rule(f"debt-{name.lower()}", f"{name}Debt", f"A comment admits {name.lower()} debt.")
    for name in CATEGORIES
]


def summary_text(summary: DebtSummary, items: Sequence[DebtItem]) -> str:
    """Return the few lines that say how it stands, and the gravest."""
    return "\n".join([*_head(summary), *_listing(items[:_SHOWN]), *_files(summary)])


def full_text(summary: DebtSummary, items: Sequence[DebtItem]) -> str:
    """Return every item of the page."""
    return "\n".join([*_head(summary), *_listing(items), *_files(summary)])


def csv_text(items: Sequence[DebtItem]) -> str:
    """Return every item as CSV."""
    return as_csv(HEADER, [_row(item) for item in items])


def markdown_text(summary: DebtSummary, items: Sequence[DebtItem]) -> str:
    """Return the report as Markdown."""
    parts = ["# Debt in comments\n", *(f"- {line}" for line in _head(summary))]
    if items:
        rows = [[_plain(cell) for cell in _row(item)] for item in items]
        parts += ["\n## Items\n", as_markdown(HEADER, rows)]
        files = [(it.file, it.items) for it in summary.by_file]
        parts += ["\n## Files\n", as_markdown(("file", "items"), files)] if files else []
    return "\n".join(parts)


def sarif_text(items: Sequence[DebtItem], bench: Bench) -> str:
    """Return every item as SARIF."""
    return as_sarif(bench, RULES, [finding(item) for item in items])


def _head(summary: DebtSummary) -> list[str]:
    read = f"{summary.total_comments:,} in {counted(summary.total_files, 'file')}"
    lines = [f"{summary.total_items:,} comments admit debt, of {read}"]
    if summary.total_items:
        lines += [_counts(summary.by_severity), _counts(summary.by_category)]
    return lines


def _counts(counted: Mapping[Category, int] | Mapping[Severity, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counted.items())


def _listing(items: Sequence[DebtItem]) -> list[str]:
    rows = [
        (it.severity, it.category, f"{it.confidence:.2f}", f"{it.file}:{it.line}", it.text)
        for it in items
    ]
    return ["", *columns(rows)] if rows else []


def _files(summary: DebtSummary) -> list[str]:
    rows = [(it.items, it.file) for it in summary.by_file]
    return ["", *columns(rows)] if rows else []


def _row(it: DebtItem) -> tuple[str | int, ...]:
    return (
        it.severity,
        it.category,
        f"{it.confidence:.3f}",
        it.file,
        it.line,
        it.context or "",
        it.text,
        it.reason,
    )


def _plain(cell: str | int) -> str | int:
    """Keep what an author wrote from becoming markup."""
    return cell.replace("<", "&lt;").replace("`", "'") if isinstance(cell, str) else cell


def finding(it: DebtItem) -> Finding:
    """Return an item as SARIF has it."""
    properties: dict[str, object] = {
        "severity": it.severity,
        "category": it.category,
        "confidence": it.confidence,
        "context": it.context,
        "reason": it.reason,
    }
    rule = f"debt-{it.category.lower()}"
    level = _LEVELS[it.severity]
    return Finding(rule, level, it.text, it.file, it.line, it.end_line, properties)
