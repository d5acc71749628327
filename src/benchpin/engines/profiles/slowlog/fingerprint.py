"""Fingerprints of statements, as pt-query-digest makes them.

Its textual rules are applied in its order, but to a statement whose literals were parsed correctly:
where pt-query-digest would leave a part of a literal, there is a `?`.
"""

import hashlib
import re
from typing import Final

from .lexing import cut_skeleton, skeleton

ADMIN: Final = b"administrator command: "
_MOST_FOR_UNION = 20_000
"""Longer statements are not searched for repeated SELECTs, which takes quadratic time."""

_MYSQLDUMP = b"SELECT /*!40001 SQL_NO_CACHE */ * FROM `"
_TOOLKIT = re.compile(rb"/\*\w+\.\w+:[0-9]/[0-9]\*/")
_CALL = re.compile(rb"\s*(call\s+[^\s(]+)\(", re.IGNORECASE)
_USE = re.compile(rb"use \S+\Z", re.IGNORECASE)
_INSERT = re.compile(rb"(?:INSERT|REPLACE)(?: IGNORE)?\s+INTO", re.IGNORECASE)
_ROWS = re.compile(rb"(.+?VALUES\s*\(.*?\))\s*,\s*\(", re.IGNORECASE | re.DOTALL)
_BOOLEAN = re.compile(rb"\b(?:false|true)\b", re.IGNORECASE)
_LEFTOVER = re.compile(rb"[xb.+-]\?")
_BLANKS = re.compile(rb"[ \n\t\r\f]+")
_NULL = re.compile(rb"\bnull\b")
_LISTS = re.compile(rb"\b(in|values?)(?:[\s,]*\([\s?,]*\))+")
_UNION = re.compile(rb"\b(select\s.*?)(?:(\sunion(?:\sall)?)\s\1)+")
_LIMIT = re.compile(rb"\blimit \?(?:, ?\?| offset \?)?")
_ORDER = re.compile(rb"\border by ")
_ASCENDING = re.compile(rb"(.+?)\s+asc")


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
    if (insert := _INSERT.match(sql)) and (rows := _ROWS.match(bare, insert.end())):
        bare = bare[: rows.end(1)]
    text = _LEFTOVER.sub(b"?", _BOOLEAN.sub(b"?", bare))
    text = _BLANKS.sub(b" ", text).strip().lower()
    text = _LISTS.sub(rb"\1(?+)", _NULL.sub(b"?", text))
    if b" union" in text and len(text) <= _MOST_FOR_UNION:
        text = _UNION.sub(rb"\1 /*repeat\2*/", text)
    text = _LIMIT.sub(b"limit ?", text, count=1)
    if order := _ORDER.search(text):
        text = text[: order.end()] + _ASCENDING.sub(rb"\1", text[order.end() :])
    return text


def query_id(text: bytes) -> str:
    """Return pt-query-digest's id of a fingerprint."""
    return hashlib.md5(text, usedforsecurity=False).hexdigest().upper()
