"""Read a result that was too big to send."""

from typing import Annotated

from pydantic import Field

from benchpin.core import (
    Bench,
    Effect,
    InvalidCursor,
    InvalidParams,
    Params,
    Result,
    decode_cursor,
    encode_cursor,
    tool,
)


class ReadResultParams(Params):
    """Which result, and from where."""

    id: Annotated[str, Field(pattern=r"^(result://)?[0-9a-f]{16}(/[0-9]+)?$")]
    """The id of the stored result, or its result:// URI."""
    cursor: str | None = None
    """Where to go on: the next_cursor of the page before."""
    max_bytes: Annotated[int, Field(ge=1_000, le=1_000_000)] = 30_000
    """How much to return at most."""


class ResultPage(Result):
    """Some of a stored result."""

    id: str
    mime_type: str
    size_bytes: int
    text: str
    next_cursor: str | None

    def to_text(self) -> str:
        """Return the page, and how to go on."""
        if self.next_cursor is None:
            return self.text
        return f"{self.text}\n… of {self.size_bytes:,} bytes; next_cursor={self.next_cursor}"


@tool(title="Read a stored result", effect=Effect.READ)
def read_result(params: ReadResultParams, bench: Bench) -> ResultPage:
    """Return one page of a result that was stored because it was too long to send.

    Use it when an answer ends with a result:// link.
    """
    result_id = params.id.removeprefix("result://").partition("/")[0]
    stored = bench.results.find(result_id)
    if stored.is_binary:
        raise InvalidParams(
            f"Result {result_id} is no text: {stored.mime_type}",
            suggestion=f"Read the resource {stored.uri}, and {stored.uri}/2 and so on, as blobs.",
        )
    offset = 0 if params.cursor is None else decode_cursor(stored.uri, params.cursor)
    if not isinstance(offset, int):
        raise InvalidCursor(
            "The cursor does not mean a place in a stored result",
            suggestion="Begin again without a cursor.",
        )
    page = bench.results.read(result_id, offset, params.max_bytes)
    following = page.next_offset
    return ResultPage(
        id=result_id,
        mime_type=stored.mime_type,
        size_bytes=stored.size_bytes,
        text=page.text,
        next_cursor=None if following is None else encode_cursor(stored.uri, following),
    )
