"""Answers about repositories with very many of everything."""

from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.repository.packing import count_tokens
from repository_kit import write_files

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def sources(workspace: Path) -> None:
    long = "a-very-long-name-" * 30
    files: dict[str, str | bytes] = {
        f"{'deep-folder-' * 12}/{at}/package.json": f'{{"name": "{long}{at}", '
        f'"version": "1.{at}", "dependencies": {{"{long}": "{long}"}}}}'
        for at in range(60)
    }
    files["README.md"] = "".join(f"## {long} {at}\n\n" for at in range(300))
    files["docs/a.md"] = "".join(f"[x]({long}{at}.md)\n" for at in range(40))
    write_files(workspace, files)


def test_an_analysis_stays_under_8000_tokens(shop: Workbench) -> None:
    report = shop.call("analyze_repository", path=".", depth="deep")
    assert count_tokens(report.to_text() + report.model_dump_json()) < 8_000
    assert report.model_dump()["structure"]["packages_total"] == 60


def test_the_readme_of_a_check_is_cut(shop: Workbench) -> None:
    readme = shop.call("check_documentation", format="json", limit=1).model_dump()["readme"]
    assert (len(readme["sections"]), readme["sections_total"]) == (20, 300)
    assert max(map(len, readme["sections"])) == 200


@pytest.mark.parametrize("tool", ["check_documentation", "check_links"])
@pytest.mark.parametrize("style", ["summary", "json"])
def test_a_page_of_a_check_stays_under_8000_tokens_and_the_cursor_leads_on(
    shop: Workbench, workspace: Path, tool: str, style: str
) -> None:
    links = "".join(f"[x](no-such-file-{at}-{'z' * 60}.md)\n" for at in range(100))
    write_files(workspace, {"docs/b.md": links})
    seen: list[str] = []
    cursor = None
    while cursor is not None or not seen:
        report = shop.call(tool, format=style, cursor=cursor)
        assert count_tokens(report.to_text() + report.model_dump_json()) < 8_000
        said = report.model_dump()
        seen += [f"{it['file']}:{it['line']}:{it['message']}" for it in said["problems"]]
        cursor = said["next_cursor"]
    assert len(seen) == said["total"] >= 140
    assert len(set(seen)) == len(seen)
