"""Plain text for a model or a person at a terminal: headline, aligned tables, notes, cursor."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from benchpin.core.text import PLAIN, TextStyle, folded_line, plain, shortened, width_of
from benchpin.present import Column, InnerTable, Table, filled, is_numeric, show_cell

if TYPE_CHECKING:
    from benchpin.present import Report

# Columns of a terminal: a path of this many can be read, one of fewer can still be recognised, and
# words that take more than this go to a line of their own, or to several with so many at least.
_FINE, _MIN_NAME, _MIN_PROSE, _MIN_WRAPPED = 32, 20, 24, 30


def render(report: "Report") -> str:
    """Return the headline and the page; full text adds columns, tables and details."""
    return "\n".join(_lines(report, is_full=report.format != "summary"))


def _lines(report: "Report", *, is_full: bool) -> Iterator[str]:
    view = report.view
    yield from view.headline(report)
    for table in view.tables:
        if is_full or not table.is_detail:
            yield from _table(table, report, is_full=is_full)
        if table is view.page and (footer := report.footer()):
            yield footer
    yield from view.notes(report)
    yield from filter(None, [report.assurance_line()])


def _table(table: Table[Any, Any], report: "Report", *, is_full: bool) -> Iterator[str]:
    rows = table.rows(report)
    if not rows:
        return
    yield ""
    if heading := table.heading(report):
        yield heading
    if table.entry is not None:
        for number, row in enumerate(rows, start=1):
            is_apart = (heading or number > 1) and not table.is_dense
            yield from ([""] if is_apart else ())
            yield from table.entry(report, number, row)
        yield from ([""] if report.footer() and not table.is_dense else ())
        return
    if table.inner is not None:
        for row in rows:
            yield from _inner(table.inner, row, report.text_style, is_full=is_full)
        return
    shown = rows if is_full else rows[: table.summary_rows]
    header, *lines = align(_chosen(table.columns, shown, is_full=is_full), shown, report.text_style)
    yield header
    for row, line in zip(shown, lines, strict=True):
        yield line
        if is_full:
            yield from (f"  {it.shown(row)}" for it in table.columns if it.is_below)
            yield from (f"  {it}" for it in (table.below(row) if table.below is not None else ()))
    if len(shown) < len(rows):
        cut = f"{len(shown):,} of {len(rows):,}; format=full shows the rest"
        yield report.text_style.hint(cut)


def _inner(
    table: InnerTable[Any, Any], outer: object, style: TextStyle, *, is_full: bool
) -> Iterator[str]:
    yield plain(table.title(outer))
    rows = table.rows(outer)
    if not rows:
        return
    shown = rows if is_full else rows[: table.summary_rows]
    columns = _chosen(table.columns, shown, is_full=is_full)
    header, *lines = align(columns, shown, style, indent=2)
    # A lone column, such as a list of places, is understood without a heading.
    kept = lines if len(columns) == 1 else [header, *lines]
    yield from (f"  {part}" for line in kept for part in line.split("\n"))
    if len(shown) < len(rows):
        yield f"  and {len(rows) - len(shown):,} more"


def _chosen(
    columns: Sequence[Column[Any]], rows: Sequence[object], *, is_full: bool
) -> list[Column[Any]]:
    return filled([it for it in columns if not it.is_below and (is_full or not it.is_detail)], rows)


def align(
    columns: Sequence[Column[Any]],
    rows: Sequence[object],
    style: TextStyle = PLAIN,
    indent: int = 0,
) -> list[str]:
    """Return a header and a line for each row; numbers are aligned to the right.

    Where the style has a width, paths and names are shortened to fit in it, and what does not fit
    goes to a second line below the row.
    """
    cells = [[column.cell(row) for column in columns] for row in rows]
    texts = [
        [
            show_cell(cell, column.spec) if column.show is None else column.shown(row)
            for cell, column in zip(line, columns, strict=True)
        ]
        for row, line in zip(rows, cells, strict=True)
    ]
    titles = [column.title for column in columns]
    is_number = list(map(is_numeric, zip(*cells, strict=True)))
    widths = [max(map(width_of, column)) for column in zip(titles, *texts, strict=True)]
    room = style.width - indent if style.width else 0
    fit = _Fit(texts, is_number, widths, room)

    def padded(line: Sequence[str], *, is_marked: bool) -> str:
        shown = []
        more: list[str] = []
        for at in fit.beside:
            if at == fit.wrapped:
                text, *more = _folded_cell(line[at], fit.widths[at], is_code=columns[at].is_code)
            else:
                text = shortened(line[at], fit.widths[at])
            space = " " * (fit.widths[at] - width_of(text))
            is_severity = is_marked and columns[at].is_severity
            marked = style.severity(line[at], text) if is_severity else text
            shown.append(space + marked if is_number[at] else marked + space)
        before = " " * (sum(fit.widths[at] + 2 for at in fit.beside) - 2 - fit.widths[-1])
        return "\n".join(["  ".join(shown).rstrip(), *(f"{before}{it}" for it in more)])

    def below(line: Sequence[str]) -> Iterator[str]:
        parts = [
            line[at] if at in fit.prose else f"{titles[at]} {line[at]}"
            for at in fit.below
            if line[at] not in {"", "-"}
        ]
        if parts:
            yield from folded_line(f"    {'; '.join(parts)}", room, "    ")

    header = padded(titles, is_marked=False)
    return [header, *("\n".join([padded(it, is_marked=True), *below(it)]) for it in texts)]


def _folded_cell(text: str, width: int, *, is_code: bool) -> list[str]:
    """Return the lines of a cell; of code, such as a signature, at most two.

    A word that does not fit on a line, such as a path, is shortened in its middle.
    """
    lines = folded_line(" ".join(shortened(it, width) for it in text.split(" ")), width)
    if is_code and len(lines) > 2:  # noqa: PLR2004 - where it begins is enough to know it
        return [lines[0], f"{lines[1]} …"] if width_of(lines[1]) < width - 1 else [lines[0], "…"]
    return lines


class _Fit:
    """How a table gets into a width: which columns are beside one another, which below a row."""

    def __init__(
        self,
        texts: Sequence[Sequence[str]],
        is_number: Sequence[bool],
        widths: Sequence[int],
        room: int,
    ) -> None:
        every = range(len(widths))
        has_words = [not is_number[at] and any(" " in it[at] for it in texts) for at in every]
        self.prose = {at for at in every if has_words[at] and widths[at] > _MIN_PROSE}
        self.beside, self.below = list(every), list[int]()
        self.widths = list(widths)
        self.wrapped = -1
        """The column whose words go on below themselves: the last one."""
        if not room:
            return
        names = {at for at in every if not (is_number[at] or has_words[at])}
        if every[-1] in self.prose and self._wraps(every[-1], names, room):
            return
        # What explains a row goes below it first, then what is farthest to the right.
        last = [*sorted(self.prose, key=lambda it: -widths[it]), *reversed(every[1:])]
        for least in (_FINE, _MIN_NAME):
            self._shorten(names, least, room)
            if self._fits(room):
                return
            self.widths = list(widths)
            if least == _FINE and self.prose:
                self._put_below(last.pop(0))
        self._shorten(names, _MIN_NAME, room)
        for at in last:
            if self._fits(room) or len(self.beside) == 1:
                break
            if at in self.beside:
                self._put_below(at)
                self.widths = list(widths)
                self._shorten(names, _MIN_NAME, room)
        if not self._fits(room):  # a single column
            self.widths[self.beside[0]] = room

    def _wraps(self, at: int, names: set[int], room: int) -> bool:
        """Whether the last column fits if its words are folded, with enough of them on a line."""
        before, least = list(self.widths), min(self.widths[at], _MIN_WRAPPED)
        self.widths[at] = least
        self._shorten(names, _FINE, room)
        if not self._fits(room):
            self.widths = before
            return False
        self.widths[at] = min(before[at], least - self._excess(room))
        self.wrapped = at
        return True

    def _fits(self, room: int) -> bool:
        return self._excess(room) <= 0

    def _excess(self, room: int) -> int:
        return sum(self.widths[at] + 2 for at in self.beside) - 2 - room

    def _put_below(self, at: int) -> None:
        self.beside.remove(at)
        self.below = sorted([*self.below, at])

    def _shorten(self, names: set[int], least: int, room: int) -> None:
        """Take what is missing from the widest names, down to a least width."""
        while (excess := self._excess(room)) > 0:
            wide = [at for at in self.beside if at in names and self.widths[at] > least]
            if not wide:
                return
            widest = max(wide, key=lambda it: self.widths[it])
            others = [self.widths[at] for at in wide if at != widest]
            step = self.widths[widest] - max([least, *others])
            self.widths[widest] -= min(excess, max(step, 1))
