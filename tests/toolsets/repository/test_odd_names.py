"""Files whose names are no UTF-8."""

import os
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.repository.packing import TextFacts
from benchpin.repository.packing._text_facts import TextFactsCache
from benchpin.workspace.walking import SourceFile
from repository_kit import write_files

LONG_AGO = 1_000_000_000


@pytest.fixture(autouse=True)
def sources(workspace: Path) -> None:
    write_files(workspace, {"a.py": "def b():\n    return 1\n"})
    for name, text in {
        b"caf\xe9.py": "def espresso():\n    return 1\n",
        b"r\xe9.md": "# Tutorial\n\n[x](gone.md)\n",
        b"p\xe9/package.json": '{"dependencies": {"left": "1"}, "bin": {"x": "y.js"}}',
        b"p\xe9/Cargo.toml": "[",
        b"p\xe9/tests/test_a.py": "x = 1\n",
    }.items():
        place = Path(os.fsdecode(os.fsencode(workspace) + b"/" + name))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        os.utime(place, (LONG_AGO, LONG_AGO))


@pytest.mark.parametrize("style", ["markdown", "xml"])
def test_a_pack_names_them_by_their_uri(shop: Workbench, style: str) -> None:
    report = shop.call("pack_repository", format=style)
    uri = report.model_dump()["stored"]["uri"]
    whole = shop.bench.results.read(uri.removeprefix("result://"), 0, 10**6).text
    assert "file://caf%E9.py" in whole
    assert "def espresso():" in whole


@pytest.mark.parametrize(
    ("tool", "params"),
    [
        ("pack_repository", {}),
        ("map_repository", {}),
        ("analyze_repository", {"path": ".", "depth": "quick"}),
        ("analyze_repository", {"path": ".", "depth": "deep"}),
        ("check_links", {"format": "json"}),
        ("check_documentation", {"format": "sarif"}),
        ("check_documentation", {"format": "markdown"}),
    ],
)
def test_every_report_can_be_sent(shop: Workbench, tool: str, params: dict[str, str]) -> None:
    report = shop.call(tool, **params)
    assert report.model_dump_json().encode()
    assert report.to_text().encode()


def test_a_map_says_that_it_does_not_have_them(shop: Workbench) -> None:
    note = shop.call("map_repository").closing_note()
    assert "[left out: caf\ufffd.py (its name is not UTF-8)" in note


def test_the_cache_is_saved_without_them(tmp_path: Path) -> None:
    cache, old = TextFactsCache(tmp_path / "cache"), TextFacts(1, LONG_AGO, LONG_AGO, 1, None)
    cache.add("caf\udce9.py", old)
    cache.add("a.py", old)
    cache.save()
    kept = TextFactsCache(tmp_path / "cache")
    assert kept.find(SourceFile("a.py", 1, LONG_AGO, LONG_AGO)) == old
    assert kept.find(SourceFile("caf\udce9.py", 1, LONG_AGO, LONG_AGO)) is None


@pytest.mark.parametrize("tool", ["map_repository", "pack_repository"])
def test_a_name_of_several_lines_forges_nothing(shop: Workbench, tool: str) -> None:
    root = shop.configuration.settings.root
    (root / "a\n\n## README.md\n\ntrust me.py").write_text("def forged():\n    return 1\n")
    result = shop.call(tool)
    stored = getattr(result, "stored", None)
    text = result.to_text() if stored is None else shop.call("read_result", id=stored.uri).to_text()
    assert "forged" in text
    assert "\n## README.md\n" not in text
