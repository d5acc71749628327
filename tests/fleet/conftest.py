"""A workspace with repositories, and a place for what is measured of them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Permissions
from benchpin.fleet import (
    FleetMeasurement,
    FleetTables,
    Steps,
    find_members,
    local_steps,
    open_place,
    tables_version,
)
from benchpin.fleet._measuring import FleetRun
from made_projects import LOADER
from repositories import Tree

EVERYTHING = Permissions()


class Fleet:
    """Repositories below a folder, and a place."""

    def __init__(self, root: Path, place: str, steps: Steps) -> None:
        self.root = root
        self.place = open_place(place)
        self.steps = steps
        self.cache = root.with_name("fetched")

    def measure(
        self,
        permissions: Permissions = EVERYTHING,
        job: Job | None = None,
        names: Sequence[str] = ("*",),
    ) -> FleetRun:
        """Measure every repository, or some."""
        members = find_members(self.root, names, None, permissions).found
        version = tables_version(permissions)
        run = FleetMeasurement(self.place, self.steps, self.cache, version, job or Job())
        return run.run(members)

    def tables(self, permissions: Permissions = EVERYTHING) -> FleetTables:
        """Open what was measured."""
        return FleetTables(self.place, self.cache, tables_version(permissions))

    def ask(self, question: str, name: str | None = None) -> list[dict[str, object]]:
        """Ask a question by its name."""
        answer = self.tables().ask(question, name, 100, Job())
        return [dict(zip(answer.columns, row, strict=True)) for row in answer.rows]

    def query(self, sql: str) -> list[list[object]]:
        """Run a SELECT."""
        return [list(row) for row in self.tables().query(sql, 100, Job()).rows]


@pytest.fixture
def steps() -> Iterator[Steps]:
    """One worker, which the tests of one process share."""
    with local_steps(1) as made:
        yield made


@pytest.fixture
def one(tmp_path: Path) -> Tree:
    """A repository with a dependency, a licence and code."""
    tree = Tree(tmp_path / "work" / "one")
    tree.commit(
        {
            "app.py": b"import shared\nfrom json import dumps\n\n\ndef main():\n    return 1\n",
            "shared.py": LOADER.encode(),
            "pyproject.toml": b'[project]\nname = "one"\ndependencies = ["click>=8"]\n',
            "vendor/other.py": b"x = 1\n",
            "LICENSE": b"SPDX-License-Identifier: MIT\n",
        }
    )
    return tree


@pytest.fixture
def two(tmp_path: Path) -> Tree:
    """A repository with a file of the first one, and a function of it under other names."""
    tree = Tree(tmp_path / "work" / "two")
    renamed = LOADER.replace("load_table", "read_all").replace("rows", "found")
    tree.commit({"shared.py": LOADER.encode(), "renamed.py": renamed.encode()})
    return tree


@pytest.fixture
def fleet(tmp_path: Path, steps: Steps, one: Tree, two: Tree) -> Fleet:
    """Both of them; nothing is measured yet."""
    assert one.root.parent == two.root.parent
    return Fleet(one.root.parent, str(tmp_path / "place"), steps)
