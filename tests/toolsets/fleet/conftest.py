"""A workbench on a fleet that was measured."""

from collections.abc import Iterator

import pytest

from benchpin.app import Workbench
from made_projects import LOADER, TANGLED
from repositories import Tree

HARM = "<img src=x onerror=window.harmed=1>"
MANIFEST = f'[project]\nname = "one"\ndependencies = ["click>=8", "{HARM}"]\n'


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """Two repositories, measured, of which one changed since; names try to do harm."""
    root = tmp_path_factory.mktemp("fleet")
    one = Tree(root / f"one{HARM}")
    one.commit({f"{HARM}.py": LOADER.encode(), "pyproject.toml": MANIFEST.encode()})
    hot = {"hot.py": TANGLED.encode(), "LICENSE": b"SPDX-License-Identifier: MIT\n"}
    two = Tree(root / "two")
    two.commit({"shared.py": LOADER.encode(), **hot})
    workbench = Workbench.open(root)
    workbench.call("measure_fleet", repositories=["*"])
    two.commit({"hot.py": f"{TANGLED}X = 1\n".encode()})
    workbench.call("measure_fleet", repositories=["*"])
    yield workbench
    workbench.close()
