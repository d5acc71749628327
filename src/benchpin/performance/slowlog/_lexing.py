"""Find the literals and comments of a statement.

A statement is bytes, as a server logs it. Double quotes are strings here: with ANSI_QUOTES they are
names, but a log does not show that mode, and hiding a name does no harm.
"""

import hashlib
import re
from bisect import bisect_left
from typing import Final

_REST_OF_SINGLE = rb"[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'(?!')"
_REST_OF_DOUBLE = rb'[^"\\]*+(?:(?:\\.|"")[^"\\]*+)*+"(?!")'
# No string begins at `\'`: else a string without an end would be read again at each of them.
SINGLE: Final = rb"(?<!\\)'" + _REST_OF_SINGLE
DOUBLE: Final = rb'(?<!\\)"' + _REST_OF_DOUBLE
# Stands for `--` that opens a comment without a blank after it. It is marked before, from the end
# of the line: to try it at every `--` would take two hundred times as long.
_SHORT_COMMENT = b"\x02\x02"
_MAX_SHORT_COMMENT_BYTES = 202
# `/*!` opens code that some versions run, not a comment. It is for what `marked` returns.
COMMENT: Final = (
    rb"/\*(?!!).*?\*/"
    rb"|" + _SHORT_COMMENT + rb"[^\r\n]*"
    rb"|--[ \t][^\r\n]*"
    rb"|\#[^\r\n]*"
)
# Numbers are those of pt-query-digest, with signs and parts of names, and any hex.
# Each pattern begins with a set of characters: Python's matcher skips to those several times faster
# than it tries alternatives at every byte.
_STRINGS = rb"(?<=')(?<!\\')" + _REST_OF_SINGLE + rb'|(?<=")(?<!\\")' + _REST_OF_DOUBLE
_NUMBERS = rb"(?<=0)[xX][0-9a-fA-F]+|(?<=[+-])[+-]*+0[xX][0-9a-fA-F]+|(?<=[0-9+-])[0-9a-f.xb+-]*"
_COMMENTS = (
    rb"(?<=/)\*(?!!).*?\*/|(?<=\#)[^\r\n]*"
    rb"|(?<=\x02)\x02[^\r\n]*|(?<=-)(-[ \t][^\r\n]*)"
)
_NAMES = rb"(?<=`)[^`]*`"
_VALUE = re.compile(rb"['\"0-9+-](?:" + _STRINGS + b"|" + _NUMBERS + b")", re.DOTALL)
_TOKEN = re.compile(
    rb"['\"`/\#0-9+\x02-](?:" + b"|".join((_STRINGS, _NAMES, _COMMENTS, _NUMBERS)) + b")", re.DOTALL
)
_NUMBER = re.compile(rb"[0-9+-](?:" + _NUMBERS + b")")
_CLOSED = re.compile(
    rb"['\"`/\#\x02-](?:" + b"|".join((_STRINGS, _NAMES, _COMMENTS)) + b")", re.DOTALL
)
_OPENER = re.compile(rb"'|\"|/[*\x01](?!!)")
_LINE_END = re.compile(rb"([\r\n]+)")
_COMMENT_MARK = re.compile(rb"/\*(?!!)")
# Stands for `/*` where no `*/` follows, so that the end is not searched for again and again.
_OPEN_COMMENT = b"/\x01"
_CLOSER = {
    b"'": re.compile(_REST_OF_SINGLE, re.DOTALL),
    b'"': re.compile(_REST_OF_DOUBLE, re.DOTALL),
    b"/*": re.compile(rb".*?\*/", re.DOTALL),
}
# What never follows a string: such a "string" is the text between two strings.
#
# That happens where backslashes do not escape (NO_BACKSLASH_ESCAPES): `'C:\', 'secret'`.
_ODD_AFTER_STRING = re.compile(
    rb"(?!(?:and|or|xor|as|is|in|not|like|between|collate|limit|order|group|having|from|where|union"
    rb"|then|when|else|end|on|desc|asc|div|mod|into|values|for|using|escape|separator)\b)"
    rb"[\w\\%\x80-\xff]",
    re.IGNORECASE,
)
ADMIN: Final = b"administrator command: "
# Longer statements are not searched for repeated SELECTs.
_MAX_UNION_BYTES = 20_000
# How many UNIONs after a SELECT are tried as the end of what is repeated.
_MAX_UNIONS = 20
_MYSQLDUMP = b"SELECT /*!40001 SQL_NO_CACHE */ * FROM `"
_TOOLKIT = re.compile(rb"/\*\w+\.\w+:[0-9]/[0-9]\*/")
_CALL = re.compile(rb"\s*(call\s+[^\s(]+)\(", re.IGNORECASE)
_USE = re.compile(rb"use \S+\Z", re.IGNORECASE)
_INSERT = re.compile(rb"(?:INSERT|REPLACE)(?: IGNORE)?\s+INTO", re.IGNORECASE)
_VALUES = re.compile(rb"VALUES\s*+\(", re.IGNORECASE)
_NEXT_ROW = re.compile(rb"\)\s*+,\s*+\(")
_BOOLEAN = re.compile(rb"\b(?:false|true)\b", re.IGNORECASE)
_LEFTOVER = re.compile(rb"[xb.+-]\?")
_BLANKS = re.compile(rb"[ \n\t\r\f]+")
_NULL = re.compile(rb"\bnull\b")
_LISTS = re.compile(rb"\b(in|values?)(?:[\s,]*\([\s?,]*\))+")
_SELECT = re.compile(rb"\bselect\s")
_UNION = re.compile(rb"(\sunion(?:\sall)?)(?=\s)")
_LIMIT = re.compile(rb"\blimit \?(?:, ?\?| offset \?)?")
_ORDER = re.compile(rb"\border by ")
_ASCENDING = re.compile(rb"(\S)\s++asc")


