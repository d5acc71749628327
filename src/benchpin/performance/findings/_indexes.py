"""Suggest an index for a query that reads many rows, where its own conditions support one.

Statements are parsed with sqlglot, which is the extra `sql`: `index_advice` imports this module.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import sqlglot
from sqlglot import exp

from benchpin.performance.values import Dialect

from ._advice import IndexAdvice, create_index

# Wider indexes cost more at every write than they save.
_MAX_COLUMNS = 4
_MAX_STATEMENT_CHARS = 20_000


def advise_index(sql: str, dialect: Dialect) -> IndexAdvice | None:
    """Return what an index would need for a statement; None where nothing can be said."""
    if len(sql) > _MAX_STATEMENT_CHARS:
        return None
    try:
        parsed = sqlglot.parse_one(sql, read=dialect)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None
    tables = [it for it in parsed.find_all(exp.Table) if it.parent_select in {parsed, None}]
    where = parsed.args.get("where")
    if len(tables) != 1 or where is None or parsed.find(exp.Subquery, exp.Union):
        return None  # which of several tables is read first is the server's choice
    return _advice(tables[0], _Conditions(where.this), parsed, dialect)


def advise_for_condition(
    table: str, names: AbstractSet[str], condition: str, dialect: Dialect
) -> IndexAdvice | None:
    """Return what an index would need for the condition of a scan, as a server prints it."""
    if len(condition) > _MAX_STATEMENT_CHARS:
        return None
    try:
        parsed = sqlglot.condition(condition, dialect=dialect)
    except (sqlglot.errors.SqlglotError, RecursionError):
        return None
    if parsed.find(exp.Subquery, exp.Union):
        return None
    compared = parsed.transform(lambda node: _as_compared(node, names))
    return _advice(exp.to_table(table, quoted=True), _Conditions(compared), exp.Select(), dialect)


def _as_compared(node: exp.Expr, names: AbstractSet[str]) -> exp.Expr:
    """Return a column for its cast to text, which uses the same index; a value for another's."""
    if isinstance(node, exp.Cast) and node.to.is_type("text", "varchar"):
        inner = node.this.unnest()
        if isinstance(inner, exp.Column):
            node = inner
    if isinstance(node, exp.Column) and node.table and node.table not in names:
        return exp.Literal.number(0)
    return node


def _advice(
    table: exp.Table, conditions: "_Conditions", parsed: exp.Expr, dialect: Dialect
) -> IndexAdvice:
    name = ".".join(part for part in (table.db, table.name) if part)
    if not (conditions.equal or conditions.any_of or conditions.ranges):
        why = conditions.unusable[0] if conditions.unusable else "it compares no column"
        return IndexAdvice(name, (), "likely", f"No index helps: {why}.", statement=None)
    order = [] if conditions.ranges or conditions.any_of else _ordered(parsed)
    parts = (
        (conditions.equal, "compared with one value"),
        (conditions.any_of, "compared with several values"),
        (conditions.ranges[:1], "a range, after which an index is no longer searched"),
        (order, "the order, so that nothing is sorted"),
    )
    columns = dict.fromkeys(column for found, _ in parts for column in found)
    reasons = [f"{', '.join(found)}: {what}" for found, what in parts if found]
    reasons += [f"not used: {it}" for it in conditions.unusable]
    is_limited = parsed.args.get("limit") is not None and not order
    hides_rows = parsed.find(exp.AggFunc, exp.Group, exp.Distinct) is not None or is_limited
    chosen = tuple(columns)[:_MAX_COLUMNS]
    return IndexAdvice(
        table=name,
        columns=chosen,
        certainty="possible" if hides_rows else "likely",
        why=f"{'; '.join(reasons)}.",
        statement=create_index(name, chosen, dialect),
    )


class _Conditions:
    """The columns that a WHERE compares, by how an index can use them."""

    def __init__(self, where: exp.Expr) -> None:
        self.equal: list[str] = []
        self.any_of: list[str] = []
        self.ranges: list[str] = []
        self.unusable: list[str] = []
        for condition in _parts(where, exp.And):
            self._take(condition)
        self.equal = list(dict.fromkeys(self.equal))
        self.any_of = [it for it in dict.fromkeys(self.any_of) if it not in self.equal]
        known = {*self.equal, *self.any_of}
        self.ranges = [it for it in dict.fromkeys(self.ranges) if it not in known]
        self.unusable = list(dict.fromkeys(self.unusable))

    def _take(self, condition: exp.Expr) -> None:
        if condition.find(exp.Column) is None:
            return  # such as 1=1, which programs write to begin with
        column = _compared(condition)
        alternative = _same_column(condition)
        match condition:
            case exp.Or() if alternative:
                self.any_of.append(alternative)
            case exp.Or():
                self.unusable.append("conditions joined by OR")
            case exp.Like() | exp.ILike() | exp.RegexpLike():
                self.unusable.append("LIKE, unless its pattern has a fixed start")
            case exp.In() if column:
                self.any_of.append(column)
            case exp.EQ() | exp.Is() | exp.NullSafeEQ() if column:
                self.equal.append(column)
            case exp.GT() | exp.GTE() | exp.LT() | exp.LTE() | exp.Between() if column:
                self.ranges.append(column)
            case exp.Not() | exp.NEQ():
                self.unusable.append("a condition that excludes values")
            case _:
                self.unusable.append("a column inside of a function or a calculation")


def _compared(condition: exp.Expr) -> str | None:
    """Return the column that is compared with values, on either side."""
    columns = list(condition.find_all(exp.Column))
    sides = (condition.this, condition.args.get("expression"))
    is_bare = len(columns) == 1 and any(side is columns[0] for side in sides)
    return columns[0].name if is_bare else None


def _same_column(condition: exp.Expr) -> str | None:
    """Return the column that all alternatives of an OR compare with a value."""
    found = {
        _compared(each) if isinstance(each, exp.EQ | exp.In) else None
        for each in _parts(condition, exp.Or)
    }
    return found.pop() if len(found) == 1 else None


def _parts(condition: exp.Expr, joined_by: type[exp.And | exp.Or]) -> Iterator[exp.Expr]:
    """Yield the conditions that AND or OR joins, in their order."""
    pending = [condition]
    while pending:
        found = pending.pop()
        if isinstance(found, exp.Paren):
            pending.append(found.this)
        elif isinstance(found, joined_by):
            pending += [found.right, found.left]
        else:
            yield found


def _ordered(parsed: exp.Expr) -> list[str]:
    """Return the columns of ORDER BY if an index can give that order."""
    order = parsed.args.get("order")
    terms = order.expressions if order else []
    directions = {bool(term.args.get("desc")) for term in terms}
    if len(directions) != 1 or not all(isinstance(term.this, exp.Column) for term in terms):
        return []
    return [term.this.name for term in terms]
