"""Read a result that was too large to send."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidCursor, InvalidParams
from benchpin.core.results import Result, decode_cursor, encode_cursor
from benchpin.core.tools import Effect, Params, Rare, tool
from benchpin.workspace.search import MAX_LINE_CHARS, compile_pattern

_CHUNK_BYTES = 1 << 20


class ReadResultParams(Params):
    """Which result, and which part."""

    id: Annotated[str, Field(pattern=r"^(result://)?[0-9a-f]{16}(/[0-9]+)?$")]
    """The id of the stored result, or its result:// URI."""
    cursor: str | None = None
    """The next_cursor of the previous page."""
    max_bytes: Rare[Annotated[int, Field(ge=1_000, le=1_000_000)]] = 30_000
    """Maximum size of a page, in bytes."""
    pattern: Annotated[str, Field(min_length=1, max_length=1_000)] | None = None
    """Only lines that match this regular expression, with numbers."""


class ResultPage(Result):
    """One page of a stored result."""

    id: str
    mime_type: str
    size_bytes: int
    text: str
    next_cursor: str | None

    def to_text(self) -> str:
        """Return the page, and the next cursor."""
        if self.next_cursor is None:
            return self.text
        more = f"More follows, of {self.size_bytes:,} bytes; next_cursor={self.next_cursor}"
        return f"{self.text}\n{self.text_style.hint(more)}"

    def as_of(self) -> str:
        """Return when it is from: files may have changed since."""
        return "when it was stored"

    def is_verbatim(self) -> bool:
        """Return true: it is a part of a stored result."""
        return True


@tool(
    title="Read a stored result",
    effect=Effect.READ,
    also=(
        "next page, rest of a long answer, continue reading, search in stored output, show "
        "more, the answer was cut off"
    ),
)
def read_result(params: ReadResultParams, bench: Bench) -> ResultPage:
    """Return one page of a result that was too large to send, or search it.

    Use it when an answer ends with a result:// link.
    """
    result_id = params.id.removeprefix("result://").partition("/")[0]
    stored = bench.results.find(result_id)
    if stored.is_binary:
        raise InvalidParams(
            f"Result {result_id} is not text: {stored.mime_type}",
            suggestion=f"Read the resource {stored.uri}, and {stored.uri}/2 and so on, as blobs.",
        )
    listing = stored.uri if params.pattern is None else f"{stored.uri} {params.pattern}"
    start = 0 if params.cursor is None else decode_cursor(listing, params.cursor)
    if not isinstance(start, int):
        raise InvalidCursor(
            "The cursor does not belong to a stored result",
            suggestion="Start again without a cursor.",
        )
    if params.pattern is None:
        size = min(params.max_bytes, bench.results.page_bytes)
        page = bench.results.read(result_id, start, size)
        text, following = page.text, page.next_offset
    else:
        text, following = _search(params, params.pattern, result_id, start, bench)
    return ResultPage(
        id=result_id,
        mime_type=stored.mime_type,
        size_bytes=stored.size_bytes,
        text=text,
        next_cursor=None if following is None else encode_cursor(listing, following),
    )


def _search(
    params: ReadResultParams, pattern: str, result_id: str, after: int, bench: Bench
) -> tuple[str, int | None]:
    """Return matching lines after line `after`, and the number of the last one if more follow."""
    matcher = compile_pattern(pattern, ignore_case=False)
    found: list[str] = []
    size, last = 0, after
    for number, line in enumerate(_lines(result_id, bench), start=1):
        if number > after and matcher.search(line.encode()) is not None:
            shown = f"{number}: {line[:MAX_LINE_CHARS]}"
            size += len(shown.encode()) + 1
            if found and size > params.max_bytes:
                return "\n".join(found), last
            found.append(shown)
            last = number
    return "\n".join(found), None


def _lines(result_id: str, bench: Bench) -> Iterator[str]:
    """Yield the lines of a stored result, which may be too large for memory."""
    offset: int | None = 0
    rest = ""
    while offset is not None:
        bench.job.check()
        page = bench.results.read(result_id, offset, _CHUNK_BYTES)
        *lines, rest = (rest + page.text).split("\n")
        yield from lines
        offset = page.next_offset
    if rest:
        yield rest
