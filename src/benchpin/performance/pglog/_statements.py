"""Literals of PostgreSQL's SQL, found in one pass: quotes in comments or strings do not count.

They differ from MySQL's: double quotes are names, strings may be escaped (`E'…'`) or quoted by
dollars (`$tag$…$tag$`), values may be parameters (`$1`), and block comments nest.
"""

import re
from collections.abc import Callable
from typing import Final

_STRING: Final = b"'?'"
_TOKEN = re.compile(
    rb"(?P<line>--[^\r\n]*+)"
    rb"|(?P<block>/\*)"
    rb"|(?P<name>(?:\b[uU]&)?\"[^\"]*+(?:\"\"[^\"]*+)*+\"?)"
    rb"|(?P<escaped>\b[eE]'(?:[^'\\]|\\.|'')*+'?)"
    rb"|(?P<string>(?:\b(?:[xXbBnN]|[uU]&))?'(?:[^']|'')*+'?)"
    rb"|(?P<dollar>(?<![\w$])\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*+)?\$)"
    rb"|(?P<parameter>\$\d++)"
    rb"|(?P<number>(?<![\w$.])(?:0[xXoObB][0-9a-fA-F_]++|(?:\d[\d_]*+\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?))",
    re.DOTALL,
)
_COMMENT_EDGE = re.compile(rb"/\*|\*/")
# PostgreSQL cuts names at 63 bytes; what is longer, or has several lines, is no name.
_MAX_NAME_CHARS = 130


def skeleton(sql: bytes) -> bytes:
    """Return a statement with `?` for its values and without its comments."""
    return _replaced(sql, lambda _kind, _text: b"?")


def redact(sql: bytes) -> bytes:
    """Return a statement with `'?'` and `0` for its values; parameters stay: they say nothing."""
    return _replaced(
        sql,
        lambda kind, text: text if kind == "parameter" else b"0" if kind == "number" else _STRING,
    )


def _replaced(sql: bytes, value: Callable[[str | None, bytes], bytes]) -> bytes:
    parts: list[bytes] = []
    at = 0
    while token := _TOKEN.search(sql, at):
        parts.append(sql[at : token.start()])
        kind, at = token.lastgroup, token.end()
        if kind == "line":
            parts.append(b" ")
        elif kind == "block":
            at = _comment_end(sql, at)
            parts.append(b" ")
        elif kind == "dollar":
            end = sql.find(token[0], at)
            at = len(sql) if end < 0 else end + len(token[0])
            parts.append(value("string", b""))
        elif kind == "name" and len(token[0]) <= _MAX_NAME_CHARS and b"\n" not in token[0]:
            parts.append(token[0])
        else:
            parts.append(value(kind, token[0]))
    return b"".join([*parts, sql[at:]])


def _comment_end(sql: bytes, at: int) -> int:
    """Return where a block comment ends that was opened before `at`; the end if it does not."""
    depth = 1
    while depth:
        edge = _COMMENT_EDGE.search(sql, at)
        if edge is None:
            return len(sql)
        depth += 1 if edge[0] == b"/*" else -1
        at = edge.end()
    return at
