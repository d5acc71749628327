"""What an index for a query would need."""

from collections.abc import Sequence
from typing import Literal

from .values import Value

_LONGEST_NAME = 60
"""MySQL allows 64 characters."""


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


def create_index(table: str, columns: Sequence[str]) -> str | None:
    """Return the statement that makes an index; None without columns."""
    if not columns:
        return None
    name = "_".join(("idx", table.rpartition(".")[2], *columns))[:_LONGEST_NAME]
    place = ".".join(map(_quoted, table.split(".")))
    return f"CREATE INDEX {_quoted(name)} ON {place} ({', '.join(map(_quoted, columns))});"


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def index_advice(sql: str) -> IndexAdvice | None:
    """Return what an index would need for a statement; None where nothing can be said.

    That is also so where sqlglot, the extra `sql`, is not installed.
    """
    try:
        from .indexes import advise_index  # noqa: PLC0415 - an extra, and slow to import
    except ImportError:
        return None
    return advise_index(sql)
