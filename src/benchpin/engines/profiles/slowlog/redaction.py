"""Statements and logs without their literals.

What comes out is still SQL: a string becomes `'?'`, a number `0`, a comment is emptied. So the
redacted copy of a log falls into the same classes as the log.
"""

import re
from typing import Final

from .lexing import COMMENT, DOUBLE, SINGLE, trusted_length

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
_DECIMAL = re.compile(rb"[0-9]+([eE])?[0-9]*\Z")


def redact_sql(sql: bytes) -> bytes:
    """Return a statement without what its literals and comments say.

    Where it can not be told what is a literal, such as behind a quote that nothing closes, all
    the rest is one.
    """
    length = trusted_length(sql)
    safe = _TOKEN.sub(_redacted, sql[:length])
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
    return b"-- " if comment.startswith(b"--") else b"#"
