"""A tool over the wire, a command, the Python API and every format: one tree, the same numbers."""

import csv
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import made_projects
from benchpin.app import Workbench
from benchpin.cli.main import cli
from benchpin.server import Kernel
from benchpin.toolsets.analysis import TOOLSET
from wire import Wire

ARGUMENTS: dict[str, dict[str, object]] = {
    "analyze_name_similarity": {"query": "load_table"},
    "analyze_code_churn": {"until": "2026-01-30"},
}
TIMES = frozenset({"generated_at", "analysis_duration", "performance"})
"""What is another each time."""


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


def arguments_of(tool: str) -> dict[str, object]:
    return ARGUMENTS.get(tool, {})


def settled(value: Any) -> Any:
    """Return a result without what is another each time."""
    if isinstance(value, dict):
        return {key: settled(it) for key, it in value.items() if key not in TIMES}
    return [settled(it) for it in value] if isinstance(value, list) else value


def without_times(shown: str) -> str:
    """Return a text without the time that it took and the moment it was made."""
    return re.sub(r"\d{4}-\d\d-\d\d[T ]\S+|[\d.]+ m?s\b", "·", shown)


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
ALL_FORMATS = [(tool, form) for tool in TOOLSET.tools for form in formats_of(tool)]


@pytest.mark.anyio
@pytest.mark.parametrize("tool", TOOLSET.tools)
async def test_every_surface_has_the_same_result(
    project: Path, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench = Workbench.open(project)
    by_python = workbench.call(tool, **arguments_of(tool))
    monkeypatch.chdir(project)
    given = json.dumps(arguments_of(tool))
    by_command = CliRunner().invoke(cli, ["call", tool, "--json", given])
    wire = Wire(Kernel(Workbench.open(project)))
    await wire.handshake()
    by_wire = (await wire.call(tool, **arguments_of(tool)))["result"]
    await wire.close()
    expected = settled(by_python.model_dump(mode="json", by_alias=True))
    assert settled(json.loads(by_command.stdout)) == expected
    assert settled(by_wire["structuredContent"]) == expected
    assert without_times(by_wire["content"][0]["text"]) == without_times(by_python.to_text())


@pytest.mark.parametrize(("tool", "form"), ALL_FORMATS)
def test_every_format_shows_the_same_result(project: Path, tool: str, form: str) -> None:
    workbench = Workbench.open(project)
    plain = workbench.call(tool, **arguments_of(tool))
    other = workbench.call(tool, **arguments_of(tool), format=form)
    expected = settled(plain.model_dump(mode="json", by_alias=True))
    assert settled(other.model_dump(mode="json", by_alias=True)) == expected
    if form == "json":
        assert settled(json.loads(other.to_text())) == expected


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
