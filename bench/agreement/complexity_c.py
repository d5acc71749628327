"""Cyclomatic complexity of C against pmccabe, on projects that were drawn before anybody looked."""

from collections.abc import Iterator
from pathlib import Path

from agreement.against_pmccabe import compare
from agreement.table import Row, checkout

_PROJECTS = (
    "memcached/memcached",
    "haproxy/haproxy",
    "psycopg/psycopg2",
    "jemalloc/jemalloc",
    "libuv/libuv",
    "tmux/tmux",
    "lz4/lz4",
    "h2o/h2o",
    "giampaolo/psutil",
)


def rows(projects: Path) -> list[Row]:
    """Compare every function of C that both find."""
    return list(_rows(projects))


def _rows(projects: Path) -> Iterator[Row]:
    for name in _PROJECTS:
        for tally in compare(checkout(projects, name)):
            if tally.title.endswith("(c)"):
                share = 100 * tally.equal / tally.compared
                yield Row(
                    "cyclomatic complexity, C",
                    "pmccabe 2.8",
                    f"{name}, {tally.compared:,} functions",
                    f"{share:.2f} % equal",
                )
