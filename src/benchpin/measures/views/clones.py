"""How duplicated code is shown."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from benchpin.code import SourceText
from benchpin.core.text import counted
from benchpin.measures.clones import (
    CloneGroup,
    DuplicateSummary,
    FileDuplication,
    Fragment,
    findings,
)
from benchpin.present import Column, Excerpt, ExcerptGroup, InnerTable, Table, location
from benchpin.present.charts import Shown, stacked_bars
from benchpin.present.pictures import Picture, PictureRow, bars

# The limit of one page; the tables have the rest.
_MAX_GROUPS = 30
_MAX_LINES = 40
# The limit of one line: minified code is no use to a reader.
_MAX_CHARS = 240


class Passage(NamedTuple):
    """Lines of a file, and which of them to mark."""

    file: str
    line: int
    end_line: int
    marked: Iterable[int]


def excerpt_groups(
    root: Path, groups: Iterable[tuple[str, Iterable[Passage]]]
) -> list[ExcerptGroup]:
    """Return titles with lines of files as they are now; none of those that cannot be read."""
    source = SourceText(root)
    return [
        ExcerptGroup(title, [_excerpt(source, it) for it in passages])
        for title, passages in islice(groups, _MAX_GROUPS)
    ]


def _excerpt(source: SourceText, passage: Passage) -> Excerpt:
    first = max(passage.line, 1)
    last = min(passage.end_line, first + _MAX_LINES - 1)
    lines = [it[:_MAX_CHARS] for it in source.lines(passage.file)[first - 1 : last]]
    if passage.end_line > last and lines:
        lines.append(f"… {passage.end_line - last:,} more lines")
    return Excerpt(passage.file, first, lines, frozenset(passage.marked))


_MAX_DRAWN_ROWS = 20  # more bars do not fit a screen
# A group of clones with its number, which goes on from page to page.
Numbered = tuple[int, CloneGroup]


def _place(fragment: Fragment) -> str:
    return f"{fragment.file}:{fragment.line}"


def _gaps(fragment: Fragment) -> str | None:
    spans = ((gap.line, gap.end_line) for gap in fragment.gaps)
    return ", ".join(f"{at}" if at == end else f"{at}-{end}" for at, end in spans) or None


def _group_title(group: CloneGroup) -> str:
    alike = "" if group.type in {"exact", "renamed"} else f", {group.similarity:.0%} alike"
    size = f"{counted(group.lines, 'line')}, {counted(group.tokens, 'token')}"
    place = ", tests or samples" if group.is_test_code else ""
    return f"{group.type}, {size}, {counted(len(group.fragments), 'place')}{alike}{place}"


GROUPS: Table[Any, Numbered] = Table(
    rows=lambda it: list(enumerate(it.groups, start=it.first_group)),
    columns=(
        Column("group", lambda it: it[0]),
        Column("type", lambda it: it[1].type),
        Column("tokens", lambda it: it[1].tokens),
        Column("removable_tokens", lambda it: it[1].removable_tokens),
        Column("is_test_code", lambda it: it[1].is_test_code),
    ),
    title="Groups of clones, tests and samples last, biggest first",
    findings=lambda it: findings(it[1], number=it[0]),
    inner=InnerTable(
        title=lambda it: _group_title(it[1]),
        rows=lambda it: it[1].fragments,
        columns=(
            Column("similarity", spec=".0%", is_detail=True),
            location(end_line="end_line"),
            Column("function"),
            Column("gaps", _gaps),
        ),
        summary_rows=3,
    ),
)
# With the first two places of each group instead of a table of all of them.
GROUPS_IN_BRIEF = GROUPS.brief(
    "Duplicates",
    Column("lines", lambda it: it[1].lines),
    Column("location", lambda it: _place(it[1].fragments[0])),
    Column("again_at", lambda it: _place(it[1].fragments[1])),
    Column("more", lambda it: len(it[1].fragments) - 2 or None),
)
FILES: Table[Any, FileDuplication] = Table(
    rows=lambda it: it.top_files,
    columns=(
        Column("duplicated_lines", heading="duplicated"),
        Column("similar_lines", heading="similar"),
        Column("total_lines", heading="lines"),
        Column("duplicated_percent", heading="duplicated %", is_detail=True),
        Column("groups", is_detail=True),
        Column("file"),
    ),
    title="Files with the most duplicated lines",
)


def _removable(groups: Sequence[CloneGroup]) -> Iterator[PictureRow]:
    """Yield the groups with the most lines beside their first place."""
    ranked = sorted(groups, key=lambda it: -it.lines * (len(it.fragments) - 1))
    firsts: dict[tuple[str, int], CloneGroup] = {}
    for group in ranked:  # one for each first place: a part of a clone may have more places
        firsts.setdefault((group.fragments[0].file, group.fragments[0].line), group)
    for order, group in enumerate([*firsts.values()][:_MAX_DRAWN_ROWS]):
        first, *others = map(_place, group.fragments)
        yield {
            "place": first,
            "others": ", ".join(others),
            "removable": group.lines * len(others),
            "type": group.type,
            "order": order,
            "part_order": 0,
        }


BARS: Picture[Any] = Picture(
    name="groups",
    title="Lines that could be written once",
    rows=lambda it: [*_removable(it.groups)],
    spec=stacked_bars(
        Shown("place", "First place", "nominal"),
        Shown("removable", "Lines in the other places", is_count=True),
        Shown("type", "Kind of clone", "nominal"),
        more=(Shown("others", "Also in", "nominal"),),
    ),
    alt=lambda it, rows: (
        f"The largest of {counted(it.total, 'group')} of clones begins at "
        f"{rows[0]['place']}: {rows[0]['removable']:,} lines could be removed. "
        f"{len(rows)} are drawn."
    ),
    text=bars("place", "removable"),
    link="place",
)


def headline(summary: DuplicateSummary) -> Iterator[str]:
    """Yield the totals of some files."""
    size = f"{counted(summary.total_lines, 'line')} in {counted(summary.total_files, 'file')}"
    if summary.duplicated_percent is None:
        yield size
    else:
        share = f"{summary.duplicated_percent:g} %"
        yield f"{summary.duplicated_lines:,} of {size} are duplicated, {share}"
    if summary.similar_percent is not None:
        lines = f"{summary.similar_lines:,} lines are duplicated or similar"
        yield f"{lines}, {summary.similar_percent:g} %"
    kinds = ", ".join(f"{it:,} {kind}" for kind, it in summary.groups.items())
    tests = f"; {summary.test_groups:,} in tests and samples" if summary.test_groups else ""
    yield f"groups of clones: {kinds}{tests}"


def notes(summary: DuplicateSummary) -> Iterator[str]:
    """Yield how small a clone may be, and what was not compared."""
    if summary.total_files:
        size = f"{counted(summary.min_lines, 'line')} and {counted(summary.min_tokens, 'token')}"
        except_for = "" if summary.min_function_tokens else "; a whole copied function only lines"
        yield f"a clone needs at least {size}{except_for}"
    if summary.uncompared_pairs:
        pairs = counted(summary.uncompared_pairs, "pair")
        yield f"very many functions are alike: {pairs} of them were not compared with each other"


def passages(groups: Sequence[CloneGroup], root: Path) -> list[ExcerptGroup]:
    """Return the first two places of each group with their text, for a page."""

    def passage(fragment: Fragment) -> Passage:
        gaps = (line for it in fragment.gaps for line in range(it.line, it.end_line + 1))
        return Passage(fragment.file, fragment.line, fragment.end_line, gaps)

    titles = ((_group_title(it), map(passage, it.fragments[:2])) for it in groups)
    return excerpt_groups(root, titles)
