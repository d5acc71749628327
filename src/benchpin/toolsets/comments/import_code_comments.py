"""Import the TODO and FIXME comments in the code, or notes from GitHub or git."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.comments.batches import Imported, import_tagged
from benchpin.core.calls import Bench
from benchpin.core.text import counted, plain, sendable
from benchpin.core.tools import Effect, PathArgument, Rare, tool
from benchpin.facts import FileFacts, SourceQuery, open_index
from benchpin.measures.debt import TaggedComment, find_tagged
from benchpin.present import Column, Table, View, location

from ._foreign_notes import Source, import_notes
from ._protocol import TAGS, Author, CamelListParams, CamelReport, Tag, damaged_files
from ._tool_comments import ToolComments

_MAX_NAMED = 10


class ImportParams(CamelListParams):
    """The comments to import."""

    source: Rare[Source] = "code"
    """code, github (the JSON of `gh api repos/O/N/pulls/1/comments`, in `input`) or git-notes."""
    input: Rare[str | None] = None
    """The file with the JSON of GitHub; or a ref of git notes, by default the usual ones."""

    file_path: PathArgument[str | None] = None
    """File or folder to import from; the whole workspace by default."""
    tags: Rare[tuple[Tag, ...]] = TAGS
    """Which tags to import."""
    author: Rare[Author] = "code"
    """The author of the imported comments."""
    dry_run: Rare[bool] = False
    """Write nothing; only report what would be imported."""


def _headline(report: "ImportReport") -> str:
    verb = "Would import" if report.dry_run else "✅ Imported"
    count = f"{counted(report.total, 'comment')} from {counted(report.files, 'file')}"
    return f"{verb} {count}; {report.already_imported} already imported"


def _notes(report: "ImportReport") -> Iterator[str]:
    if report.next_cursor is None and report.total > len(report.comments):
        yield f"{len(report.comments)} of {report.total}"
    yield from (f"Not imported: {plain(it)}" for it in report.unusable[:_MAX_NAMED])


class ImportReport(CamelReport):
    """The imported comments."""

    total: Annotated[int, Field(alias="imported")]
    already_imported: int
    files: int
    comments: list[Imported]
    """The new ones."""
    next_cursor: str | None
    skipped: list[str]
    """Files whose sidecars are damaged."""
    unusable: list[str] = Field(default_factory=list)
    """Notes that could not be imported, and why."""
    dry_run: bool

    view = View["ImportReport"](
        title="Imported code comments",
        headline=lambda it: [_headline(it)],
        tables=(
            Table(
                rows=lambda it: it.comments,
                columns=(
                    location("file_path"),
                    Column("tag"),
                    Column("text", lambda it: " ".join(it.text.split()), parts=(Column("text"),)),
                    Column("commentId", lambda it: it.comment_id, heading="comment"),
                ),
            ),
        ),
        notes=_notes,
    )

    def lacks(self) -> list[str]:
        """Return whose comments could not be imported."""
        return damaged_files(self.skipped)


@tool(
    title="Import code comments",
    effect=Effect.RECORD,
    is_heavy=True,
    also=(
        "turn TODO comments of the code into notes, collect existing TODO and FIXME remarks, "
        "track them, make notes from the TODOs, GitHub review comments, git notes"
    ),
)
def import_code_comments(params: ImportParams, bench: Bench) -> ImportReport:
    """Import TODO, FIXME, NOTE and similar comments from the code.

    The code stays as it is. Comments that were imported before are not imported again. Also
    imports review comments of GitHub and git notes.
    """
    comments = ToolComments(bench)
    if params.source != "code":
        return _foreign(params, comments, bench)
    start = "" if params.file_path is None else str(comments.existing(params.file_path))
    query = SourceQuery(start=start, sections=("comments",))
    sources = open_index(bench.session).read(query, bench.job, comments.files.may_read)
    damaged = comments.all.damaged
    found = [(it, list(_chosen(it, params))) for it in sources.files if it.path not in damaged]
    results = [
        import_tagged(comments, file.path, members, params.author, dry_run=params.dry_run)
        for file, members in bench.job.each([it for it in found if it[1]], "files")
    ]
    page = params.page([it for new, _ in results for it in new])
    return ImportReport(
        total=page.total,
        already_imported=sum(known for _, known in results),
        files=sum(bool(new) for new, _ in results),
        comments=page.items,
        # What was imported is not new any more: only a dry run has the same list again.
        next_cursor=page.next_cursor if params.dry_run else None,
        skipped=[sendable(it.path) for it in sources.files if it.path in damaged],
        dry_run=params.dry_run,
        format=params.format,
    )


def _foreign(params: ImportParams, comments: ToolComments, bench: Bench) -> ImportReport:
    new, known, unusable = import_notes(
        params.source, params.input, comments, bench, dry_run=params.dry_run
    )
    page = params.page(new)
    return ImportReport(
        total=page.total,
        already_imported=known,
        files=len({it.file_path for it in new}),
        comments=page.items,
        next_cursor=page.next_cursor if params.dry_run else None,
        skipped=[],
        unusable=unusable,
        dry_run=params.dry_run,
        format=params.format,
    )


def _chosen(file: FileFacts, params: ImportParams) -> Iterator[TaggedComment]:
    return (it for it in find_tagged(file.comments) if it.tag in params.tags)
