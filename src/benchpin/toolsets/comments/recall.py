"""Recall notes about code."""

from typing import Annotated

from pydantic import Field

from benchpin.code.changes import find_deltas
from benchpin.comments.remembering import RecallQuery, recall_notes
from benchpin.core.calls import Bench
from benchpin.core.text import counted
from benchpin.core.tools import Effect, Rare, tool
from benchpin.facts import FileSelection
from benchpin.present import Column, ListParams, Report, Table, View

from ._protocol import damaged_files
from ._recalled_notes import RecalledNote, note_lines, note_of
from ._tool_comments import ToolComments
from .remember import ALSO_AT, Where, place_named

_CHARS_PER_TOKEN = 4


class RecallParams(ListParams):
    """What the notes are needed for."""

    query: Annotated[str, Field(max_length=1_000)] = ""
    """Words."""
    at: Annotated[tuple[Where, ...], Field(max_length=20), ALSO_AT] = ()
    """path:line, symbol, file or folder."""
    diff: Annotated[str, Field(max_length=200)] | None = None
    """What matters for a change: uncommitted, staged, a revision, A..B."""
    budget: Rare[Annotated[int, Field(ge=100, le=20_000)]] = 1_500
    """Tokens of notes to return."""
    with_resolved: Rare[bool] = False
    """Also notes that are resolved."""


class NotesRecalled(Report):
    """The notes that matter, best first."""

    found: list[RecalledNote]
    total: int
    next_cursor: str | None
    kept: int
    """Those that match, or if none does, all of the workspace: a zero says what it is."""
    left_out: int
    """Notes of this page that did not fit the budget."""
    damaged: list[str] = Field(default_factory=list)

    view = View["NotesRecalled"](
        title="Notes",
        headline=lambda it: [_headline(it)],
        tables=(
            Table(
                rows=lambda it: it.found,
                columns=(
                    Column("place"),
                    Column("state"),
                    Column("text"),
                    Column("author"),
                    Column("created"),
                    Column("commit"),
                    Column("id"),
                ),
                entry=lambda _report, number, it: note_lines(number, it),
            ),
        ),
        notes=lambda it: (
            [f"{counted(it.left_out, 'more note')} did not fit the budget"] if it.left_out else []
        ),
    )

    def lacks(self) -> list[str]:
        """Return whose notes may be missing."""
        return damaged_files(self.damaged)


def _headline(report: NotesRecalled) -> str:
    if report.total:
        return f"{counted(report.total, 'note')}:"
    if report.kept:
        return f"No note matches, of {counted(report.kept, 'note')} in the workspace"
    return "No notes are kept in this workspace"


@tool(
    title="Recall notes",
    effect=Effect.READ,
    also=(
        "what do we know about this code, read memory, notes on a file, what must I keep in mind "
        "for this change, earlier decisions, gotchas, is it still true"
    ),
)
def recall(params: RecallParams, bench: Bench) -> NotesRecalled:
    """Return the notes that matter for words, places or a change, best first.

    Each says whether its code is the same, moved, changed or gone since it was written.
    """
    comments = ToolComments(bench)
    selection = FileSelection(bench.session, bench.permissions, bench.job)
    deltas = () if params.diff is None else find_deltas(selection, params.diff).files
    wanted = RecallQuery(
        words=params.query,
        places=[place_named(it, bench) for it in params.at],
        deltas=deltas,
        with_resolved=params.with_resolved,
    )
    page = params.page(recall_notes(comments, wanted))
    room = params.budget * _CHARS_PER_TOKEN
    notes: list[RecalledNote] = []
    for found in page.items:
        note = note_of(found)
        room -= sum(map(len, note_lines(len(notes) + 1, note)))
        if room < 0 and notes:
            break
        notes.append(note)
    return NotesRecalled(
        found=notes,
        total=page.total,
        kept=page.total or len(recall_notes(comments, RecallQuery(with_resolved=True))),
        next_cursor=page.next_cursor,
        left_out=len(page.items) - len(notes),
        damaged=sorted(comments.all.damaged),
        format=params.format,
    )
