"""Slow logs of MySQL, MariaDB and Percona Server: events, classes, connections, redaction."""

from typing import TYPE_CHECKING

from benchpin._doors import lazy

if TYPE_CHECKING:
    from ._connections import Connections, RepeatedQuery, find_repeated
    from ._digest import MAX_CLASSES, Classes, Part
    from ._lexing import fingerprint, generalise, query_id
    from ._reading import digest_chunks, read_slow_log, slow_log
    from ._totals import redact_log, redact_sql

__all__ = [
    "MAX_CLASSES",
    "Classes",
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