def skeleton(sql: bytes) -> bytes | None:
    """Return a statement with `?` for values and without comments; None if one has no end."""
    if b"#" in sql or b"/*" in sql or b"--" in sql or b"\\" in sql:
        return _careful_skeleton(sql)
    bare = _VALUE.sub(b"?", sql)
    if b"'" in bare or b'"' in bare:
        return _careful_skeleton(sql)
    return bare


def cut_skeleton(sql: bytes) -> bytes:
    """Return the skeleton of the part of a statement where literals can be recognised."""
    length = trusted_length(sql)
    rest = b"" if sql.startswith(b"/*", length) else b"?"
    return (_careful_skeleton(sql[:length]) or b"") + rest


def trusted_length(sql: bytes) -> int:
    """Return the length of the part of a statement where literals can be recognised.

    A problem may be due to the first backslash that was taken for an escape, so it ends there.
    """
    sql = marked(sql)
    strings = [it for it in _CLOSED.finditer(sql) if it[0][:1] in b"'\""]
    odd = next((it.start() for it in strings if is_odd_string(it)), len(sql))
    opener = _OPENER.search(_CLOSED.sub(lambda it: b" " * len(it[0]), sql))
    doubt = min(odd, opener.start()) if opener else odd
    if doubt == len(sql):
        return doubt
    return next((it.start() for it in strings if it.start() < doubt and b"\\" in it[0]), doubt)


def is_odd_string(token: re.Match[bytes]) -> bool:
    """Whether a string with a backslash is followed by what never follows a string."""
    return (
        token[0][:1] in b"'\""
        and b"\\" in token[0]
        and _ODD_AFTER_STRING.match(token.string, token.end()) is not None
    )


def opener_of(sql: bytes, opener: bytes | None = None) -> bytes | None:
    """Return the literal or comment that is open at the end of a text.

    The text may begin inside one that `opener` opened.

    Raises:
        ValueError: when what follows its end shows that `opener` did not open a string.
    """
    start = 0
    if opener:
        end = _CLOSER[opener].match(sql)
        if end is None:
            return opener
        start = end.end()
        if opener != b"/*" and _ODD_AFTER_STRING.match(sql, start):
            raise ValueError
    left = _OPENER.search(_CLOSED.sub(b"", marked(sql[start:])))
    return left and unmarked(left[0])


def marked(sql: bytes) -> bytes:
    """Mark comments that have no end, and short ones after `--`; the length stays the same."""
    last = max(sql.rfind(b"*/") - 1, 0)
    text = sql[:last] + _COMMENT_MARK.sub(_OPEN_COMMENT, sql[last:])
    return b"".join(map(_with_short_comment, _LINE_END.split(text))) if b"--" in text else text


