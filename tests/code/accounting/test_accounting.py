"""The classes of lines add up to what a plain search finds, in every language."""

import shutil
import subprocess
from collections import Counter
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest

from benchpin.code import CodeIndex, SourceText, find_symbols, index_of
from benchpin.code.accounting import NameAccount, account_for, account_of_name, find_lines
from benchpin.code.names import Symbol
from benchpin.code.references import find_uses
from benchpin.core.calls import Job
from benchpin.facts import FileSelection
from selections import select_all

FIXTURES = Path(__file__).parents[2] / "fixtures" / "languages"
LANGUAGES = sorted(it.name for it in FIXTURES.iterdir() if it.is_dir())

SHOP = {
    "shop/cart.py": """
        from shop.stock import (
            reserve,
        )


        def fill():
            return reserve(1)  # reserve it
    """,
    "shop/stock.py": """
        def reserve(count):
            return count


        class Shelf:
            def reserve(self):
                return "reserve"
    """,
    "shop/other.py": "from shop.stock import reserve as keep\n\nkeep(2)\n",
    "tests/test_stock.py": """
        from shop.stock import reserve


        def test_it(thing):
            reserve(3)
            thing.reserve()
    """,
    "docs/stock.md": "Call `reserve` first; prereserve and reserve_all are no words of it.\n",
    "stock.yaml": "action: reserve\n",
}


def written(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(dedent(text), encoding="utf-8")


def accounted(selection: FileSelection, index: CodeIndex, symbol: Symbol) -> NameAccount:
    [hits] = find_lines(selection, [symbol.name])
    uses = find_uses(index, symbol, selection.job, mentioning=hits.found)
    return account_for(index, symbol, uses, hits, SourceText(selection.root))


def account_in(root: Path, name: str) -> NameAccount:
    selection = select_all(root, root.parent / "cache")
    with closing(selection.session):
        index = index_of(selection)
        return accounted(selection, index, find_symbols(index, name, Job())[0])


def test_every_line_is_in_one_class_and_scope(tmp_path: Path) -> None:
    root = tmp_path / "root"
    written(root, SHOP)
    account = account_in(root, "shop/stock.py::reserve")
    assert account.counts == {
        "production": {
            "definition": 1,
            "call": 1,
            "import": 2,
            "another symbol": 1,
            "string": 1,
            "document": 2,
        },
        "tests": {"call": 1, "import": 1, "another symbol": 1},
    }
    assert account.others == {"shop/stock.py::Shelf.reserve": 1}
    assert account.elsewhere == 1  # keep(2)
    assert account.is_whole


def test_a_whole_account_is_one_line_and_says_so(tmp_path: Path) -> None:
    root = tmp_path / "root"
    written(root, {"a.py": "def only():\n    pass\n\n\nonly()\n"})
    assert list(account_in(root, "only").sentences()) == [
        "`only`: 2 lines in 1 file: production 1 definition, 1 call; nothing else"
    ]


def test_lines_of_files_that_were_not_parsed_are_said_to_be_missing(tmp_path: Path) -> None:
    root = tmp_path / "root"
    written(root, {"a.py": "def only():\n    pass\n", "vendor/b.py": "only()\n"})
    account = account_in(root, "only")
    assert account.counts == {"production": {"definition": 1}, "generated": {"not parsed": 1}}
    assert not account.is_whole
    assert "vendor/b.py:1" in " ".join(account.sentences())


def test_a_name_that_occurs_nowhere_is_said_to_be_absent(tmp_path: Path) -> None:
    root = tmp_path / "root"
    written(root, SHOP)
    selection = select_all(root, tmp_path / "cache")
    with closing(selection.session):
        [hits] = find_lines(selection, ["frobnicate"])
        account = account_of_name(index_of(selection), hits)
    assert list(account.sentences()) == ["`frobnicate`: no line in 6 files has this word"]


def test_a_letter_of_any_script_makes_a_name_longer(tmp_path: Path) -> None:
    root = tmp_path / "root"
    written(root, {"a.py": "na = 1\nnaïve = 2\n# ña, “na”\n"})
    selection = select_all(root, tmp_path / "cache")
    with closing(selection.session):
        [hits] = find_lines(selection, ["na"])
    assert hits.found == {"a.py": frozenset({1, 3})}


@pytest.mark.parametrize("language", LANGUAGES)
def test_classes_add_up_to_what_git_grep_counts(language: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(FIXTURES / language, root)
    for place in root.rglob("*.txt"):
        place.rename(place.with_suffix(""))
    selection = select_all(root, tmp_path / "cache")
    with closing(selection.session):
        index = index_of(selection)
        symbols = [
            it for module in index.symbols.modules.values() for it in module.symbols.values()
        ]
        assert symbols
        for symbol in symbols:
            account = accounted(selection, index, symbol)
            lines = sum(sum(it.values()) for it in account.counts.values())
            assert lines == account.lines, symbol.id
            if symbol.name.isascii():
                assert (lines, account.files) == plain_search(root, symbol.name), symbol.id
            assert not account.unexplained, (symbol.id, account.unexplained_at)


def plain_search(root: Path, name: str) -> tuple[int, int]:
    """Count the lines and files of a name, without anything of ours."""
    command = ["git", "grep", "--no-index", "-nwIF", "-e", name, "--", "."]
    found = subprocess.run(command, cwd=root, capture_output=True, check=False)
    files = Counter(it.split(b":")[0] for it in found.stdout.splitlines())
    return sum(files.values()), len(files)


def test_a_bundle_in_another_language_does_not_make_an_answer_less_whole(tmp_path: Path) -> None:
    bundle = "// node_modules/a.js\nfunction reserve() {}\n"
    written(tmp_path, {**SHOP, "web/vendor/lib.js": bundle, "shop/vendor/copy.py": "reserve(1)\n"})
    account = account_in(tmp_path, "shop/stock.py::reserve")
    assert account.unparsed_at == ("shop/vendor/copy.py:1",)
