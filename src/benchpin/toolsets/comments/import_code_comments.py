"""Make comments of the TODO and FIXME comments that stand in the code already."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from benchpin.core import Bench, Effect, sendable, tool
from benchpin.engines.anchors.code_comments import CodeComment, find_code_comments
from benchpin.engines.anchors.draft import Wording
from benchpin.engines.source.index import FileFacts, SourceQuery, open_index

from ._desk import Desk
from ._model import TAGS, Author, CamelItem, CamelParams, CamelResult, Tag

_MOST_LISTED = 200
_SOURCE = "importedFrom"


class ImportParams(CamelParams):
    """Which comments in the code."""

    file_path: str | None = None
    """File or folder to import from; the whole workspace by default."""
    tags: tuple[Tag, ...] = TAGS
    """Which tags to import."""
    author: Author = "code"
    """Who the imported comments are said to be from."""
    dry_run: bool = False
    """Say what would be imported, and write nothing."""


class Imported(CamelItem):
    """A comment that stands in the code."""

    file_path: str
    line: int
    tag: str
    text: str
    comment_id: str | None
    """None in a dry run."""


class ImportReport(CamelResult):
    """What was imported."""

    imported: int
    already_imported: int
    files: int
    comments: list[Imported]
    """The first of those that are new."""
    skipped: list[str]
    """Files whose comments are damaged."""
    dry_run: bool

    def to_text(self) -> str:
        """Say how many were imported, and name them."""
        verb = "Would import" if self.dry_run else "✅ Imported"
        count = f"{verb} {self.imported} code comments from {self.files} files"
        lines = [f"{count}; {self.already_imported} were imported before"]
        lines += [f"{it.file_path}:{it.line} ({it.tag}) {it.text}" for it in self.comments]
        if self.imported > len(self.comments):
            lines.append(f"{len(self.comments)} of {self.imported}")
        lines += [f"Damaged, left as it is: {it}" for it in self.skipped]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Harvest:
    new: list[Imported]
    known: int


@tool(title="Import code comments", effect=Effect.RECORD)
def import_code_comments(params: ImportParams, bench: Bench) -> ImportReport:
    """Import TODO, FIXME, NOTE and the like that stand on their own line in the code.

    The code stays as it is. What was imported before is not imported again.
    """
    desk = Desk(bench)
    start = "" if params.file_path is None else str(desk.existing(params.file_path))
    query = SourceQuery(start=start, sections=("comments",))
    index = open_index(bench.session)
    sources = index.read(query, bench.job, desk.may)
    damaged = desk.contents.damaged
    found = [(it, list(_chosen(it, params))) for it in sources.files if it.path not in damaged]
    harvests = [
        _import(desk, PurePosixPath(file.path), members, params)
        for file, members in bench.job.each([it for it in found if it[1]], "files")
    ]
    new = [it for harvest in harvests for it in harvest.new]
    return ImportReport(
        imported=len(new),
        already_imported=sum(harvest.known for harvest in harvests),
        files=sum(bool(harvest.new) for harvest in harvests),
        comments=new[:_MOST_LISTED],
        skipped=[sendable(it.path) for it in sources.files if it.path in damaged],
        dry_run=params.dry_run,
    )


def _chosen(file: FileFacts, params: ImportParams) -> Iterator[CodeComment]:
    return (it for it in find_code_comments(file.comments) if it.tag in params.tags)


def _import(
    desk: Desk, path: PurePosixPath, members: Sequence[CodeComment], params: ImportParams
) -> _Harvest:
    """Import from one file what is not there yet: the same words, as often as they stand there."""
    document = desk.read_now(str(path))
    if document is None:
        return _Harvest([], 0)
    followed = desk.follow(path)
    left = [it.extra[_SOURCE] for it in followed.sidecar.comments if _SOURCE in it.extra]
    new: list[CodeComment] = []
    for it in members:
        if it.source in left:
            left.remove(it.source)
        elif it.line <= len(document.lines):
            new.append(it)
    ids: list[str | None] = [None] * len(new)
    if new and not params.dry_run:
        anchors = [desk.anchor(path, document, it.line) for it in new]
        with desk.editing(path, document) as draft:
            ids = [
                draft.add(
                    Wording(it.text, it.tag, params.author, extra={_SOURCE: it.source}),
                    document,
                    anchor,
                    desk.bench.now(),
                ).id
                for it, anchor in zip(new, anchors, strict=True)
            ]
    name = sendable(str(path))
    shown = [
        Imported(file_path=name, line=it.line, tag=it.tag, text=it.text, comment_id=comment_id)
        for it, comment_id in zip(new, ids, strict=True)
    ]
    return _Harvest(shown, len(members) - len(new))
