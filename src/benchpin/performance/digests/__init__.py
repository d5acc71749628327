"""Exports of what database servers count about their statements.

`pg_stat_statements` of PostgreSQL, and `events_statements_summary_by_digest` of MySQL and MariaDB.
"""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._reading import digest_table, missing_columns, read_digests, table_of

__all__ = ["digest_table", "missing_columns", "read_digests", "table_of"]

__getattr__ = lazy(
    __name__,
    """
    _reading: digest_table missing_columns read_digests table_of
    """,
)
