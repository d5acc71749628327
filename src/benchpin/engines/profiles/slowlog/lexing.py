"""Where literals and comments of a statement begin and end.

A statement is bytes, as a server logs it. Double quotes are taken for strings: with ANSI_QUOTES
they would be names, which nobody can tell from a log, and to hide a name does no harm.
"""

import re
from typing import Final

SINGLE: Final = rb"'[^'\\]*(?:(?:\\.|'')[^'\\]*)*'(?!')"
DOUBLE: Final = rb'"[^"\\]*(?:(?:\\.|"")[^"\\]*)*"(?!")'
COMMENT: Final = (
    rb"/\*(?!!).*?\*/"
    rb"|--[^'\"\r\n]*(?=[\r\n]|\Z)"
    rb"|--[ \t][^\r\n]*"
    rb"|\#[^\r\n]*"
)
"""`/*!` opens code that some versions run, not a comment."""

# Numbers are what pt-query-digest takes for them, signs and parts of names included, and any hex.
# Each pattern begins with a set of characters, which Python's matcher seeks several times faster
# than it tries alternatives at every byte.
_STRINGS = (
    rb"(?<=')[^'\\]*(?:(?:\\.|'')[^'\\]*)*'(?!')"
    rb'|(?<=")[^"\\]*(?:(?:\\.|"")[^"\\]*)*"(?!")'
)
_NUMBERS = rb"(?<=0)[xX][0-9a-fA-F]+|(?<=[+-])[+-]*0[xX][0-9a-fA-F]+|(?<=[0-9+-])[0-9a-f.xb+-]*"
_COMMENTS = (
    rb"(?<=/)\*(?!!).*?\*/|(?<=\#)[^\r\n]*"
    rb"|(?<=-)(-[^'\"\r\n]*(?=[\r\n]|\Z)|-[ \t][^\r\n]*)"
)
_NAMES = rb"(?<=`)[^`]*`"
_VALUE = re.compile(rb"['\"0-9+-](?:" + _STRINGS + b"|" + _NUMBERS + b")", re.DOTALL)
_TOKEN = re.compile(
    rb"['\"`/\#0-9+-](?:" + b"|".join((_STRINGS, _NAMES, _COMMENTS, _NUMBERS)) + b")", re.DOTALL
)
_NUMBER = re.compile(rb"[0-9+-](?:" + _NUMBERS + b")")
_CLOSED = re.compile(rb"['\"`/\#-](?:" + b"|".join((_STRINGS, _NAMES, _COMMENTS)) + b")", re.DOTALL)
_OPENER = re.compile(rb"'|\"|/\*(?!!)")
_CLOSER = {
    b"'": re.compile(rb"[^'\\]*(?:(?:\\.|'')[^'\\]*)*'(?!')", re.DOTALL),
    b'"': re.compile(rb'[^"\\]*(?:(?:\\.|"")[^"\\]*)*"(?!")', re.DOTALL),
    b"/*": re.compile(rb".*?\*/", re.DOTALL),
}
_ODD_AFTER_STRING = re.compile(
    rb"(?!(?:and|or|xor|as|is|in|not|like|between|collate|limit|order|group|having|from|where|union"
    rb"|then|when|else|end|on|desc|asc|div|mod|into|values|for|using|escape|separator)\b)"
    rb"[\w\\%\x80-\xff]",
    re.IGNORECASE,
)
"""What does not stand right behind a string: then it was no string, but what lies between two.

It happens where backslashes do not escape (NO_BACKSLASH_ESCAPES): `'C:\\', 'secret'`.
"""


def skeleton(sql: bytes) -> bytes | None:
    """Return a statement with `?` for its values and without comments; None if one stays open."""
    if b"#" in sql or b"/*" in sql or b"--" in sql or b"\\" in sql:
        return _careful_skeleton(sql)
    bare = _VALUE.sub(b"?", sql)
    if b"'" in bare or b'"' in bare:
        return _careful_skeleton(sql)
    return bare


def cut_skeleton(sql: bytes) -> bytes:
    """Return the skeleton of a statement up to where literals can be told from code."""
    length = trusted_length(sql)
    rest = b"" if sql.startswith(b"/*", length) else b"?"
    return (_careful_skeleton(sql[:length]) or b"") + rest


def trusted_length(sql: bytes) -> int:
    """Return up to where literals can be told from code: the length, or where doubt begins.

    Where something is wrong, it may be for the first backslash that was taken for an escape.
    """
    strings = [it for it in _CLOSED.finditer(sql) if it[0][:1] in b"'\""]
    odd = next((it.start() for it in strings if is_odd_string(it)), len(sql))
    opener = _OPENER.search(_CLOSED.sub(lambda it: b" " * len(it[0]), sql))
    doubt = min(odd, opener.start()) if opener else odd
    if doubt == len(sql):
        return doubt
    return next((it.start() for it in strings if it.start() < doubt and b"\\" in it[0]), doubt)


def is_odd_string(token: re.Match[bytes]) -> bool:
    """Whether a string is followed by what never follows one, where backslashes are about."""
    return (
        token[0][:1] in b"'\""
        and b"\\" in token[0]
        and _ODD_AFTER_STRING.match(token.string, token.end()) is not None
    )


def opener_of(sql: bytes, opener: bytes | None = None) -> bytes | None:
    """Return what is open at the end of a text, which may begin inside what `opener` opened.

    Raises:
        ValueError: when the opener can not have opened a string, judging by what follows its end.
    """
    start = 0
    if opener:
        end = _CLOSER[opener].match(sql)
        if end is None:
            return opener
        start = end.end()
        if opener != b"/*" and _ODD_AFTER_STRING.match(sql, start):
            raise ValueError
    left = _OPENER.search(_CLOSED.sub(b"", sql[start:]))
    return left[0] if left else None


def _careful_skeleton(sql: bytes) -> bytes | None:
    is_odd = False

    def replaced(token: re.Match[bytes]) -> bytes:
        nonlocal is_odd
        first = token[0][:1]
        if first in b"'\"":
            is_odd = is_odd or is_odd_string(token)
            return b"?"
        if first == b"`":
            return _NUMBER.sub(b"?", token[0])
        return b"" if first in b"/#" or token[1] is not None else b"?"

    bare = _TOKEN.sub(replaced, sql)
    return None if is_odd or _has_opener(sql, bare) else bare


def _has_opener(sql: bytes, bare: bytes) -> bool:
    if b"'" not in bare and b'"' not in bare and b"/*" not in bare:
        return False
    return opener_of(sql) is not None
