"""What a name in a statement may mean, by the tables of the statement and their aliases."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from benchpin.facts.code import NamedHere, TokenStream

from ._words import RESERVED

# What comes before the name of a table.
_BEFORE_TABLES = frozenset(
    {"FROM", "JOIN", "INTO", "UPDATE", "TABLE", "USING", "REFERENCES", "COPY"}
)
_SKIPPED = frozenset({"ONLY", "IF", "NOT", "EXISTS", "LATERAL", "IGNORE", "CONCURRENTLY"})
# Statements in which `ON` is followed by a table.
_ON_TABLE = frozenset({"INDEX", "TRIGGER", "POLICY", "RULE", "GRANT", "REVOKE", "STATISTICS"})
_ROWS = frozenset({"NEW", "OLD", "EXCLUDED", "INSERTED", "DELETED"})
_CALLS = frozenset({"CALL", "EXEC", "EXECUTE", "PERFORM", "FUNCTION", "PROCEDURE", "TRIGGER"})
_BREAKS = frozenset({";", "$$", "GO", "/"})
# Where a statement begins that nothing ends, as in SQL Server.
_STARTS = frozenset({"ALTER", "CREATE", "DECLARE", "EXEC", "EXECUTE", "IF"})
_CHANGES = frozenset({"SET", "INTO", "UPDATE", "ADD", "DROP", "RENAME", "ALTER", "MODIFY"})
_MAX_TOKENS = 1_500


@dataclass(slots=True)
class _Statement:
    """The tables of a statement."""

    words: list[str]
    tables: list[str] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    """The table of each alias; empty for a query in brackets."""
    at_table: set[int] = field(default_factory=set)
    at_alias: set[int] = field(default_factory=set)
    is_open: bool = False
    """Whether rows also come from something whose columns are not known."""


def named(stream: TokenStream, at: int) -> NamedHere:
    """Return what a name may mean, best first."""
    words = stream.words
    first, last = _span(words, at, stream.line_starts)
    found = _read(words, first, last, stream)
    kind = _kind(words, first, at)
    name = words[at]
    after = words[at + 1] if at + 1 < len(words) else ""
    if at in found.at_table:
        return NamedHere(((name,),), kind="write" if kind == "write" else "read")
    if at in found.at_alias or (after == "." and name in found.aliases):
        return NamedHere(())
    before = words[at - 1] if at else ""
    if before == "." and at > 1:
        return _qualified(found, words[at - 2], name, kind, is_call=after == "(")
    if after == "(" and words[at - 1].upper() not in _BEFORE_TABLES:
        return NamedHere(((name,),), kind="call")
    if after == "." or before == "::" or before.upper() in _CALLS:
        return NamedHere(((name,),), kind="call" if before.upper() in _CALLS else "read")
    columns = tuple(f"{it}.{name}" for it in dict.fromkeys(found.tables))
    return NamedHere((columns, (name,)), is_closed=not found.is_open, kind=kind)


def _qualified(
    found: _Statement, owner: str, name: str, kind: Literal["read", "write"], *, is_call: bool
) -> NamedHere:
    """Return what `owner.name` may mean: a column of a table, a member of a package or schema."""
    if is_call:
        return NamedHere(((f"{owner}.{name}",), (name,)), kind="call")
    if owner in found.aliases:
        table = found.aliases[owner]
        return NamedHere(((f"{table}.{name}",),) if table else (), bool(table), kind)
    if owner.upper() in _ROWS:
        columns = tuple(f"{it}.{name}" for it in dict.fromkeys(found.tables))
        return NamedHere((columns,), is_closed=False, kind=kind)
    return NamedHere(((f"{owner}.{name}",), (name,)), kind=kind)


def _span(words: list[str], at: int, line_starts: frozenset[int]) -> tuple[int, int]:
    """Return where the statement around a position begins and ends."""

    def breaks(here: int) -> bool:
        word = words[here].upper()
        return word in _BREAKS or (here in line_starts and word in _STARTS)

    first = at
    while first > max(0, at - _MAX_TOKENS) and not breaks(first):
        first -= 1
    last = at + 1
    while last < min(len(words), at + _MAX_TOKENS) and not breaks(last):
        last += 1
    return first, last


def _kind(words: list[str], first: int, at: int) -> Literal["read", "write"]:
    """Return whether a name is written: in `SET name = …`, `INTO t (name)`, `ALTER … COLUMN`."""
    depth = 0
    for here in range(at - 1, first - 1, -1):
        word = words[here].upper()
        depth += (word == ")") - (word == "(")
        if word in {"SELECT", "WHERE", "VALUES", "FROM", "ON", "="} and depth <= 0:
            is_assigned = (
                word == "=" and "," in words[here:at] and "SET" in _upper(words[first:here])
            )
            if not is_assigned:
                return "read"
        elif word in _CHANGES and depth <= 0:
            return "write"
    return "read"


def _upper(words: list[str]) -> set[str]:
    return {it.upper() for it in words}


def _read(words: list[str], first: int, last: int, stream: TokenStream) -> _Statement:
    """Read the tables of a statement."""
    found = _Statement(words)
    capitals = _upper(words[first:last])
    common = set(_common_tables(words, first, last))
    in_list = False
    for at in range(first, last):
        word = words[at].upper()
        is_table = word in _BEFORE_TABLES or (word == "ON" and not capitals.isdisjoint(_ON_TABLE))
        if word in {"WHERE", "SELECT", "SET", "GROUP", "ORDER", "VALUES", ";"}:
            in_list = False
        if word == "FROM":
            in_list = True
        if is_table or (in_list and word == "," and at > first):
            _table(found, at + 1, last, stream, common)
    return found


def _common_tables(words: list[str], first: int, last: int) -> Iterator[str]:
    """Yield the names that `WITH name AS (` gives to queries."""
    for at in range(first, last - 2):
        if words[at + 1].upper() == "AS" and words[at + 2] == "(":
            yield words[at]


def _table(found: _Statement, at: int, last: int, stream: TokenStream, common: set[str]) -> None:
    """Read the name of a table and its alias from a position."""
    words = found.words
    while at < last and words[at].upper() in _SKIPPED:
        at += 1
    if at < last and words[at] == "(":
        at, table = stream.closing(at, last) + 1, ""
    else:
        while at + 2 < last and words[at + 1] == "." and stream.is_name(at):
            at += 2
        if at >= last or not stream.is_name(at):
            return
        is_function = at + 1 < last and words[at + 1] == "(" and words[at - 1].upper() == "FROM"
        table = "" if words[at] in common or is_function else words[at]
        if table:
            found.tables.append(table)
            found.at_table.add(at)
        at = stream.closing(at + 1, last) + 1 if is_function else at + 1
    found.is_open = found.is_open or not table
    if at < last and words[at].upper() == "AS":
        at += 1
    if at < last and stream.is_name(at) and words[at].upper() not in RESERVED:
        found.aliases[words[at]] = table
        found.at_alias.add(at)
