"""Read a file, or some lines of it."""

import base64
from typing import Annotated, Literal

from pydantic import Field

from benchpin.comments.shown import NO_COMMENTS, CommentsShown, comments_within
from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams
from benchpin.core.results import Result
from benchpin.core.text import counted, sendable
from benchpin.core.tools import Effect, Params, Rare, tool
from benchpin.workspace.files import looks_binary, read_whole
from benchpin.workspace.writing import sha256_of

from ._texts import TextPage, mime_type_of, page_of

MAX_BYTES = 64 << 20
MAX_BASE64_BYTES = 6 << 20

LineNumber = Annotated[int, Field(ge=1)]


class FileReadParams(Params):
    """Which file, and which lines."""

    path: str
    """The file path relative to the workspace, or its file:// URI."""
    start_line: LineNumber | None = None
    """Line number to start reading from (1-indexed)."""
    end_line: LineNumber | None = None
    """Line number to stop reading at (inclusive); at most 2,000 lines are returned at once."""
    encoding: Rare[Literal["text", "base64"]] = "text"
    """base64 returns the bytes of the whole file, for binary files."""


class FileContent(Result):
    """The content, and its place in the file."""

    path: str
    content: str
    encoding: Literal["text", "base64"]
    mime_type: str
    size_bytes: int
    sha256: str
    """Of the whole file, for expected_sha256 of write_file."""
    is_binary: bool
    is_lossy: bool
    """Whether bytes that are not UTF-8 were replaced; base64 returns them all."""
    start_line: int | None
    end_line: int | None
    total_lines: int | None
    next_start_line: int | None
    """The first line of the next page, if there is one."""
    comments: CommentsShown = NO_COMMENTS
    """Open comments on these lines."""

    def to_text(self) -> str:
        """Return the content, and how to read on."""
        if self.encoding == "text" and self.is_binary:
            kind = f"{self.path} is binary: {self.mime_type}, {counted(self.size_bytes, 'byte')}."
            return f"{kind} {self.text_style.hint('Use encoding=base64 to read it.')}"
        if self.next_start_line is None:
            return self.content
        shown = f"lines {self.start_line}-{self.end_line} of {self.total_lines}"
        more = self.text_style.hint(f"continue with start_line={self.next_start_line}")
        return f"{self.content}\n[{shown}; {more}]"

    def closing_note(self) -> str:
        """Return the comments beside the content, which stays as it is."""
        lines = self.comments.lines(self.text_style)
        return "\n".join(filter(None, (*lines, self.assurance_line())))

    def document(self) -> str | None:
        """Return the text alone for a pipe or a file, if there are comments."""
        return self.to_text() if self.comments.total else None

    def beside_document(self) -> str:
        """Return the comments."""
        return self.closing_note()

    def lacks(self) -> list[str]:
        """Return what the text does not show."""
        if self.encoding == "text" and self.is_binary:
            return ["the content, which is binary"]
        return ["bytes that are not UTF-8: encoding=base64 returns them"] if self.is_lossy else []

    def has_more(self) -> bool:
        """Whether lines follow."""
        return self.next_start_line is not None

    def is_verbatim(self) -> bool:
        """Return true: it is the content of a file."""
        return True


@tool(
    title="Read a file",
    effect=Effect.READ,
    is_brief=True,
    also=(
        "open, show, view, cat, print the source text, look at lines, content of a file, what "
        "is in this file, first or last lines, open a file, show a file"
    ),
)
def read_file(params: FileReadParams, bench: Bench) -> FileContent:
    """Read the content of a file in the workspace, whole or by lines.

    Long files come in pages of 2,000 lines. For a binary file only its type and size are returned.
    """
    if params.end_line is not None and params.end_line < (params.start_line or 1):
        raise InvalidParams(
            f"end_line {params.end_line} is before start_line {params.start_line or 1}",
            suggestion="Lines are counted from 1, and both ends are included.",
        )
    path = bench.relative(params.path)
    is_base64 = params.encoding == "base64"
    limit = MAX_BASE64_BYTES if is_base64 else MAX_BYTES
    content = read_whole(bench.workspace.root, path, limit, bench.job)
    shown_path = sendable(str(path))
    is_binary = looks_binary(content)
    comments = NO_COMMENTS
    if is_base64:
        page = TextPage(base64.b64encode(content).decode())
    elif is_binary:
        page = TextPage("")
    else:
        page = page_of(shown_path, content, params.start_line or 1, params.end_line)
        comments = comments_within(bench, [(str(path), page.first or 1, page.last or 1)])
    return FileContent(
        path=shown_path,
        content=page.text,
        encoding=params.encoding,
        mime_type=mime_type_of(path.name, is_binary=is_binary),
        size_bytes=len(content),
        sha256=sha256_of(content),
        is_binary=is_binary,
        is_lossy=page.is_lossy,
        start_line=page.first,
        end_line=page.last,
        total_lines=page.total,
        next_start_line=page.next_first,
        comments=comments,
    )
