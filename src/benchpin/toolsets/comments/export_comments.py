"""Export comments."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import Annotated, Literal

from pydantic import Field

from benchpin.core import (
    Bench,
    Content,
    Effect,
    EmbeddedResource,
    InvalidPath,
    Operation,
    ResourceLink,
    Text,
    tool,
)
from benchpin.engines.anchors import exports
from benchpin.engines.files.writing import write_atomically
from benchpin.engines.source.detect import detect_language

from ._desk import Desk, Followed
from ._model import CamelParams, CamelResult

Format = Literal["json", "markdown", "jsonl", "parquet"]
_MOST_EMBEDDED = 256 * 1024


@dataclass(frozen=True, slots=True)
class _Form:
    name: str
    mime_type: str


_FORMS: Mapping[Format, _Form] = {
    "json": _Form("comments.json", "application/json"),
    "markdown": _Form("comments.md", "text/markdown"),
    "jsonl": _Form("training-data.jsonl", "application/x-ndjson"),
    "parquet": _Form("comments.parquet", "application/vnd.apache.parquet"),
}


class ExportOptions(CamelParams):
    """What else to export."""

    include_source_context: bool = False
    """Include surrounding code lines."""
    context_lines: Annotated[int, Field(ge=0, le=20)] = 3
    """Lines of context before/after."""


class ExportParams(CamelParams):
    """Which comments, and how."""

    format: Format
    """Export format; jsonl is AI training data, one prompt and completion a line."""
    file_path: str | None = None
    """Optional: Export only specific file (omit for all files)."""
    options: ExportOptions = Field(default_factory=ExportOptions)
    """What else to export."""
    output_path: str | None = None
    """Optional: Write the export to this file of the workspace; writing must be allowed."""


class Exported(CamelResult):
    """What was exported, and where it is."""

    format: Format
    total_comments: int
    size_bytes: int
    uri: str
    """export:// when it comes along, result:// or file:// when it is to be read."""
    content: Content = Field(exclude=True)

    def to_text(self) -> str:
        """Return a text as it is; of anything else, where it is."""
        if isinstance(self.content, EmbeddedResource) and isinstance(self.content.body, str):
            return self.content.body
        hint = (
            "" if self.uri.startswith("file://") else ". Give an output path to have it in a file"
        )
        size = f"{self.total_comments:,} comments, {self.size_bytes:,} bytes"
        return f"Exported {size}: {self.uri}{hint}"

    def to_content(self) -> Sequence[Content]:
        """Return the export, or a link to it."""
        if isinstance(self.content, ResourceLink):
            return (*self.warnings(), Text(self.to_text()), self.content)
        return (*self.warnings(), self.content)

    def metadata(self) -> Mapping[str, object]:
        """Return what stands beside the content."""
        return {
            "format": self.format,
            "totalComments": self.total_comments,
            "sizeBytes": self.size_bytes,
        }


@tool(title="Export comments", effect=Effect.READ)
def export_comments(params: ExportParams, bench: Bench) -> Exported:
    """Export comments as JSON, Markdown, AI training data (jsonl) or a Parquet table.

    Large exports are stored and linked.
    """
    desk = Desk(bench)
    found: Iterable[Followed]
    if params.file_path is None:
        found = desk.follow_all(bench.job.each(list(desk.contents.files), "files"))
    else:
        found = desk.follow_into(desk.commented(params.file_path))
    records = [record for followed in found for record in _records(followed, params.options, desk)]
    records.sort(key=lambda it: (it.path, it.standing.line, it.comment.id))
    body = _body(params.format, records)
    size = len(body.encode("utf-8", "replace") if isinstance(body, str) else body)
    content = _deliver(params, body, size, desk)
    return Exported(
        format=params.format,
        total_comments=len(records),
        size_bytes=size,
        uri=content.uri,
        content=content,
    )


def _records(followed: Followed, options: ExportOptions, desk: Desk) -> Iterator[exports.Record]:
    """Give the comments of a file with the code that they are about, as it is or as it was."""
    read_now = cache(desk.read_now)
    for comment, standing in followed.comments:
        document = None if standing.is_orphaned else read_now(standing.path)
        marker = followed.sidecar.marker_of.get(comment.id)
        anchor = None if marker is None else marker.anchor
        lines: Sequence[str] = ()
        at, first = 0, 1
        if document is not None:
            lines, at = document.lines, standing.line
        elif anchor is not None:
            lines = (*anchor.before, anchor.text, *anchor.after)
            at = len(anchor.before) + 1
            first = max(1, anchor.line - len(anchor.before))
        context = None
        if options.include_source_context and lines:
            near = exports.context_around(lines, at, options.context_lines)
            context = exports.Context(near.start_line + first - 1, near.lines)
        yield exports.Record(
            comment=comment,
            standing=standing,
            language=detect_language(standing.path, bytes) or "",
            symbol="" if anchor is None else anchor.symbol,
            line_text=lines[at - 1] if 1 <= at <= len(lines) else "",
            context=context,
        )


def _body(form: Format, records: Sequence[exports.Record]) -> str | bytes:
    match form:
        case "json":
            return exports.to_json(records)
        case "markdown":
            return exports.to_markdown(records)
        case "jsonl":
            return exports.to_jsonl(records)
        case "parquet":
            return exports.to_parquet(records)


def _deliver(
    params: ExportParams, body: str | bytes, size: int, desk: Desk
) -> EmbeddedResource | ResourceLink:
    """Put an export where the caller wants it, or finds it."""
    bench, form = desk.bench, _FORMS[params.format]
    if params.output_path is not None:
        path = _write(params.output_path, body, bench)
        return ResourceLink(f"file://{path}", path.name, form.mime_type, "The export", size)
    if size <= _MOST_EMBEDDED:
        return EmbeddedResource(f"export://{form.name}", form.mime_type, body)
    stored = bench.results.store(body, form.mime_type)
    return ResourceLink(stored.uri, form.name, form.mime_type, "The export, in pages", size)


def _write(output_path: str, body: str | bytes, bench: Bench) -> PurePosixPath:
    bench.require(Effect.WRITE, "Writing an export into the workspace")
    place = bench.path(output_path, Operation.WRITE)
    if place == bench.workspace.root:
        raise InvalidPath(f"{output_path!r} is the workspace", suggestion="Name a file in it.")
    path = bench.workspace.relative(place)
    content = body.encode("utf-8", "replace") if isinstance(body, str) else body
    write_atomically(bench.workspace.root, path, content)
    return path
