"""How debt in comments, and the debt gradient of files, are shown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchpin.core.text import counted
from benchpin.measures.debt import SEVERITIES, DebtItem, DebtSummary, as_finding
from benchpin.measures.debt_gradient import DebtGradient
from benchpin.present import Column, ExcerptGroup, Table, location
from benchpin.present.charts import BLUE, ORANGE, RED, Shown, stacked_bars
from benchpin.present.pictures import Picture, PictureRow, bars

from .clones import Passage, excerpt_groups

_COLORS: dict[str, str] = {
    "Critical": "#7f0000",
    "High": RED,
    "Medium": ORANGE,
    "Low": BLUE,
}
_MAX_DRAWN_ROWS = 20  # more bars do not fit a screen
# Lines of code that a page shows before and after a comment.
_AROUND = 4

COMMENTS: Table[Any, DebtItem] = Table(
    rows=lambda it: it.items,
    columns=(
        Column("severity", is_severity=True),
        Column("category"),
        Column("confidence", spec=".2f"),
        location(),
        Column("context", is_detail=True),
        Column("text", heading="comment"),
        Column("reason", is_below=True),
    ),
    title="Comments that admit debt, most severe first",
    findings=lambda it: [as_finding(it)],
)
COMMENTS_IN_BRIEF = COMMENTS.brief("Debt comments", "severity", "category", "location", "text")
FILES: Table[Any, Any] = Table(
    rows=lambda it: it.summary.by_file,
    columns=(Column("items", heading="comments"), Column("file")),
    title="Files with the most debt",
)
GRADIENTS: Table[Any, DebtGradient] = Table(
    rows=lambda it: it.files,
    columns=(Column("score", spec=".2f"), Column("severity"), Column("file")),
    title="Debt gradient",
)


def _by_file(items: Sequence[DebtItem]) -> Iterator[PictureRow]:
    """Yield how many comments of each severity the files with the most comments have."""
    files = Counter(it.file for it in items)
    counts = Counter((it.file, it.severity) for it in items)
    drawn = sorted(files, key=lambda it: (-files[it], it))[:_MAX_DRAWN_ROWS]
    for order, file in enumerate(drawn):
        for at, severity in enumerate(SEVERITIES):
            if count := counts[file, severity]:
                about: PictureRow = {"file": file, "order": order, "part_order": at}
                yield {**about, "severity": severity, "comments": count}


BARS: Picture[Any] = Picture(
    name="debt",
    title="Where comments admit debt",
    rows=lambda it: [*_by_file(it.items)],
    spec=stacked_bars(
        Shown("file", "File", "nominal"),
        Shown("comments", "Comments", is_count=True),
        Shown("severity", "Severity", "nominal"),
        _COLORS,
    ),
    alt=lambda it, rows: (
        f"{counted(it.summary.total_items, 'comment admits', 'comments admit')} debt; "
        f"{rows[0]['file']} has the most of those on this page."
    ),
    text=bars("file", "comments"),
    link="file",
)


def headline(summary: DebtSummary) -> Iterator[str]:
    """Yield the totals of some files."""
    read = f"{summary.total_comments:,} in {counted(summary.total_files, 'file')}"
    yield f"{counted(summary.total_items, 'comment admits', 'comments admit')} debt, of {read}"
    if summary.total_items:
        yield ", ".join(f"{count:,} {name}" for name, count in summary.by_severity.items())
        yield ", ".join(f"{count:,} {name}" for name, count in summary.by_category.items())


def passages(items: Sequence[DebtItem], root: Path) -> list[ExcerptGroup]:
    """Return the code around each comment, for a page."""

    def around(item: DebtItem) -> Passage:
        comment = range(item.line, item.end_line + 1)
        return Passage(item.file, item.line - _AROUND, item.end_line + _AROUND, comment)

    titles = ((f"{it.severity}, {it.category}: {it.text}", [around(it)]) for it in items)
    return excerpt_groups(root, titles)
