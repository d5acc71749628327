"""Copy a slow log with its literals redacted and its headers kept.

The copy falls into the same classes as the log, with the same counts and sums.
"""

import re
from collections.abc import Iterable, Iterator

from .events import MARK, is_preamble_line, read_body, split_head
from .redaction import redact_sql
from .splitting import Splitter

_QUOTED = re.compile(rb"'[^'\n]*'|\"[^\"\n]*\"")
_ADMIN = b"# administrator command: "


def redact_log(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a log, chunk by chunk, without what its literals and comments say.

    Text that belongs to no event, such as the end of one that was cut, is left out.
    """
    copy = _Copy()
    for chunk in chunks:
        copy.feed(chunk)
        yield copy.taken()
    yield copy.finish()


class _Copy(Splitter):
    """Keeps what is safe."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def taken(self) -> bytes:
        """Return what was copied since the last time."""
        copied = b"".join(self._parts)
        self._parts.clear()
        return copied

    def finish(self) -> bytes:
        """Copy what is left."""
        self._read(is_last=True)
        return self.taken()

    def _take_preamble(self, preamble: bytes) -> None:
        lines = [line for line in preamble.split(b"\n") if is_preamble_line(line)]
        self._parts.append(b"\n".join(lines))

    def _take_any(self, piece: bytes, at: int, *, is_end: bool) -> None:
        _ = at, is_end
        end, _, _ = split_head(piece)
        body = read_body(piece, end)
        if body is None:
            return
        query = piece[body.query_at : end]
        is_command = query.startswith(_ADMIN) and b"\n" not in query
        self._parts += (
            MARK,
            _QUOTED.sub(b"'?'", piece[: min(body.query_at, end)]),
            query if is_command else redact_sql(query),
            piece[max(body.query_at, end) :],
        )
