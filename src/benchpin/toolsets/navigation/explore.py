"""Answer a question about code in one call."""

from typing import Annotated

from pydantic import Field

from benchpin.comments.shown import comments_within
from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.tools import AlsoNamed, Effect, Params, Rare, tool
from benchpin.facts import FileSelection
from benchpin.present import Format
from benchpin.project.explore import answer
from benchpin.workspace.walking import ScopeChoice

from ._explored import ExploreReport


class ExploreParams(Params):
    """What to find out."""

    question: Annotated[
        Annotated[str, Field(max_length=500)], AlsoNamed(("symbol", "query", "subject"))
    ]
    """The words that code has for it, such as `mfa otp required login`; or a name."""
    budget: Annotated[int, Field(ge=300, le=30_000)] = 3_500
    """Maximum tokens of the answer."""
    scope: Rare[ScopeChoice] = "all"
    """Which code."""
    format: Rare[Format] = "summary"
    """How to show it; csv has the definitions."""


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
    """Answer how something works or where it is decided.

    Use words of the code, as `mfa login`. Shows the definitions that matter with their
    code, how they call one another, who calls them, the settings they use and the last commits.
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
