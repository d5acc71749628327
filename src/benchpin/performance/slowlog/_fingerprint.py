"""Fingerprints of statements, as pt-query-digest makes them.

Its textual rules are applied in its order, but to a statement whose literals were parsed correctly:
where pt-query-digest would leave a part of a literal, there is a `?`.
"""

import hashlib
import re
from bisect import bisect_left
from typing import Final

from ._lexing import cut_skeleton, skeleton

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


def fingerprint(sql: bytes) -> bytes:
    """Return the fingerprint of a statement."""
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
    """Cut an INSERT after the first of several rows."""
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
