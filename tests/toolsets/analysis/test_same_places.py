"""SARIF and CSV of a tool name the same places."""

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import made_projects
from benchpin.app import Workbench
from benchpin.toolsets.analysis import TOOLSET


@pytest.fixture
def project(workspace: Path) -> Path:
    """Return a repository with something to find for every tool."""
    made_projects.with_hot_file(workspace)
    for name in ("a", "b"):
        (workspace / f"{name}.py").write_text(made_projects.LOADER)
    (workspace / "main.py").write_text(
        "import a, b, hot\n\n\ndef _orphan():\n    # FIXME: this is broken\n    return 1\n"
    )
    return workspace


def formats_of(tool: str) -> list[str]:
    schema: Any = TOOLSET.load_tool(tool).params_type.json_schema()
    return list(schema["properties"]["format"]["enum"])


OTHERWISE = {"analyze_comprehensive", "analyze_deep_context", "analyze_defect_probability"}
"""Their CSV has recommendations, or files of every risk, and SARIF the findings."""
BY_PLACE = [
    tool
    for tool in TOOLSET.tools
    if {"sarif", "csv"} <= set(formats_of(tool)) and tool not in OTHERWISE
]
"""Tools whose findings have a line."""


@pytest.mark.parametrize("tool", BY_PLACE)
def test_sarif_and_csv_have_the_same_places(project: Path, tool: str) -> None:
    workbench = Workbench.open(project)
    log = json.loads(workbench.call(tool, format="sarif").to_text())
    table = csv.DictReader(io.StringIO(workbench.call(tool, format="csv").to_text()))
    places = [
        (it["physicalLocation"]["artifactLocation"]["uri"], it["physicalLocation"]["region"])
        for result in log["runs"][0]["results"]
        for it in result["locations"]
    ]
    by_sarif = Counter((uri, str(region["startLine"])) for uri, region in places)
    by_csv = Counter((row["file"], row["line"]) for row in table)
    of_project = by_csv.pop(("", ""), 0)  # SARIF needs a place, and has the worst file
    assert by_csv <= by_sarif
    assert (by_sarif - by_csv).total() == of_project
    assert by_sarif
