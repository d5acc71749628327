"""Maps and packs, and the pages and lines of what was packed."""

from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.content import ResourceLink
from benchpin.core.errors import InvalidParams
from benchpin.toolsets.repository.map_repository import MapParams, RepositoryMap, map_repository
from benchpin.toolsets.repository.pack_repository import PackParams, PackReport, pack_repository
from repository_kit import PYTHON_LIBRARY, write_files

GITHUB = "ghp_" + "aB3dE6gH1jK4mN7pQ0rS2tU5vW8xY9zCaB3d"


@pytest.fixture(autouse=True)
def sources(workspace: Path) -> None:
    write_files(workspace, PYTHON_LIBRARY)


def pack(shop: Workbench, **params: object) -> PackReport:
    return shop.run(pack_repository, PackParams.model_validate(params))


def draw(shop: Workbench, **params: object) -> RepositoryMap:
    return shop.run(map_repository, MapParams.model_validate(params))


def test_a_map_shows_important_symbols_and_their_share(shop: Workbench) -> None:
    drawn = draw(shop)
    assert drawn.to_text() == (
        "src/parcel/cli.py:\n"
        "  1: def main()\n"
        "  6: class Sender\n"
        "    7: def send(self)\n"
        "    10: def _pack(self)\n"
        "tests/test_cli.py:\n"
        "  4: def test_main()\n\n"
        "5 of 5 symbols in 2 of 4 files"
    )
    assert (drawn.symbols_shown, drawn.encoding) == (5, "o200k_base")


def test_a_map_of_a_folder_has_paths_from_the_workspace(shop: Workbench) -> None:
    drawn = draw(shop, path="src", focus=["Sender"])
    assert drawn.map.startswith("src/parcel/cli.py:\n")
    assert drawn.files_total == 3


def test_a_map_shows_no_secret(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, {"src/keys.py": f"def login(token='{GITHUB}'):\n    return token\n"})
    assert "def login(token='[REDACTED]')" in draw(shop).map


def test_an_unknown_focus_is_refused(shop: Workbench) -> None:
    with pytest.raises(InvalidParams, match="There is no file or symbol 'Receiver'"):
        draw(shop, focus=["Receiver"])


@pytest.mark.parametrize(
    ("style", "mime_type"), [("markdown", "text/markdown"), ("xml", "application/xml")]
)
def test_a_pack_is_stored_and_linked(shop: Workbench, style: str, mime_type: str) -> None:
    report = pack(shop, format=style, include_patterns=["src/"])
    assert report.files == 3
    *_, link = report.to_content()
    assert isinstance(link, ResourceLink)
    assert (link.uri, link.mime_type) == (report.stored.uri, mime_type)
    page = shop.call("read_result", id=report.stored.uri)
    assert "class Sender:" in page.to_text()


def test_a_pack_can_be_searched(shop: Workbench) -> None:
    report = pack(shop, include_patterns=["*.py"])
    page = shop.call("read_result", id=report.stored.uri, pattern=r"^\s*def \w+")
    lines = [line.partition(": ")[2].strip() for line in page.to_text().splitlines()]
    assert lines == ["def main():", "def send(self):", "def _pack(self):", "def test_main():"]


def test_secrets_and_what_may_not_be_read_stay_out(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, {"src/keys.py": f"TOKEN = '{GITHUB}'\n", ".env": "PASSWORD=x\n"})
    report = pack(shop)
    assert [(it.path, it.line, it.secret) for it in report.refused] == [
        ("src/keys.py", 1, "GitHub token")
    ]
    assert "refused: src/keys.py:1 contains a secret: GitHub token" in report.to_text()
    whole = shop.bench.results.read(report.stored.uri.removeprefix("result://"), 0, 10**6).text
    assert GITHUB not in whole
    assert "PASSWORD" not in whole


def test_refused_files_that_are_not_named_are_counted(shop: Workbench, workspace: Path) -> None:
    write_files(workspace, {f"src/keys{at}.py": f"TOKEN = '{GITHUB}'\n" for at in range(60)})
    report = pack(shop)
    assert (len(report.refused), report.refused_total) == (50, 60)
    assert report.to_text().count("refused: src/") == 10
    assert "refused: and 50 more" in report.to_text()


def test_a_budget_reports_what_did_not_fit(shop: Workbench) -> None:
    report = pack(shop, token_budget=300)
    assert report.tokens <= 300
    assert report.over_budget > 0
    assert f"over the budget: {report.over_budget} files" in report.to_text()


def test_an_excluded_file_is_not_packed(shop: Workbench) -> None:
    assert pack(shop, exclude_patterns=["docs/"]).files == pack(shop).files - 4
