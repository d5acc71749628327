"""What the tools about impact, calls and history report, and how it is shown."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated

from pydantic import Field

from benchpin.code.accounting import NameAccount, all_sentences
from benchpin.code.references import BodyCalls, Dependent, Direction, FunctionCall, RelatedTest
from benchpin.code.signatures import Misfit
from benchpin.comments.shown import COMMENTS_TABLE, NO_COMMENTS, CommentsShown
from benchpin.core.results import Item, not_measured
from benchpin.core.text import counted, plain
from benchpin.measures.graph import AutomationStep
from benchpin.measures.history import FileCommit
from benchpin.present import Column, Report, Table, View, location
from benchpin.present.charts import node_link
from benchpin.present.pictures import Picture, PictureRow, Specification, bars
from benchpin.project import FileContext, ProfiledShare
from benchpin.project.pictures import CallMap, call_map, describe_calls
from benchpin.workspace.walking import CodeScope

from ._changes import ChangedSymbolRow
from ._places import first_of, places_text
from ._subjects import PerSymbolReport

# Rows of the summary.
_MAX_SHOWN = 10
_SHOWN_ID = 10


def _dependent(report: "ImpactReport", number: int, row: Dependent) -> Iterator[str]:
    """Yield a file where another one begins, then who uses it there, with code if it is near."""
    before = report.dependents[number - 2] if number > 1 else None
    if before is None or (before.file, before.scope) != (row.file, row.scope):
        scope = "" if row.scope == "production" else f" ({row.scope})"
        yield f"{plain(row.file)}{scope}"
    sure = "" if row.certainty == "certain" else f"{row.certainty} "
    inside = f" in {_short(row.id)}" if row.id != row.file else ""
    if row.distance > 1:
        away = f"{row.distance} steps away, of {_short(row.uses)}"
        yield f"  {row.text_line or row.line}: {sure}{row.kind}{inside}, {away}"
        return
    yield f"  {sure}{row.kind}{inside}"
    for line_number, line in enumerate(row.text.split("\n"), row.text_line or row.line):
        yield f"  {line_number}: {plain(line)}"


class ImpactReport(Report):
    """What depends on the subject, nearest first, and what else to know before changing it."""

    subject: str
    changes: list[ChangedSymbolRow]
    """Functions and types that the change touches; none for a symbol or file."""
    misfits: list[Misfit]
    """Calls that do not fit a signature that changed."""
    still_used: list[Dependent]
    """Code that uses what the change removes."""
    accounts: list[NameAccount]
    """Every line that has the name of a symbol, by what it is; of a change, its first symbols."""
    dependents: list[Dependent]
    total: int
    next_cursor: str | None
    is_cut: bool
    """Whether more depends on it than was followed."""
    tests: list[RelatedTest]
    """The most closely related ones."""
    tests_total: int
    command: str
    """Runs these tests."""
    files: list[FileContext]
    not_measured: Annotated[dict[str, str], Field(exclude_if=lambda it: not it)]
    """What could not be found out about the files, and why."""
    run_by: Annotated[list[AutomationStep], Field(exclude_if=lambda it: not it)]
    """Lines of workflows, container and Compose files that run, build or copy its files."""
    comments: CommentsShown = NO_COMMENTS
    """Open comments on the subject."""
    profiled: Annotated[list[ProfiledShare], Field(exclude_if=lambda it: not it)]
    """What its functions take of the newest profile that was ingested."""

    view = View["ImpactReport"](
        title="Impact",
        headline=lambda it: [
            _impact(it),
            *(line for account in it.accounts for line in account.sentences()),
        ],
        tables=(
            Table(
                rows=lambda it: it.changes,
                columns=(Column("status"), Column("kind"), Column("name"), location()),
                title="Changed",
                summary_rows=10,
            ),
            Table(
                rows=lambda it: it.misfits,
                columns=(location(), Column("callee"), Column("problem")),
                title="Calls that no longer fit",
                summary_rows=_MAX_SHOWN,
            ),
            Table(
                rows=lambda it: it.still_used,
                columns=(Column("uses"), Column("certainty", heading="sure"), location()),
                title="Still uses what is gone",
                summary_rows=_MAX_SHOWN,
            ),
            Table(
                rows=lambda it: it.dependents,
                columns=(
                    Column("scope"),
                    Column("distance"),
                    Column("certainty", heading="sure"),
                    Column("kind"),
                    Column("id", lambda it: _short(it.id), parts=(Column("id"),)),
                    location(),
                    Column("uses", is_detail=True),
                    Column("text", is_detail=True),
                ),
                title="Depends on it, production code first, then nearest first",
                is_page=True,
                entry=_dependent,
                is_dense=True,
            ),
            Table(
                rows=lambda it: it.tests,
                columns=(Column("reason"), Column("id")),
                title=lambda it: f"Tests, {len(it.tests)} of {it.tests_total:,}",
            ),
            Table(
                rows=lambda it: it.files,
                columns=(
                    Column("file"),
                    Column("commits", heading="commits in a year"),
                    Column("owners", lambda it: ", ".join(it.owners) or None),
                    Column("changes_with", lambda it: ", ".join(it.changes_with) or None),
                    Column("defect_probability", heading="defect", spec=".0%"),
                ),
                title="Files",
            ),
            Table(
                rows=lambda it: it.run_by,
                columns=(Column("kind"), Column("target"), location()),
                title="Used by automation",
                summary_rows=_MAX_SHOWN,
            ),
            Table(
                rows=lambda it: it.profiled,
                columns=(
                    Column("share", lambda it: f"{it.share:.1%}", parts=(Column("share"),)),
                    Column("symbol"),
                    Column("run_id", lambda it: it.run_id[:12], heading="run"),
                ),
                title="Share of the newest profile, without callees",
            ),
            COMMENTS_TABLE,
        ),
        notes=lambda it: [f"run: {it.command}"] if it.command else [],
    )

    def lacks(self) -> list[str]:
        """Return also what could not be found out about the files."""
        return [*super().lacks(), *not_measured(self.not_measured)]


def _impact(report: ImpactReport) -> str:
    more = " or more" if report.is_cut else ""
    said = f"{report.subject}: {counted(report.total, 'dependent')}{more}, "
    said += counted(report.tests_total, "related test")
    if report.misfits:
        misfits = counted(len(report.misfits), "call no longer fits", "calls no longer fit")
        said += f", {misfits}"
    gone = counted(len(report.still_used), "use")
    return said + (f", {gone} of what is gone" if report.still_used else "")


class CallReport(PerSymbolReport):
    """Calls, nearest first; those of a path in order."""

    symbol: str
    direction: Direction
    to: str | None
    """The end of the path, if one was asked for."""
    certain: int
    possible: int
    unresolved: int
    """Calls of methods that too many types have to list them."""
    accounts: list[NameAccount]
    """Every line that has the name, by what it is; then those of the callers that were followed."""
    body: Annotated[BodyCalls | None, Field(exclude_if=lambda it: it is None)] = None
    """Of callees: what each call in the function is of."""
    scopes: dict[CodeScope, int]
    """How many calls are in each kind of code."""
    calls: list[FunctionCall]
    total: int
    next_cursor: str | None
    recursive: Annotated[list[str], Field(exclude_if=lambda it: not it)]
    """The functions that were followed and call themselves, each with its first place."""
    cut_code: Annotated[int, Field(exclude_if=lambda it: not it)] = 0
    """Places that have one line of a longer statement."""
    beside: Annotated[Sequence[FunctionCall], Field(exclude=True)] = ()
    """The calls in the other direction, for the picture."""

    view = View["CallReport"](
        title="Calls",
        headline=lambda it: [
            _headline(it),
            *all_sentences(it.accounts),
            *([it.body.sentence()] if it.body else []),
        ],
        tables=(
            Table(
                rows=lambda it: it.calls,
                columns=(
                    Column("scope"),
                    Column("depth"),
                    Column(
                        "certainty",
                        lambda it: it.certainty + (", handed on" if it.is_value else ""),
                        heading="sure",
                        parts=(Column("certainty"), Column("is_value")),
                    ),
                    Column("caller", lambda it: _short(it.caller), parts=(Column("caller"),)),
                    Column("callee", lambda it: _short(it.callee), parts=(Column("callee"),)),
                    location(),
                    Column("places", is_detail=True),
                    Column("text"),
                ),
            ),
        ),
        pictures=(
            Picture(
                name="calls",
                title="Who calls it, and what it calls",
                rows=lambda it: _map(it).rows if it.calls or it.beside else (),
                spec=lambda it: {**_spec(it)},
                alt=lambda it, _: describe_calls(it.symbol, *_sides(it), _map(it).left_out),
                text=lambda rows: [*_as_text(rows)],
                link="link",
            ),
        ),
        notes=lambda it: list(_notes(it)),
    )

    def own_text(self) -> str:
        """Return the calls by file, with their code; other formats have a table."""
        if self.format not in {"summary", "full", "detailed"}:
            return super().own_text()
        return places_text(self, self.calls, self._label, Counter(self.scopes))

    def _label(self, call: FunctionCall) -> str:
        """Name both ends of a call, but not the symbol that was asked for."""
        ends = [_short(it) for it in (call.caller, call.callee) if it != self.symbol]
        sure = "" if call.certainty == "certain" else f"{call.certainty}: "
        more = ", ".join(f"{it:,}" for it in call.lines[1:])
        away = f", {call.depth} calls away" if call.depth > 1 else ""
        again = f", again at {more}" if more else ""
        return f"{sure}{' → '.join(ends)}{away}{again}"


def _sides(report: CallReport) -> tuple[Sequence[FunctionCall], Sequence[FunctionCall]]:
    """Return the callers and the callees; a path is one of callees."""
    is_callers = report.direction == "callers" and report.to is None
    return (report.calls, report.beside) if is_callers else (report.beside, report.calls)


def _map(report: CallReport) -> CallMap:
    return call_map(report.symbol, *_sides(report))


def _spec(report: CallReport) -> Specification:
    sides = _sides(report)
    kinds = sorted({call.certainty for side in sides for call in side})
    return node_link(list(kinds), _map(report).height, "Calls", is_across=True)


def _as_text(rows: Sequence[PictureRow]) -> Iterator[str]:
    named = (
        (f"{_short(str(it['source']))} → {_short(str(it['target']))}", it["count"])
        for it in rows
        if it.get("is_edge")
    )
    yield from bars("call", "count")([{"call": call, "count": count} for call, count in named])


def _short(symbol: str) -> str:
    """Return a name without its file, which the location has; all of it for a file."""
    return symbol.rpartition("::")[2]


def _headline(report: CallReport) -> str:
    counts = f"{report.certain:,} certain, {report.possible:,} possible"
    if report.to is not None and not report.total:
        return f"No path of calls leads from {report.symbol} to {report.to}."
    if report.to is not None:
        return f"{report.symbol} reaches {report.to} by {counted(report.total, 'call')}: {counts}"
    return f"{report.direction} of {report.symbol}: {counts}"


def _notes(report: CallReport) -> Iterator[str]:
    if report.recursive:
        yield f"calls itself: {first_of(report.recursive, _MAX_SHOWN)}"
    if report.unresolved:
        calls = counted(report.unresolved, "call")
        yield f"not listed: {calls} of a method that many types have, on an object of unknown type"
    if report.cut_code:
        yield f"{report.cut_code:,} statements are cut to one line; a larger budget shows them"


class HistoryCommit(Item):
    """A commit that changed it."""

    commit: str
    """Its id; uncommitted for what is not committed yet."""
    date: str | None
    author: str
    subject: str
    path: str
    """The path of the file then."""
    added: int | None
    deleted: int | None
    lines: list[str]
    """The lines of today that come from it, as ranges."""


class HistoryReport(Report):
    """Commits, newest first."""

    file: str
    start_line: int
    end_line: int
    commits: list[HistoryCommit]
    total: int
    next_cursor: str | None
    authors: dict[str, int]
    """How many of the lines of today each wrote."""

    view = View["HistoryReport"](
        title="History",
        headline=lambda it: [it.headline()],
        tables=(
            Table(
                rows=lambda it: it.commits,
                columns=(
                    Column("commit", lambda it: it.commit[:_SHOWN_ID] if it.date else it.commit),
                    Column("date", lambda it: it.date and it.date[:10]),
                    Column("author"),
                    Column("added", heading="+"),
                    Column("deleted", heading="-"),
                    Column("lines", lambda it: ", ".join(it.lines), heading="current lines"),
                    Column("subject"),
                    Column("path", is_detail=True),
                ),
            ),
        ),
    )

    def headline(self) -> str:
        """Return how many commits and people there are."""
        place = f"{plain(self.file)}:{self.start_line}-{self.end_line}"
        people = ", ".join(f"{plain(name)} {count:,}" for name, count in self.authors.items())
        said = f"; current lines by {people}" if people else ""
        return f"{counted(self.total, 'commit')} changed {place}{said}"


def commit_row(commit: FileCommit) -> HistoryCommit:
    """Return what is shown of a commit."""
    return HistoryCommit(
        commit=commit.id,
        date=None if commit.time is None else commit.time.isoformat(),
        author=commit.author,
        subject=commit.subject,
        path=commit.path,
        added=commit.added,
        deleted=commit.deleted,
        lines=_ranges(commit.lines),
    )


def _ranges(lines: tuple[int, ...]) -> list[str]:
    found = []
    for _, run in groupby(enumerate(lines), lambda it: it[1] - it[0]):
        numbers = [line for _, line in run]
        first, last = numbers[0], numbers[-1]
        found.append(str(first) if first == last else f"{first}-{last}")
    return found


def lines_by_author(found: list[FileCommit]) -> dict[str, int]:
    """Return how many of the lines of today each author wrote, the most first."""
    counts: dict[str, int] = {}
    for commit in found:
        if commit.author:
            counts[commit.author] = counts.get(commit.author, 0) + len(commit.lines)
    ranked = sorted(counts.items(), key=lambda it: (-it[1], it[0]))
    return {name: count for name, count in ranked if count}
