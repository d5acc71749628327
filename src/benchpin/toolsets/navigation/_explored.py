"""What explore reports."""

from benchpin.code.references import FunctionCall
from benchpin.comments.shown import COMMENTS_TABLE, NO_COMMENTS, CommentsShown
from benchpin.core.text import plain
from benchpin.measures.history import LastCommit
from benchpin.present import Column, Report, Table, View, location
from benchpin.project.explore import Excerpted, UsedSetting

_MAX_CALL_CHARS = 90


def _short(symbol_id: str) -> str:
    """Return the name of a symbol; the path of code outside of functions."""
    path, _, name = symbol_id.partition("::")
    return plain(name or path)


def _heading(shown: Excerpted, above: Excerpted | None) -> str:
    """Return the line above code; the path only where it is another one."""
    is_same = above is not None and above.file == shown.file
    return plain(shown.heading.removeprefix(shown.file) if is_same else shown.heading)


def _entry(call: FunctionCall) -> str:
    """Return a call from elsewhere in one line; the name of what is called is in its code."""
    sure = "" if call.certainty == "certain" else f"{call.certainty}: "
    place = f"{plain(call.file)}:{call.line} {_short(call.caller)}"
    return f"{sure}{place}: {plain(call.text)[:_MAX_CALL_CHARS]}"


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
                entry=lambda report, number, it: [
                    _heading(it, report.definitions[number - 2] if number > 1 else None),
                    *it.code.splitlines(),
                ],
            ),
            Table(
                rows=lambda it: it.calls,
                columns=(
                    Column("caller", lambda it: _short(it.caller)),
                    Column("callee", lambda it: _short(it.callee), heading="calls"),
                    Column("line"),
                ),
                title="How they call one another:",
                entry=lambda _report, _number, it: [
                    f"{_short(it.caller)}:{it.line} calls {_short(it.callee)}"
                ],
                is_dense=True,
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
                entry=lambda _report, _number, it: [_entry(it)],
                is_dense=True,
            ),
            Table(
                rows=lambda it: it.settings,
                columns=(Column("name"), Column("kind"), Column("uses"), location()),
                title="Settings and fields:",
                entry=lambda _report, _number, it: [f"{plain(it.name)} {plain(it.file)}:{it.line}"],
                is_dense=True,
            ),
            Table(
                rows=lambda it: it.commits,
                columns=(Column("commit"), Column("date"), Column("subject")),
                title="Last commits on these files:",
            ),
            COMMENTS_TABLE,
        ),
        notes=lambda it: map(it.text_style.hint, it.not_shown),
    )
