"""Literals of PostgreSQL's SQL.

They differ from MySQL's: double quotes are names, strings may be escaped (`E'…'`) or quoted by
dollars (`$tag$…$tag$`), values may be parameters (`$1`), and block comments nest.
"""

import re
from typing import Final

_STRING: Final = b"'?'"
_LITERAL = re.compile(
    rb"(?P<name>\"[^\"]*+\"?)"
    rb"|(?P<escaped>\b[eE]'(?:[^'\\]|\\.|'')*+'?)"
    rb"|(?P<string>(?:\b[xXbBnN])?'(?:[^']|'')*+'?)"
    rb"|(?P<parameter>\$\d++)"
    rb"|(?P<number>(?<![\w$.])(?:\d[\d_]*+\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?)",
    re.DOTALL,
)
_DOLLAR = re.compile(rb"(?<![\w$])\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*+)?\$")
_COMMENT_EDGE = re.compile(rb"/\*|\*/")
_BEFORE_COMMENT = re.compile(rb"'(?:[^']|'')*+'?|\"[^\"]*+\"?|--[^\n]*+|/\*", re.DOTALL)


def skeleton(sql: bytes) -> bytes:
    """Return a statement with `?` for its values and without its comments."""
    return _LITERAL.sub(_as_mark, _without_comments(_without_dollars(sql)))


def redact(sql: bytes) -> bytes:
    """Return a statement with `'?'` and `0` for its values; parameters stay: they say nothing."""
    return _LITERAL.sub(_redacted, _without_comments(_without_dollars(sql)))


def _as_mark(token: re.Match[bytes]) -> bytes:
    return token[0] if token.lastgroup == "name" else b"?"


def _redacted(token: re.Match[bytes]) -> bytes:
    if token.lastgroup in {"name", "parameter"}:
        return token[0]
    return b"0" if token.lastgroup == "number" else _STRING


def _without_dollars(sql: bytes) -> bytes:
    """Replace strings quoted by dollars; one without an end takes the rest."""
    if b"$" not in sql or not _DOLLAR.search(sql):
        return sql
    parts: list[bytes] = []
    at = 0
    while opened := _DOLLAR.search(sql, at):
        parts += [sql[at : opened.start()], _STRING]
        end = sql.find(opened[0], opened.end())
        if end < 0:
            return b"".join(parts)
        at = end + len(opened[0])
    return b"".join([*parts, sql[at:]])


def _without_comments(sql: bytes) -> bytes:
    if b"--" not in sql and b"/*" not in sql:
        return sql
    parts: list[bytes] = []
    at = 0
    while found := _BEFORE_COMMENT.search(sql, at):
        if found[0][:1] in b"'\"":
            parts.append(sql[at : found.end()])
            at = found.end()
            continue
        parts += [sql[at : found.start()], b" "]
        at = _comment_end(sql, found.end()) if found[0] == b"/*" else found.end()
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
