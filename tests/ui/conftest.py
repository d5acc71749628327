"""A repository with something to find, served by `benchpin ui` in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from browsers import chromium, tab_in
from repositories import Tree
from waiting import WAIT_S

HOSTILE = (
    '<img src=x onerror="window.harmed=1">.py',
    "\u202etxt.py",
    "a\x1b[31m\nb.py",
    '"><script>window.harmed=2<.py',
    "n" * 240 + ".py",
    "עברית.py",
)
TANGLE = """\
def tangle(rows, limits):
    found = []
    for row in rows:
        for limit in limits:
            if row and limit or rows:
                while limit > 0:
                    if row > limit:
                        for other in rows:
                            if other == row and limit:
                                found.append(clean(other))
                    limit -= 1
    return found


def clean(value):
    return value
"""
SLOW_LOG = """\
# User@Host: shop[shop] @ localhost []
# Query_time: 0.1 Lock_time: 0 Rows_sent: 1 Rows_examined: 10
select 1 from dual;
# User@Host: shop[shop] @ localhost []
# Query_time: 9.5 Lock_time: 0 Rows_sent: 1 Rows_examined: 900000
select * from `<img src=x onerror=window.harmed=location>`;
"""


@pytest.fixture(scope="session")
def hostile_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with one tangled module, among names that try to do harm."""
    tree = Tree(tmp_path_factory.mktemp("hostile") / "shop<b>")
    user = "from shop.pricing import tangle\n\n\ndef total(rows):\n    return tangle(rows, [1])\n"
    hostile = {
        name: f"def f{number}():\n    return '</script><script>window.harmed=3</script>'\n"
        for number, name in enumerate(HOSTILE)
    }
    files = {"shop/pricing.py": TANGLE, "shop/cart.py": user, **hostile}
    tree.commit({name: text.encode() for name, text in files.items()})
    tree.write({"slow.log": SLOW_LOG.encode()})
    Workbench.open(tree.root).call("ingest_artifacts", artifacts=[{"path": "slow.log"}])
    return tree.root


@pytest.fixture(scope="session")
def served(hostile_repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of the pages of the repository."""
    command = str(Path(sys.executable).with_name("benchpin"))
    cache = tmp_path_factory.mktemp("cache")
    with subprocess.Popen(
        (command, "ui", str(hostile_repository), "--no-open"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()
        assert process.wait(WAIT_S) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.fixture(scope="module")  # its event loop would be in the way of other tests
def browser() -> Iterator[Any]:
    """Start Chromium once for the tests of a module."""
    with chromium() as started:
        yield started


@pytest.fixture
def tab(browser: Any, served: str) -> Iterator[Any]:
    """Open the overview, once the first analysis is done."""
    with tab_in(browser, served, offline=False, viewport={"width": 1280, "height": 800}) as opened:
        opened.wait_for_selector("html[data-ready] main.overview:not([data-waiting])")
        yield opened
