import json
from pathlib import Path

import pytest
from sarif_pydantic import Sarif

from benchpin.app import Workbench
from benchpin.toolsets.repository._repository_tools import CheckParams
from benchpin.toolsets.repository.check_documentation import (
    DocumentationReport,
    check_documentation,
)
from benchpin.toolsets.repository.check_links import LinksReport, check_links
from repository_kit import NODE_MONOREPO, PYTHON_LIBRARY, write_files

NO_DOCUMENT = "There is no {} document, judging by paths, titles and sections"


def links(shop: Workbench, **params: object) -> LinksReport:
    return shop.run(check_links, CheckParams.model_validate(params))


def documentation(shop: Workbench, **params: object) -> DocumentationReport:
    return shop.run(check_documentation, CheckParams.model_validate(params))


def test_broken_links_are_listed(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, PYTHON_LIBRARY)
    assert links(shop).to_text() == (
        "2 broken of 3 checked links in 5 Markdown files\n\n"
        "Problems\n"
        "rule           location          message\n"
        "broken-anchor  README.md:9       docs/api.md#missing matches no heading in docs/api.md\n"
        "broken-link    docs/design.md:3  ../src/parcel/gone.py does not exist (src/parcel/gone.py)"
    )


def test_documentation_names_what_a_readme_promises(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, NODE_MONOREPO)
    report = documentation(shop)
    assert [(it.rule, it.level, it.line, it.message) for it in report.problems] == [
        (
            "unknown-command",
            "warning",
            7,
            "package.json has no script deploy for pnpm: pnpm run deploy",
        ),
        ("missing-section", "note", 1, "No section and no file covers contributing"),
        ("missing-section", "note", 1, "No section and no file covers licence"),
        ("missing-kind", "note", 1, NO_DOCUMENT.format("how-to")),
        ("missing-kind", "note", 1, NO_DOCUMENT.format("reference")),
        ("missing-kind", "note", 1, NO_DOCUMENT.format("explanation")),
    ]
    assert report.api is not None
    assert (report.api.documented, report.api.public_symbols) == (0, 1)


def test_documentation_has_links_and_coverage_as_well(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, PYTHON_LIBRARY)
    report = documentation(shop)
    assert [it.rule for it in report.problems] == [
        "broken-anchor",
        "broken-link",
        "missing-section",
    ]
    assert "1 of 3 public symbols have a doc comment (33%)" in report.to_text()


def test_a_missing_readme_is_a_problem(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, {"a.py": "x = 1\n"})
    assert documentation(shop).problems[0].rule == "missing-readme"


@pytest.mark.parametrize("check", [links, documentation])
def test_sarif_is_valid_and_has_every_problem(
    shop: Workbench, workspace: Path, check: object
) -> None:
    write_files(workspace, PYTHON_LIBRARY)
    report = check(shop, format="sarif")  # type: ignore[operator] # one of two functions
    log = json.loads(report.to_text())
    Sarif.model_validate(log)
    [run] = log["runs"]
    assert len(run["results"]) == report.total
    places = [it["locations"][0]["physicalLocation"] for it in run["results"]]
    assert places[0]["artifactLocation"]["uri"] == "README.md"
    assert places[0]["region"]["startLine"] == 9


@pytest.mark.parametrize("check", [links, documentation])
def test_markdown_is_a_table_and_json_the_result(
    shop: Workbench, workspace: Path, check: object
) -> None:
    write_files(workspace, PYTHON_LIBRARY)
    shown = check(shop, format="markdown").to_text()  # type: ignore[operator] # likewise
    assert "| broken-link | docs/design.md:3 | ../src/parcel/gone.py does not exist " in shown
    report = check(shop, format="json")  # type: ignore[operator] # likewise
    assert json.loads(report.to_text()) == report.model_dump(mode="json")


def test_a_repository_without_problems_says_so(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, {"README.md": "# X\n"})
    assert links(shop).to_text() == "0 broken of 0 checked links in 1 Markdown file"
    assert "|" not in links(shop, format="markdown").to_text()


def test_a_command_is_shown_without_its_keys(shop: Workbench, workspace: Path) -> None:
    token = "ghp_" + "aB3dE6gH1jK4mN7pQ0rS2tU5vW8xY9zCaB3d"
    readme = f"# A\n\n```sh\nnpm run deploy -- {token}\n```\n"
    write_files(workspace, {"package.json": '{"scripts": {"x": "y"}}', "README.md": readme})
    found = [it for it in documentation(shop).problems if it.rule == "unknown-command"]
    assert [it.message.partition(": ")[2] for it in found] == ["npm run deploy -- [REDACTED]"]
