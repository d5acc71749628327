"""Slow logs of MySQL, MariaDB and Percona Server: events, classes, connections, redaction."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._connections import GAP, Connections, RepeatedQuery, find_repeated
    from ._digest import Part
    from ._lexing import fingerprint, generalise, query_id
    from ._reading import MAX_CLASSES, digest_chunks, read_slow_log, slow_log
    from ._totals import ClassTotals, redact_log, redact_sql

__all__ = [
    "GAP",
    "MAX_CLASSES",
    "ClassTotals",
    "Connections",
    "Part",
    "RepeatedQuery",
    "digest_chunks",
    "find_repeated",
    "fingerprint",
    "generalise",
    "query_id",
    "read_slow_log",
    "redact_log",
    "redact_sql",
    "slow_log",
]

__getattr__ = lazy(__name__)
