"""Export comments."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import Field

from benchpin.comments import PlacedSidecar, exports, records_of
from benchpin.core.calls import Bench, Operation
from benchpin.core.content import Content, EmbeddedResource, ResourceLink, Text
from benchpin.core.errors import InvalidPath
from benchpin.core.text import absolute_uri
from benchpin.core.tools import Effect, PathArgument, Rare, tool
from benchpin.workspace.writing import write_atomically

from ._protocol import CamelParams, CamelResult
from ._tool_comments import ToolComments

_MAX_EMBEDDED_BYTES = 256 * 1024


class ExportOptions(CamelParams):
    """What to export besides the comments."""

    include_source_context: bool = False
    """Include surrounding code lines."""
    context_lines: Annotated[int, Field(ge=0, le=20)] = 3
    """Lines of context before/after."""


class ExportParams(CamelParams):
    """The comments to export, and the format."""

    format: exports.ExportFormat
    """jsonl is AI training data; github: review comments; git-notes: input of git fast-import."""
    file_path: PathArgument[str | None] = None
    """Only this file."""
    options: Rare[ExportOptions] = Field(default_factory=ExportOptions)
    """What to export besides the comments."""
    output_path: Rare[str | None] = None
    """Optional: Write the export to this file of the workspace; writing must be allowed."""


class Exported(CamelResult):
    """The export, or where it is."""

    format: exports.ExportFormat
    total_comments: int
    size_bytes: int
    uri: str
    """export:// when it is included, result:// or file:// when it is stored."""
    content: Content = Field(exclude=True)

    def to_text(self) -> str:
        """Return an included text, otherwise its size and URI."""
        if isinstance(self.content, EmbeddedResource) and isinstance(self.content.body, str):
            return self.content.body
        wish = "" if self.uri.startswith("file://") else ". Set `outputPath` to write it to a file"
        size = f"{self.total_comments:,} comments, {self.size_bytes:,} bytes"
        return f"Exported {size}: {self.uri}{self.text_style.hint(wish)}"

    def to_content(self) -> Sequence[Content]:
        """Return the export, or a link to it."""
        if isinstance(self.content, ResourceLink):
            return (*self.warnings(), Text(self.shown_text()), self.content)
        return (*self.warnings(), self.content)

    def metadata(self) -> Mapping[str, object]:
        """Return the metadata of the protocol."""
        return {
            "format": self.format,
            "totalComments": self.total_comments,
            "sizeBytes": self.size_bytes,
        }


@tool(
    title="Export comments",
    effect=Effect.READ,
    is_heavy=True,
    also=(
        "save all notes, write remarks to a file, Markdown, download, backup, training data, "
        "spreadsheet, notes as CSV or JSON, hand over the notes"
    ),
)
def export_comments(params: ExportParams, bench: Bench) -> Exported:
    """Export comments as JSON, Markdown, AI training data (jsonl) or a Parquet table.

    Large exports are stored and linked.
    """
    comments = ToolComments(bench)
    found: Iterable[PlacedSidecar]
    if params.file_path is None:
        found = comments.place_each(bench.job.each(list(comments.all.files), "files"))
    else:
        found = comments.place_in(comments.commented(params.file_path))
    options = params.options
    reach = options.context_lines if options.include_source_context else None
    records = records_of(found, comments.files, reach)
    if params.format == "git-notes":
        records = exports.with_commits(records, comments.files)
    body = exports.FORMATS[params.format].encode(records)
    size = len(body.encode("utf-8", "replace") if isinstance(body, str) else body)
    content = _deliver(params, body, size, bench)
    return Exported(
        format=params.format,
        total_comments=len(records),
        size_bytes=size,
        uri=content.uri,
        content=content,
    )


def _deliver(
    params: ExportParams, body: str | bytes, size: int, bench: Bench
) -> EmbeddedResource | ResourceLink:
    """Write the export to the requested file, include it, or store it when it is large."""
    form = exports.FORMATS[params.format]
    if params.output_path is not None:
        path = _write(params.output_path, body, bench)
        uri = absolute_uri(bench.workspace.root, str(path))
        return ResourceLink(uri, path.name, form.mime_type, "The export", size)
    if size <= _MAX_EMBEDDED_BYTES:
        return EmbeddedResource(f"export://{form.name}", form.mime_type, body)
    stored = bench.results.store(body, form.mime_type)
    return ResourceLink(stored.uri, form.name, form.mime_type, "The export, in pages", size)


def _write(output_path: str, body: str | bytes, bench: Bench) -> PurePosixPath:
    bench.require(Effect.WRITE, "Writing an export into the workspace", by_argument=True)
    place = bench.path(output_path, Operation.WRITE)
    if place == bench.workspace.root:
        raise InvalidPath(f"{output_path!r} is the workspace", suggestion="Name a file in it.")
    path = bench.workspace.relative(place)
    content = body.encode("utf-8", "replace") if isinstance(body, str) else body
    write_atomically(bench.workspace.root, path, content, bench.job)
    return path
