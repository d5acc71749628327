"""The template tools, called from Python."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import (
    AccessDenied,
    EffectNotAllowed,
    InvalidParams,
    PathOutsideWorkspace,
    ToolDisabled,
)
from benchpin.templates.projects._scaffolding import WouldOverwrite

NAME = {"project_name": "star-chart"}
WISH = {"toolchain": "rust", "templates": ["project", "makefile"], "parameters": NAME}


@pytest.fixture
def shop(workspace: Path) -> Workbench:
    """Return a workbench that may write."""
    return Workbench.open(workspace, allow=("write",))


def call(shop: Workbench, tool: str, **arguments: object) -> Any:
    return shop.call(tool, **arguments).model_dump(mode="json", by_alias=True)


def test_a_template_is_generated(shop: Workbench) -> None:
    uri = "template://makefile/rust/cli"
    found = call(shop, "generate_template", resource_uri=uri, parameters=NAME)
    assert found["content"].startswith("# `make` lists")
    assert found["mime_type"] == "text/x-makefile"
    [file] = found["files"]
    assert file["path"] == "Makefile"
    assert file["content"] == found["content"]
    assert file["sha256"] == hashlib.sha256(file["content"].encode()).hexdigest()


def test_a_template_of_several_files_shows_each_under_its_path(shop: Workbench) -> None:
    uri = "template://dockerfile/go/cli"
    found = call(shop, "generate_template", resource_uri=uri, parameters=NAME)
    assert [file["path"] for file in found["files"]] == ["Dockerfile", ".dockerignore"]
    assert "==> .dockerignore <==\n" in found["content"]


def test_a_parameter_of_another_template_may_be_shared(shop: Workbench) -> None:
    uri = "template://gitignore/rust/cli"
    assert call(shop, "generate_template", resource_uri=uri, parameters=NAME)["content"]


def test_templates_are_listed_by_toolchain_and_category(shop: Workbench) -> None:
    everything = call(shop, "list_templates", limit=500)
    assert everything["total"] == len(everything["templates"]) > 150
    assert everything["next_cursor"] is None
    rust = call(shop, "list_templates", toolchain="rust", category="makefile")
    assert [it["uri"] for it in rust["templates"]] == [
        "template://makefile/rust/cli",
        "template://makefile/rust/library",
        "template://makefile/rust/web",
    ]
    assert rust["templates"][0]["mimeType"] == "text/x-makefile"
    assert rust["templates"][0]["parameters"] == ["has_tests"]
    go = call(shop, "list_templates", toolchain="go", category="makefile")
    assert go["templates"][0]["parameters"] == ["has_tests", "project_name*"]
    assert [it["name"] for it in go["parameters"]] == ["has_tests", "project_name"]
    licences = call(shop, "list_templates", toolchain="rust", category="license")
    assert licences["total"] == 3


def test_a_filter_that_fits_nothing_says_what_there_is(shop: Workbench) -> None:
    text = shop.call("list_templates", toolchain="cobol").to_text()
    assert "python-uv" in text
    assert "makefile" in text


def test_parameters_are_validated_without_generating(shop: Workbench) -> None:
    uri = "template://project/python-uv/web"
    good = call(shop, "validate_template", resource_uri=uri, parameters=NAME)
    assert good["valid"]
    assert good["errors"] == []
    assert good["parameters"]["port"] == 8000
    bad = call(
        shop, "validate_template", resource_uri=uri, parameters={"port": 1, "descripton": ""}
    )
    assert not bad["valid"]
    assert [it["path"] for it in bad["errors"]] == [
        "parameters.project_name",
        "parameters.port",
        "parameters.descripton",
    ]
    assert all(it["problem"] and it["suggestion"] for it in bad["errors"])


def test_templates_are_searched_by_relevance(shop: Workbench) -> None:
    found = call(shop, "search_templates", query="pyton web projct", limit=3)
    assert found["results"][0]["template"]["uri"] == "template://project/python-uv/web"
    assert found["total"] > 3
    only = call(shop, "search_templates", query="project", toolchain="go")
    assert {it["template"]["toolchain"] for it in only["results"]} <= {"go", "any"}


def test_a_project_is_scaffolded_without_writing(shop: Workbench, workspace: Path) -> None:
    found = call(shop, "scaffold_project", **WISH)
    paths = [file["path"] for file in found["files"]]
    assert {".benchpin/scaffold.toml", "Cargo.toml", "Makefile", "src/main.rs"} <= set(paths)
    assert not found["is_written"]
    assert list(workspace.iterdir()) == []
    assert found == call(shop, "scaffold_project", **WISH)


def test_a_project_is_written_with_its_provenance(shop: Workbench, workspace: Path) -> None:
    found = call(shop, "scaffold_project", **WISH, write=True, target="new/star-chart")
    assert found["is_written"]
    assert found["target"] == "new/star-chart"
    home = workspace / "new/star-chart"
    for file in found["files"]:
        assert (home / file["path"]).read_text(encoding="utf-8") == file["content"]
    record = tomllib.loads((home / ".benchpin/scaffold.toml").read_text(encoding="utf-8"))
    assert {it["path"] for it in record["files"]} | {".benchpin/scaffold.toml"} == {
        file["path"] for file in found["files"]
    }


def test_existing_files_are_overwritten_only_on_request(shop: Workbench, workspace: Path) -> None:
    (workspace / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(WouldOverwrite):
        shop.call("scaffold_project", **WISH, write=True, target=".")
    assert [it.name for it in workspace.iterdir()] == ["mine.txt"]
    shop.call("scaffold_project", **WISH, write=True, target=".", overwrite=True)
    assert (workspace / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert (workspace / "Cargo.toml").is_file()


def test_writing_needs_the_right_and_a_target(workspace: Path, shop: Workbench) -> None:
    reader = Workbench.open(workspace)
    with pytest.raises(EffectNotAllowed):
        reader.call("scaffold_project", **WISH, write=True, target="new")
    with pytest.raises(InvalidParams, match="target"):
        shop.call("scaffold_project", **WISH, write=True)
    with pytest.raises(PathOutsideWorkspace):
        shop.call("scaffold_project", **WISH, write=True, target="../new")
    assert list(workspace.iterdir()) == []


def test_the_permissions_decide_what_is_written(workspace: Path) -> None:
    rules = [{"pattern": "ok/**", "operations": ["read", "write"]}]
    shop = Workbench.open(workspace, allow=("write",), resource_permissions=rules)
    with pytest.raises(AccessDenied):
        shop.call("scaffold_project", **WISH, write=True, target="new")
    assert not (workspace / "new").exists()
    shop.call("scaffold_project", **WISH, write=True, target="ok/new")
    assert (workspace / "ok/new/Cargo.toml").is_file()


def test_reading_alone_still_generates(workspace: Path) -> None:
    shop = Workbench.open(workspace, read_only=True)
    assert call(shop, "scaffold_project", **WISH)["files"]
    with pytest.raises(ToolDisabled):
        shop.call("write_file", path="x", content="x")


def test_folders_of_the_operator_bring_templates(workspace: Path, tmp_path: Path) -> None:
    home = tmp_path / "mine/makefile/rust/cli"
    home.mkdir(parents=True)
    (home / "own.j2").write_text("ours\n", encoding="utf-8")
    (home / "template.toml").write_text(
        'title = "Ours"\ndescription = "Our own."\nmime_type = "text/plain"\nversion = "1"\n'
        '[[files]]\nsource = "own.j2"\npath = "Makefile"\n',
        encoding="utf-8",
    )
    shop = Workbench.open(workspace, template_folders=[tmp_path / "mine"])
    [listed] = [
        it
        for it in call(shop, "list_templates", category="makefile", toolchain="rust")["templates"]
        if it["variant"] == "cli"
    ]
    assert listed["origin"] == "mine"
    assert listed["shadows"] == "built-in"
    text = shop.call("list_templates", category="makefile", toolchain="rust").to_text()
    assert "replaces that of built-in" in text
    found = call(shop, "generate_template", resource_uri=listed["uri"], parameters={})
    assert found["content"] == "ours\n"
