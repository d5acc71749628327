"""Exports of what database servers count about their statements.

`pg_stat_statements` of PostgreSQL, and `events_statements_summary_by_digest` of MySQL and MariaDB.
"""

from .reading import digest_table, missing_columns, read_digests, table_of

__all__ = ["digest_table", "missing_columns", "read_digests", "table_of"]
