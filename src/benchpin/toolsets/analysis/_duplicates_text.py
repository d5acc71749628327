"""The report on duplicates in every format."""

from collections.abc import Iterator, Sequence

from benchpin.core import Bench, counted, plain
from benchpin.engines.metrics.duplicates import (
    CloneGroup,
    DuplicateSummary,
    FileDuplication,
    Fragment,
    Phase,
)
from benchpin.engines.sarif import Finding, Rule

from ._formats import as_sarif
from ._tables import Cell, as_csv, as_markdown, columns

HEADER = (
    "group",
    "type",
    "tokens",
    "similarity",
    "file",
    "line",
    "end_line",
    "function",
    "gaps",
)
_FILE_HEADER = ("file", "groups", "duplicated lines", "similar lines", "lines", "duplicated %")
_SHOWN = 10
_SHOWN_PLACES = 3
RULES = (
    Rule("exact-clone", "ExactClone", "Code stands more than once."),
    Rule("renamed-clone", "RenamedClone", "Code stands more than once with other names."),
    Rule("gapped-clone", "GappedClone", "Functions are the same but for some lines."),
    Rule("semantic-clone", "SemanticClone", "Functions are made of the same ingredients."),
)


def summary_text(
    summary: DuplicateSummary, groups: Sequence[CloneGroup], files: Sequence[FileDuplication]
) -> str:
    """Return the few lines that say how it stands, and the first groups of the page."""
    listed = [line for group in groups[:_SHOWN] for line in _listed(group, _SHOWN_PLACES)]
    return "\n".join([*_head(summary), "", *listed, *_ranking(files)]).rstrip()


def full_text(
    summary: DuplicateSummary, groups: Sequence[CloneGroup], files: Sequence[FileDuplication]
) -> str:
    """Return every fragment of every group of the page."""
    listed = [line for group in groups for line in _listed(group, len(group.fragments))]
    return "\n".join([*_head(summary), "", *listed, *_ranking(files)]).rstrip()


def csv_text(groups: Sequence[CloneGroup]) -> str:
    """Return every fragment as CSV."""
    return as_csv(HEADER, _rows(groups))


def markdown_text(
    summary: DuplicateSummary, groups: Sequence[CloneGroup], files: Sequence[FileDuplication]
) -> str:
    """Return the report as Markdown."""
    parts = ["# Duplicates\n", *(f"- {line}" for line in _head(summary))]
    if groups:
        parts += ["\n## Groups\n", as_markdown(HEADER, _rows(groups))]
    if files:
        rows = [_file_row(it) for it in files]
        parts += ["\n## Files\n", as_markdown(_FILE_HEADER, rows)]
    return "\n".join(parts)


def sarif_text(groups: Sequence[CloneGroup], bench: Bench) -> str:
    """Return every fragment as SARIF."""
    return as_sarif(bench, RULES, list(findings(groups)))


def performance_text(phases: Sequence[Phase], tokens: int) -> str:
    """Return one line about the time that it took."""
    spent = ", ".join(f"{phase.name} {phase.seconds:.3f} s" for phase in phases)
    return f"{tokens:,} tokens on the CPU: {spent}"


def _head(summary: DuplicateSummary) -> list[str]:
    if not summary.total_files:
        return ["No file here is in a language that is measured."]
    groups = ", ".join(f"{count:,} {kind}" for kind, count in summary.groups.items())
    found = f"groups of clones: {groups}"
    size = f"{counted(summary.total_files, 'file')}, {counted(summary.total_lines, 'line')}"
    return [size, *shares(summary), found]


def shares(summary: DuplicateSummary) -> list[str]:
    """Say how much of the code stands elsewhere too, as far as that was looked for."""
    told = (
        ("duplicated", summary.duplicated_lines, summary.duplicated_percent),
        ("duplicated or similar", summary.similar_lines, summary.similar_percent),
    )
    return [
        f"{lines:,} lines are {what}, {percent:g} %"
        for what, lines, percent in told
        if lines is not None and percent is not None
    ]


def _listed(group: CloneGroup, most: int) -> Iterator[str]:
    count = len(group.fragments)
    alike = "" if group.type in {"exact", "renamed"} else f", {group.similarity:.0%} alike"
    yield f"{group.type}, {group.lines} lines, {group.tokens} tokens, {count} places{alike}"
    for it in group.fragments[:most]:
        name = f"  {plain(it.function)}" if it.function else ""
        gaps = f"  gaps: {_gaps(it)}" if it.gaps else ""
        yield f"  {plain(it.file)}:{it.line}-{it.end_line}{name}{gaps}"
    if count > most:
        yield f"  and {count - most} more"


def _gaps(it: Fragment) -> str:
    return ", ".join(
        str(gap.line) if gap.line == gap.end_line else f"{gap.line}-{gap.end_line}"
        for gap in it.gaps
    )


def _ranking(files: Sequence[FileDuplication]) -> list[str]:
    if not files:
        return []
    rows = [(it.duplicated_lines, it.similar_lines, it.total_lines, it.file) for it in files]
    return ["", *columns([("duplicated", "similar", "lines", "file"), *rows])]


def _rows(groups: Sequence[CloneGroup]) -> list[tuple[Cell, ...]]:
    return [
        (
            number,
            group.type,
            group.tokens,
            f"{it.similarity:g}",
            it.file,
            it.line,
            it.end_line,
            it.function or "",
            _gaps(it),
        )
        for number, group in enumerate(groups, start=1)
        for it in group.fragments
    ]


def _file_row(it: FileDuplication) -> tuple[Cell, ...]:
    counts = (it.groups, it.duplicated_lines, it.similar_lines, it.total_lines)
    return (it.file, *counts, it.duplicated_percent)


def findings(groups: Sequence[CloneGroup]) -> Iterator[Finding]:
    """Return every fragment as SARIF has it."""
    for number, group in enumerate(groups, start=1):
        for it in group.fragments:
            other = next(other for other in group.fragments if other is not it)
            yield Finding(
                f"{group.type}-clone",
                "note" if group.type == "semantic" else "warning",
                f"{group.type.capitalize()} clone of {other.file}:{other.line}-{other.end_line}, "
                f"{len(group.fragments)} places in all",
                it.file,
                it.line,
                it.end_line,
                {"group": number, "tokens": group.tokens, "similarity": it.similarity},
            )