def unmarked(sql: bytes) -> bytes:
    """Return a text, or what became of it, without marks."""
    return sql.replace(_OPEN_COMMENT, b"/*").replace(_SHORT_COMMENT, b"--")


def _with_short_comment(line: bytes) -> bytes:
    """Mark every `--` at the end of a line that no quote follows."""
    if b"--" not in line[-_MAX_SHORT_COMMENT_BYTES:]:
        return line
    start = max(len(line) - _MAX_SHORT_COMMENT_BYTES, line.rfind(b"'") + 1, line.rfind(b'"') + 1, 0)
    return line[:start] + line[start:].replace(b"--", _SHORT_COMMENT)


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
        return b"" if first in b"/#\x02" or token[1] is not None else b"?"

    bare = unmarked(_TOKEN.sub(replaced, marked(sql)))
    return None if is_odd or _has_opener(sql, bare) else bare


def _has_opener(sql: bytes, bare: bytes) -> bool:
    if b"'" not in bare and b'"' not in bare and b"/*" not in bare:
        return False
    return opener_of(sql) is not None


# Fingerprints of statements, as pt-query-digest makes them.
#
# Its textual rules are applied in its order, but to a statement whose literals were parsed
# correctly: where pt-query-digest would leave a part of a literal, there is a `?`.


def fingerprint(sql: bytes) -> bytes:
    special = special_class(sql)
    if special is not None:
        return special
    bare = skeleton(sql)
    return generalise(sql, cut_skeleton(sql) if bare is None else bare)


def special_class(sql: bytes) -> bytes | None:
    """Return the fingerprint of a statement that does not depend on its values."""
    if sql.startswith(_MYSQLDUMP):
        return b"mysqldump"
    if b"/*" in sql and _TOOLKIT.search(sql):
        return b"percona-toolkit"
    if sql.startswith(ADMIN):
        return sql
    if called := _CALL.match(sql):
        return called[1].lower()
    if _USE.match(sql):
        return b"" if sql.startswith(b"use") else b"use ?"  # in lower case it is a header line
    return None


def generalise(sql: bytes, bare: bytes) -> bytes:
    """Return the fingerprint of a statement, given its skeleton."""
    if insert := _INSERT.match(sql):
        bare = _first_row(bare, insert.end())
    text = _LEFTOVER.sub(b"?", _BOOLEAN.sub(b"?", bare))
    text = _BLANKS.sub(b" ", text).strip().lower()
    text = _LISTS.sub(rb"\1(?+)", _NULL.sub(b"?", text))
    if b" union" in text and len(text) <= _MAX_UNION_BYTES:
        text = _without_repeats(text)
    text = _LIMIT.sub(b"limit ?", text, count=1)
    if order := _ORDER.search(text):
        text = text[: order.end()] + _ASCENDING.sub(rb"\1", text[order.end() :])
    return text


def _first_row(bare: bytes, start: int) -> bytes:
    values = _VALUES.search(bare, start + 1)
    following = values and _NEXT_ROW.search(bare, values.end())
    return bare[: following.start() + 1] if following else bare


def _without_repeats(text: bytes) -> bytes:
    """Replace a SELECT that UNION repeats by the first and a note."""
    unions = list(_UNION.finditer(text))
    starts = [it.start() for it in unions]
    parts, written, at = [], 0, 0
    while select := _SELECT.search(text, at):
        at = select.end()
        first = bisect_left(starts, at)
        for union in unions[first : first + _MAX_UNIONS]:
            repeated = text[select.start() : union.start()]
            if not text.startswith(repeated, union.end() + 1):
                continue
            last: re.Match[bytes] | None = union
            while last and text.startswith(repeated, last.end() + 1):
                at, how = last.end() + 1 + len(repeated), last[1]
                last = _UNION.match(text, at)
            parts += [text[written : union.start()], b" /*repeat", how, b"*/"]
            written = at
            break
    return b"".join((*parts, text[written:]))


def query_id(text: bytes) -> str:
    """Return pt-query-digest's id of a fingerprint."""
    return hashlib.md5(text, usedforsecurity=False).hexdigest().upper()
