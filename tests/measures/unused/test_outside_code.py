from pathlib import Path

import pytest

from benchpin.core.text import GENERATOR
from benchpin.measures.unused import reader_of
from benchpin.measures.unused._outside_code import find_names_outside_code

NAMES = frozenset({"load_it", "update", "runIt", "main"})


@pytest.mark.parametrize(
    ("path", "text", "configured", "documented"),
    [
        ("pyproject.toml", '[project.scripts]\nshop = "shop.cli:main"\n', {"main"}, set()),
        ("Makefile", "go:\n\tpython -c 'import shop; shop.load_it()'\n", {"load_it"}, set()),
        ("templates/shop.html", "<p>{{ cart.update }}</p>", {"update"}, set()),
        (".github/workflows/ci.yml", "run: node -e 'runIt()'\n", {"runIt"}, set()),
        ("README.md", "Call `update` or load_it to go on.", set(), {"update", "load_it"}),
        ("README.md", "We update things from time to time.", set(), set()),
        ("docs/api.rst", ".. autofunction:: shop.update\n", set(), {"update"}),
        ("CHANGES.md", "Remove `update`.", set(), set()),
        ("package-lock.json", '{"update": 1}', set(), set()),
        ("logo.png", "update", set(), set()),
        ("data.unknown", "\0update", set(), set()),
        ("CMakeLists.txt", "add_test(update)", {"update"}, set()),
    ],
)
def test_names_count_by_the_kind_of_file(
    path: str, text: str, configured: set[str], documented: set[str]
) -> None:
    found = find_names_outside_code([path], NAMES, lambda _path: text.encode())
    assert found.configured == configured
    assert found.documented == documented


def test_source_that_was_not_measured_is_searched_for_names() -> None:
    found = find_names_outside_code(
        ["big.svg"], NAMES, lambda _path: b"update()", unmeasured=["big.svg"]
    )
    assert found.configured == {"update"}


def test_a_package_names_its_entry_files() -> None:
    text = b'{"main": "./dist/cjs/main.js", "bin": {"shop": "bin/shop.mjs"}}'
    found = find_names_outside_code(["web/package.json"], NAMES, lambda _path: text)
    assert {"web/src/main", "web/bin/shop", "web/index", "web/src/index"} <= found.entry_files


def test_nothing_is_read_through_a_link_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("main", encoding="utf-8")
    (tmp_path / "link.toml").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/inner.txt").write_text("main", encoding="utf-8")
    (tmp_path / "detour").symlink_to(tmp_path / "folder")
    read = reader_of(tmp_path)
    assert read("secret.txt") == b"main"
    assert read("link.toml") == b""
    assert read("folder/inner.txt") == b"main"
    assert read("detour/inner.txt") == b""
    assert read("missing.toml") == b""


def test_a_page_or_a_pack_of_our_own_is_no_evidence() -> None:
    pack = b"# shop\n\n1 files\n\n- a.py (9 tokens)\n\n## a.py\n\n```py\ndef send_all(): ...\n```\n"
    page = f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n{GENERATOR}\nload_all'
    found = find_names_outside_code(
        ["report.html", "other.html", "pack.md"],
        frozenset({"load_all", "save_all", "send_all"}),
        {"report.html": page.encode(), "other.html": b"save_all", "pack.md": pack}.__getitem__,
    )
    assert not found.documented
    assert found.configured == {"save_all"}
