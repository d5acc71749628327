"""Statements and logs without their literals.

The result is still SQL: a string becomes `'?'`, a number `0`, a comment is emptied. So the redacted
copy of a log has the same classes, counts and sums as the log.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ._events import MARK, is_preamble_line, read_body, split_head
from ._lexing import COMMENT, DOUBLE, SINGLE, marked, trusted_length, unmarked
from ._splitting import Splitter

_STRING: Final = b"'?'"
_TOOLKIT = re.compile(rb"/\*\w+\.\w+:[0-9]/[0-9]\*/")
_TOKEN = re.compile(
    rb"(?P<bits>\b(?:[xX]'[0-9a-fA-F]*'|[bB]'[01]*')(?!'))"
    b"|(?P<string>" + SINGLE + b"|" + DOUBLE + b")"
    rb"|(?P<name>`[^`]*`|[@:]*[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)"
    rb"|(?P<version>/\*!\d*)"
    b"|(?P<comment>" + COMMENT + b")"
    rb"|(?P<number>[0-9][\w$\x80-\xff]*)",
    re.DOTALL,
)
_HEX = re.compile(rb"0[xX][0-9a-fA-F]+\Z")
_BINARY = re.compile(rb"0b[01]+\Z")
_DECIMAL = re.compile(rb"[0-9]++(?:([eE])[0-9]*+)?+\Z")
_QUOTED = re.compile(rb"'[^'\n]*'|\"[^\"\n]*\"")
_ADMIN = b"# administrator command: "


def redact_sql(sql: bytes) -> bytes:
    """Return a statement without the content of its literals and comments.

    Where literals cannot be recognised, such as after a quote without an end, all the rest is one.
    """
    length = trusted_length(sql)
    safe = unmarked(_TOKEN.sub(_redacted, marked(sql[:length])))
    if length == len(sql):
        return safe
    return safe + (b"/* */" if sql.startswith(b"/*", length) else _STRING)


def _redacted(token: re.Match[bytes]) -> bytes:
    kind = token.lastgroup
    if kind == "string":
        return _STRING
    if kind == "number":
        return _redacted_number(token[0])
    if kind == "bits":
        return token[0][:2] + (b"00'" if token[0][:1] in b"xX" else b"0'")
    if kind == "comment":
        return _redacted_comment(token[0])
    return token[0]


def _redacted_number(number: bytes) -> bytes:
    if _HEX.match(number):
        return b"0x0"
    if _BINARY.match(number):
        return b"0b0"
    decimal = _DECIMAL.match(number)
    if decimal is None:
        return number  # a name, such as 2024_orders
    exponent = decimal[1] or b""
    return b"0" + exponent + (b"0" if exponent and number[-1:].isdigit() else b"")


def _redacted_comment(comment: bytes) -> bytes:
    if comment.startswith(b"/*"):
        return b"/*a.b:0/0*/" if _TOOLKIT.match(comment) else b"/* */"
    return b"#" if comment.startswith(b"#") else b"-- "


def redact_log(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a log, chunk by chunk, without the content of its literals and comments.

    Text outside of events, such as the end of a truncated one, is left out.
    """
    copy = _RedactedCopy()
    for chunk in chunks:
        copy.feed(chunk)
        yield copy.taken()
    yield copy.finish()


class _RedactedCopy(Splitter):
    """Collects the redacted events of a log."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def taken(self) -> bytes:
        """Return what was copied since the last call."""
        copied = b"".join(self._parts)
        self._parts.clear()
        return copied

    def finish(self) -> bytes:
        """Copy the rest."""
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
