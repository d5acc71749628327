"""The comments of an export, each with its code."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from benchpin.comments.anchoring import SourceFiles
from benchpin.facts.languages import detect_language

from ._comment import PlacedComment
from ._workspace_comments import PlacedSidecar


@dataclass(frozen=True, slots=True)
class CodeExcerpt:
    """The lines around a comment."""

    start_line: int
    lines: tuple[str, ...]

    @property
    def code(self) -> str:
        """The lines, joined."""
        return "".join(f"{line}\n" for line in self.lines)


@dataclass(frozen=True, slots=True)
class ExportRecord:
    """A comment and the code that it is about."""

    comment: PlacedComment
    language: str
    symbol: str
    """The function or type in its anchor."""
    line_text: str
    """The present text of its line; the last known one when it is orphaned."""
    context: CodeExcerpt | None
    anchored_path: str
    """The file in which it was written, as its commit had it."""
    anchored_line: int
    anchored_text: str
    """The line there, as it was."""

    @property
    def path(self) -> str:
        """The present file of the comment."""
        return self.comment.file_path


def excerpt_around(lines: Sequence[str], line: int, reach: int) -> CodeExcerpt:
    """Return a line, counted from 1, with `reach` lines above and below it."""
    first = max(1, line - reach)
    return CodeExcerpt(first, tuple(lines[first - 1 : line + reach]))


def records_of(
    found: Iterable[PlacedSidecar], files: SourceFiles, reach: int | None
) -> list[ExportRecord]:
    """Return comments by file and line, with `reach` lines around each; None for no code."""
    records = (it for placed in found for it in _records(placed, files, reach))
    return sorted(records, key=lambda it: (it.path, it.comment.line, it.comment.id))


def _records(
    placed: PlacedSidecar, files: SourceFiles, reach: int | None
) -> Iterator[ExportRecord]:
    """Yield the comments of a file with their code; that of orphans comes from the anchor."""
    for comment in placed.placed.values():
        text = None if comment.is_orphaned else files.read_now(comment.file_path)
        marker = placed.sidecar.marker_of.get(comment.id)
        anchor = None if marker is None else marker.anchor
        lines: Sequence[str] = ()
        at, first = 0, 1
        if text is not None:
            lines, at = text.lines, comment.line
        elif anchor is not None:
            lines = (*anchor.before, anchor.text, *anchor.after)
            at = len(anchor.before) + 1
            first = max(1, anchor.line - len(anchor.before))
        context = None
        if reach is not None and lines:
            near = excerpt_around(lines, at, reach)
            context = CodeExcerpt(near.start_line + first - 1, near.lines)
        yield ExportRecord(
            comment=comment,
            language=detect_language(comment.file_path, bytes) or "",
            symbol="" if anchor is None else anchor.symbol,
            line_text=lines[at - 1] if 1 <= at <= len(lines) else "",
            context=context,
            # That of a note on a folder is the file that stands for the folder.
            anchored_path=(marker.origin if marker and comment.scope != "folder" else "")
            or placed.sidecar.path,
            anchored_line=comment.line if anchor is None else anchor.line,
            anchored_text="" if anchor is None else anchor.text,
        )


def labelled(comment: PlacedComment) -> str:
    """Return the text of a comment, with its tag first."""
    if not comment.tag or comment.text.startswith(comment.tag):
        return comment.text
    return f"{comment.tag}: {comment.text}"
