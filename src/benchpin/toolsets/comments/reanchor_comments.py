"""Store the present places of comments."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.comments.batches import Reanchored, reanchored, store_places, where_stored
from benchpin.core.calls import Bench
from benchpin.core.tools import Effect, PathArgument, Rare, tool
from benchpin.present import Column, Table, View

from ._protocol import CamelListParams, CamelReport, damaged_files, suggested
from ._tool_comments import ToolComments


class ReanchorParams(CamelListParams):
    """The comments to re-anchor."""

    file_path: PathArgument[str | None] = None
    """Only the comments of this file; those of all files by default."""
    dry_run: Rare[bool] = False
    """Write nothing; only report what would change."""


def _headline(report: "ReanchorReport") -> str:
    verb = "Would re-anchor" if report.dry_run else "Re-anchored"
    counts = f"{report.moved} moved, {report.kept} kept, {report.orphaned} orphaned"
    return f"{verb}: {counts}" + (f", {report.unverified} unverified" if report.unverified else "")


def _notes(report: "ReanchorReport") -> Iterator[str]:
    if report.next_cursor is None and report.total > len(report.changes):
        yield f"{len(report.changes)} of {report.total} changes"


class ReanchorReport(CamelReport):
    """How many comments moved, and which."""

    moved: int
    kept: int
    orphaned: int
    unverified: int
    """Comments of which only a line number is known."""
    changes: list[Reanchored]
    """The comments that moved or are orphaned."""
    total: Annotated[int, Field(alias="totalChanges")]
    next_cursor: str | None
    dry_run: bool
    damaged: list[str] = Field(default_factory=list)

    view = View["ReanchorReport"](
        title="Re-anchored comments",
        headline=lambda it: [_headline(it)],
        tables=(
            Table(
                rows=lambda it: it.changes,
                columns=(
                    Column("commentId", lambda it: it.comment_id, heading="comment"),
                    Column("state"),
                    Column("from", lambda it: f"{it.from_path}:{it.from_line}"),
                    Column("to", lambda it: it.to_path and f"{it.to_path}:{it.to_line}"),
                    Column("reason"),
                    Column(
                        "suggestions",
                        lambda it: "; ".join(map(suggested, it.suggestions)) or None,
                        heading="perhaps",
                    ),
                ),
            ),
        ),
        notes=_notes,
    )

    def lacks(self) -> list[str]:
        """Return whose comments may be missing."""
        return damaged_files(self.damaged)

    def confidences(self) -> Iterator[float | None]:
        """Yield how sure the place of each comment is."""
        yield from (it.confidence for it in self.changes)


@tool(
    title="Re-anchor comments",
    effect=Effect.RECORD,
    is_heavy=True,
    also=(
        "notes point to the wrong line, after refactoring, code moved, update positions, lost "
        "remarks, orphaned, notes have slipped after a big change, find their places again"
    ),
)
def reanchor_comments(params: ReanchorParams, bench: Bench) -> ReanchorReport:
    """Store the present lines of comments after code changed.

    Reports what moved, what was kept and what is orphaned. The original anchor of a comment is
    kept. A comment whose code moved to another file moves with it.
    """
    comments = ToolComments(bench)
    paths = (
        list(comments.all.files)
        if params.file_path is None
        else [str(comments.commented(params.file_path))]
    )
    damaged = [path for path in paths if path in comments.all.damaged]
    intact = [it for it in paths if it not in damaged]
    counts: Counter[str] = Counter()
    changes: list[Reanchored] = []
    for found in comments.place_each(bench.job.each(intact, "files")):
        counts.update(where_stored(found))
        changes += reanchored(found)
        if not params.dry_run and not found.is_cut_short:
            store_places(comments, found)
    page = params.page(changes)
    return ReanchorReport(
        moved=counts["moved"],
        kept=counts["kept"],
        orphaned=counts["orphaned"],
        unverified=counts["unverified"],
        changes=page.items,
        total=page.total,
        # What was stored is no change any more: only a dry run has the same list again.
        next_cursor=page.next_cursor if params.dry_run else None,
        dry_run=params.dry_run,
        damaged=damaged,
        format=params.format,
    )
