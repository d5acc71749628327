"""What must agree across the project's files."""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import click
import pytest

import benchpin
from benchpin.cli.main import cli
from benchpin.cli.serve import serve
from benchpin.core.tools import Toolset
from benchpin.toolsets import TOOLSETS, load_toolsets

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "benchpin"


def test_every_place_names_the_same_version() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    versions = {entry["version"], *(package["version"] for package in entry["packages"])}
    bundle = json.loads((ROOT / "bundle" / "manifest.json").read_text(encoding="utf-8"))
    assert {*versions, bundle["version"]} == {benchpin.__version__} == {version("benchpin")}


def test_the_registry_finds_its_name_for_the_server_on_the_page_of_the_package() -> None:
    entry = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    assert f"mcp-name: {entry['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_hosts_can_start_the_server_as_the_manifests_say() -> None:
    [package] = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))["packages"]
    bundle = json.loads((ROOT / "bundle" / "manifest.json").read_text(encoding="utf-8"))
    command = [it.get("value") or it["name"] for it in package["packageArguments"]]
    for arguments in (command, bundle["server"]["mcp_config"]["args"][4:]):
        flags = [it for it in arguments if it.startswith("--")]
        given = [part for flag in flags for part in (flag, ".")]
        serve.make_context("serve", given, parent=click.Context(cli))
        assert arguments[0] == "serve"


def test_the_registry_starts_an_install_with_everything() -> None:
    [package] = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))["packages"]
    [extra] = package["runtimeArguments"]
    assert (extra["name"], extra["value"]) == ("--with", f"benchpin[all]=={benchpin.__version__}")


def test_every_toolset_is_listed_and_documented() -> None:
    packages = {place.parent.name for place in (PACKAGE / "toolsets").glob("*/__init__.py")}
    assert packages == set(TOOLSETS)
    for name in TOOLSETS:
        assert (ROOT / "docs" / "toolsets" / f"{name}.md").is_file()


@pytest.mark.parametrize("toolset", load_toolsets(), ids=lambda toolset: toolset.name)
def test_every_module_that_is_a_tool_is_listed(toolset: Toolset) -> None:
    folder = PACKAGE / "toolsets" / toolset.name
    tools = {
        place.stem
        for place in folder.glob("*.py")
        if "\n@tool(" in place.read_text(encoding="utf-8")
    }
    assert tools == set(toolset.tools)
    assert toolset.example.tool in toolset.tools


def test_every_folder_says_what_lives_there() -> None:
    for place in PACKAGE.rglob("__init__.py"):
        assert place.read_text(encoding="utf-8").startswith('"""'), place


def test_relative_links_in_the_documents_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "AGENTS.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.slow
@pytest.mark.parametrize("command", ["import benchpin", "import benchpin.cli.main"])
def test_a_plain_import_loads_neither_the_sdk_nor_the_heavy_libraries(command: str) -> None:
    libraries = "jinja2 mcp mcp_types rapidfuzz starlette uvicorn watchfiles websockets"
    heavy = set(libraries.split())
    code = f"{command}; import sys; print(sorted({heavy} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_only_the_top_level_handlers_catch_everything() -> None:
    broad = {
        place.relative_to(PACKAGE).as_posix()
        for place in PACKAGE.rglob("*.py")
        if re.search(r"except (Exception|BaseException)\b", place.read_text(encoding="utf-8"))
    }
    assert broad == {
        "cli/running.py",
        "code/structure/_pattern.py",  # a panic of Rust; everything else is raised again
        "server/_workers.py",
        "server/_session.py",
        "server/_tools.py",
        "system/processes/_helper_process.py",  # raises it again, once the process is ended
        "toolsets/server/_script.py",
        "toolsets/server/_script_host.py",
    }
