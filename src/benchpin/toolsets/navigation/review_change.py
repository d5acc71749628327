"""Review a change as a careful colleague would."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.code.accounting import NameAccount
from benchpin.comments.shown import COMMENTS_TABLE, NO_COMMENTS, CommentsShown
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.facts import FileSelection
from benchpin.present import Column, FindingParams, Report, Table, View, location
from benchpin.project.review import LEVELS, RULES, ReviewFinding, ReviewState, as_finding

from ._changes import (
    REMARK_COLUMNS,
    ChangedFileRow,
    ChangedSymbolRow,
    ChangeParams,
    not_compared,
    read_change,
    review_with,
    size_of_change,
)
from ._places import accounts_of_change

_MAX_LISTED, _MAX_SYMBOLS = 200, 20  # the second in a summary


class ReviewParams(FindingParams, ChangeParams):
    """Which change to review."""

    fail_on_error: Rare[bool] = False
    """If a finding is an error, exit with code 1; over MCP, mark the result as an error."""
    checkers: Rare[bool] = False
    """Also run the project's own checkers before and after the change (needs execute)."""


class ChangeReview(Report):
    """What to look at, the most serious first, and what changed."""

    compared: str
    """What was compared."""
    is_clean: bool
    """Whether there is no error among the findings."""
    checked: str
    """How much was looked at, and what was not."""
    accounts: list[NameAccount]
    """Every line that has the names of what changed, by what it is."""
    findings: list[ReviewFinding]
    total: int
    next_cursor: str | None
    by_level: dict[str, int]
    symbols: list[ChangedSymbolRow]
    """The first that changed; show_changes has all."""
    symbol_total: int
    files: list[ChangedFileRow]
    not_read: dict[str, str]
    """Files that could not be compared, and why."""
    comments: CommentsShown = NO_COMMENTS
    """Open comments on what changed."""
    fails: Annotated[bool, Field(exclude=True)] = False
    view = View["ChangeReview"](
        title="Review",
        headline=lambda it: it.headline(),
        tables=(
            Table(
                rows=lambda it: it.findings,
                columns=REMARK_COLUMNS,
                title="Findings, most serious first",
                findings=lambda it: [as_finding(it)],
            ),
            Table(
                rows=lambda it: it.shown_symbols(),
                columns=(*map(Column, ("status", "kind", "name")), location(end_line="end_line")),
                title="What changed",
            ),
            COMMENTS_TABLE,
        ),
        notes=lambda it: it.notes(),
        rules=RULES,
    )

    def headline(self) -> Iterator[str]:
        """Return how much changed, and what was found."""
        yield size_of_change(self.compared, self.files, self.symbols, self.text_style)
        if self.files:
            levels = (counted(count, level) for level, count in self.by_level.items())
            yield f"{', '.join(levels) or 'no findings'}; checked: {self.checked}"
            yield from (line for it in self.accounts for line in it.sentences())

    def shown_symbols(self) -> list[ChangedSymbolRow]:
        """Return the symbols that a reader of the summary wants; all of them in other formats."""
        return self.symbols[:_MAX_SYMBOLS] if self.format == "summary" else self.symbols

    def notes(self) -> list[str]:
        """Return where the other symbols are."""
        more = self.symbol_total - len(self.shown_symbols())
        said = f"{more:,} more symbols changed; {self.text_style.hint('show_changes lists them')}"
        return [said] if more else []

    def is_failure(self) -> bool:
        """Whether the command exits with 1."""
        return self.fails and not self.is_clean

    def lacks(self) -> list[str]:
        """Return which files could not be compared."""
        return not_compared(self.not_read)


@tool(
    title="Review a change",
    effect=Effect.READ,
    further_effect=Effect.EXECUTE,
    is_heavy=True,
    also=(
        "code review, pull request, PR summary, check my diff before commit, what did I break, "
        "is my change sound, review patch, lint the diff"
    ),
)
def review_change(params: ReviewParams, bench: Bench) -> ChangeReview:
    """Review a change: what it breaks, copies, leaves untested.

    Finds secrets, broken references and calls, complexity, copies, cycles, stale documentation.
    """
    read = read_change(params, bench, ("outline", "links", "comments", "tokens"))
    files = FileSelection(bench.session, bench.permissions, bench.job)
    state = ReviewState(files, read.files, read.symbols, bench.now(), params.checkers)
    findings, checked = review_with(state, read, params.checkers, bench)
    page, levels = params.page(findings), Counter(it.level for it in findings)
    return ChangeReview(
        compared=read.deltas.title,
        is_clean=not levels["error"],
        checked=checked,
        accounts=accounts_of_change(state.index, read.symbols, params, bench),
        findings=page.items,
        total=page.total,
        next_cursor=page.next_cursor,
        by_level={it: levels[it] for it in LEVELS if levels[it]},
        symbols=read.symbol_rows()[:_MAX_LISTED],
        symbol_total=len(read.symbols),
        files=read.file_rows(),
        not_read=dict(read.deltas.unreadable),
        comments=read.comments(bench),
        fails=params.fail_on_error,
        format=params.format,
    )
