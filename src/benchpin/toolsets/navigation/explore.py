"""Answer a question about code in one call."""

from typing import Annotated

from pydantic import Field

from benchpin.code.references import FunctionCall
from benchpin.comments.shown import COMMENTS_TABLE, NO_COMMENTS, CommentsShown, comments_within
from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.text import plain
from benchpin.core.tools import AlsoNamed, Effect, Params, Rare, tool
from benchpin.facts import FileSelection
from benchpin.measures.history import LastCommit
from benchpin.present import Column, Format, Report, Table, View, location
from benchpin.project.explore import Excerpted, UsedSetting, answer
from benchpin.workspace.walking import ScopeChoice


class ExploreParams(Params):
    """What to find out."""

    question: Annotated[
        Annotated[str, Field(max_length=500)], AlsoNamed(("symbol", "query", "subject"))
    ]
    """In words, or a name."""
    budget: Annotated[int, Field(ge=300, le=30_000)] = 3_000
    """The most tokens of the answer."""
    scope: Rare[ScopeChoice] = "all"
    """Which code."""
    format: Rare[Format] = "summary"
    """How to show it; csv has the definitions."""


def _short(symbol_id: str) -> str:
    """Return the name of a symbol; the path of code outside of functions."""
    path, _, name = symbol_id.partition("::")
    return plain(name or path)


class ExploreReport(Report):
    """The definitions that matter for a question, best first, and what is around them."""

    question: str
    definitions: list[Excerpted]
    calls: list[FunctionCall]
    """How the definitions call one another."""
    entered_by: list[FunctionCall]
    """Who calls them from elsewhere, production before tests."""
    settings: list[UsedSetting]
    """Constants, variables and fields that they use."""
    commits: list[LastCommit]
    """The last commits on their files."""
    headline: str
    """How many definitions there are, and among how many."""
    not_shown: list[str]
    """What the answer does not show: the next best candidates, lines, unknown words."""
    comments: CommentsShown = NO_COMMENTS
    """Open comments on the definitions."""

    view = View["ExploreReport"](
        title="Answer",
        headline=lambda it: [it.headline],
        tables=(
            Table(
                rows=lambda it: it.definitions,
                columns=(Column("kind"), location(end_line="end_line"), Column("id")),
                entry=lambda _report, _number, it: [plain(it.heading), *it.code.splitlines()],
            ),
            Table(
                rows=lambda it: it.calls,
                columns=(
                    Column("caller", lambda it: _short(it.caller)),
                    Column("callee", lambda it: _short(it.callee), heading="calls"),
                    Column("line"),
                ),
                title="How they call one another:",
            ),
            Table(
                rows=lambda it: it.entered_by,
                columns=(
                    Column("certainty", heading="sure"),
                    Column("callee", lambda it: _short(it.callee), heading="calls of"),
                    location(),
                    Column("caller", lambda it: _short(it.caller), heading="in"),
                    Column("text"),
                ),
                title="Called from elsewhere:",
            ),
            Table(
                rows=lambda it: it.settings,
                columns=(Column("name"), Column("kind"), Column("uses"), location()),
                title="Settings and fields:",
            ),
            Table(
                rows=lambda it: it.commits,
                columns=(Column("commit"), Column("date"), Column("subject")),
                title="Last commits on these files:",
            ),
            COMMENTS_TABLE,
        ),
        notes=lambda it: it.not_shown,
    )


@tool(
    title="Explore a question",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "how does it work, where is it decided, where is something handled, understand a feature, "
        "explain the code, which code does this, code for a question, search by meaning, semantic "
        "search, find the implementation of a behaviour, context for a task"
    ),
)
def explore(params: ExploreParams, bench: Bench) -> ExploreReport:
    """Answer how something works or where it is decided, in one call, from words or a name.

    Shows the definitions that matter with their code, how they call one another, who calls them,
    the settings they use and the last commits.
    """
    if not params.question.strip():
        raise InvalidParams(
            "The question is empty",
            suggestion="Ask in words, such as `where is a failed delivery tried again`.",
        )
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    found = answer(selection, params.question, params.budget, params.scope)
    return ExploreReport(
        question=params.question,
        definitions=found.shown,
        calls=found.calls,
        entered_by=found.entered_by,
        settings=found.settings,
        commits=found.commits,
        headline=found.headline(),
        not_shown=found.not_shown(),
        comments=comments_within(bench, ((it.file, it.line, it.end_line) for it in found.shown)),
        format=params.format,
    )
