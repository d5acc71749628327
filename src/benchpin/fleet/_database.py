"""DuckDB in memory, with bounded memory and nothing on disk."""

from typing import TYPE_CHECKING

from benchpin.system.processes import require_extra

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def open_memory() -> "DuckDBPyConnection":
    """Return a database in memory.

    Raises:
        DependencyMissing: when the extra is not installed.
    """
    require_extra("fleet", "A fleet")
    import duckdb  # noqa: PLC0415 - an extra

    return duckdb.connect(
        ":memory:", config={"threads": "2", "memory_limit": "512MB", "temp_directory": ""}
    )
