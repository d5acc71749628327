"""What an index for a query would need."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Literal

from benchpin.performance.values import Value
from benchpin.system.processes import has_extra

Dialect = Literal["mysql", "postgres"]
# MySQL allows 64 characters, PostgreSQL 63.
_MAX_NAME_CHARS = 60


class IndexAdvice(Value, frozen=True):
    """An index to try, or why the statement supports none."""

    table: str
    columns: tuple[str, ...]
    """In the order in which the index needs them; empty where none helps."""
    certainty: Literal["likely", "possible"]
    """Possible where the log does not show how many rows match: with aggregates, and with LIMIT."""
    why: str
    statement: str | None
    """The statement that makes the index."""


def create_index(table: str, columns: Sequence[str], dialect: Dialect) -> str | None:
    """Return the statement that makes an index; None without columns."""
    if not columns:
        return None
    name = "_".join(("idx", table.rpartition(".")[2], *columns))[:_MAX_NAME_CHARS]
    place = ".".join(quoted(part, dialect) for part in table.split("."))
    listed = ", ".join(quoted(column, dialect) for column in columns)
    return f"CREATE INDEX {quoted(name, dialect)} ON {place} ({listed});"


def quoted(name: str, dialect: Dialect) -> str:
    """Return a name as it is written in SQL."""
    mark = "`" if dialect == "mysql" else '"'
    return f"{mark}{name.replace(mark, 2 * mark)}{mark}"


def index_for_condition(
    table: str, names: AbstractSet[str], condition: str, dialect: Dialect
) -> IndexAdvice | None:
    """Return what an index would need for the condition by which a plan keeps rows of a table.

    `names` are the table's own: columns of others are values when its rows are looked up.
    """
    if not has_extra("sql"):
        return None
    from ._indexes import advise_for_condition  # noqa: PLC0415 - an extra, and slow to import

    return advise_for_condition(table, names, condition, dialect)


def index_advice(sql: str, dialect: Dialect) -> IndexAdvice | None:
    """Return what an index would need for a statement; None where nothing can be said.

    That is also so where sqlglot, the extra `sql`, is not installed.
    """
    if not has_extra("sql"):
        return None
    from ._indexes import advise_index  # noqa: PLC0415 - an extra, and slow to import

    return advise_index(sql, dialect)
