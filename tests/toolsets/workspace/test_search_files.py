from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import FileMissing, InvalidParams
from benchpin.toolsets.workspace.search_files import FileSearchParams, SearchResults, search_files


def search(shop: Workbench, pattern: str, **params: object) -> SearchResults:
    return shop.run(search_files, FileSearchParams.model_validate({"pattern": pattern, **params}))


@pytest.fixture(autouse=True)
def files(workspace: Path) -> None:
    (workspace / "src").mkdir()
    (workspace / "src/app.py").write_text("import os\n\n\ndef Hello():\n    return os\n")
    (workspace / "src/util.js").write_text("function hello() {}\n")
    (workspace / "notes.md").write_text("hello\nworld\n")
    (workspace / ".hidden.md").write_text("hello\n")
    (workspace / "node_modules").mkdir()
    (workspace / "node_modules/lib.js").write_text("hello\n")
    (workspace / ".gitignore").write_text("node_modules\n")


def test_matches_are_shown_by_path_and_line(shop: Workbench) -> None:
    assert search(shop, "hello").to_text() == (
        "notes.md\n  1: hello\nsrc/app.py\n  4: def Hello():\nsrc/util.js\n  1: function hello() {}"
    )


def test_case_matters_on_request(shop: Workbench) -> None:
    found = search(shop, "Hello", ignore_case=False)
    assert [(it.path, it.line) for it in found.matches] == [("src/app.py", 4)]


@pytest.mark.parametrize("file_types", [["py"], [".py"], ["*.py"]])
def test_extensions_narrow_the_search(shop: Workbench, file_types: list[str]) -> None:
    assert [it.path for it in search(shop, "hello", file_types=file_types).matches] == [
        "src/app.py"
    ]


def test_hidden_and_ignored_files_are_searched_when_asked_for(shop: Workbench) -> None:
    hidden = {it.path for it in search(shop, "hello", include_hidden=True).matches}
    assert ".hidden.md" in hidden
    ignored = {it.path for it in search(shop, "hello", include_ignored=True).matches}
    assert "node_modules/lib.js" in ignored


def test_names_are_searched_too(shop: Workbench) -> None:
    found = search(shop, r"^app|\.md$", search_type="filename")
    assert [it.path for it in found.matches] == ["notes.md", "src/app.py"]
    assert found.to_text() == "notes.md\nsrc/app.py"
    assert [it.path for it in search(shop, "^src/.*js$", search_type="filename").matches] == [
        "src/util.js"
    ]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.md", ["notes.md"]),
        ("a*.py", ["src/app.py"]),
        ("*.{py,js}", ["src/app.py", "src/util.js"]),
        ("src/*.j?", ["src/util.js"]),
        ("**/app.*", ["src/app.py"]),
        ("*til*", ["src/util.js"]),
        (".*til", ["src/util.js"]),
        ("*.cc", []),
    ],
)
def test_a_name_may_be_a_glob(shop: Workbench, pattern: str, found: list[str]) -> None:
    assert [it.path for it in search(shop, pattern, search_type="filename").matches] == found


@pytest.mark.parametrize("pattern", ["*.{py", "*(", "*[a"])
def test_a_name_that_is_neither_a_glob_nor_a_pattern_is_refused(
    shop: Workbench, pattern: str
) -> None:
    with pytest.raises(InvalidParams, match="is not a regular expression") as refused:
        search(shop, pattern, search_type="filename")
    assert repr(pattern) in refused.value.message


def test_context_is_shown_around(shop: Workbench) -> None:
    assert search(shop, "hello", search_path="src/app.py", context_lines=1).to_text() == (
        "src/app.py\n  3- \n  4: def Hello():\n  5-     return os"
    )


def test_results_are_cut_and_say_so(shop: Workbench) -> None:
    found = search(shop, "hello", max_results=2)
    assert found.is_cut
    assert found.to_text().endswith("[left out: matches after the first 2: narrow the search]")


def test_nothing_found_is_said_with_the_number_of_files(shop: Workbench) -> None:
    assert search(shop, "nowhere").to_text() == "No match in 3 files."


def test_new_files_are_found_by_the_next_search(shop: Workbench, workspace: Path) -> None:
    search(shop, "hello")
    (workspace / "later.txt").write_text("hello")
    assert "later.txt" in {it.path for it in search(shop, "hello").matches}


def test_bad_input_is_an_error(shop: Workbench) -> None:
    with pytest.raises(FileMissing):
        search(shop, "x", search_path="nowhere")
    with pytest.raises(InvalidParams, match="not a regular expression"):
        search(shop, "(")


def test_the_kind_of_code_and_a_budget_narrow_the_search(shop: Workbench, workspace: Path) -> None:
    (workspace / "src/test_app.py").write_text(f"hello = '{'x' * 300}'\n" * 9)
    assert {it.path for it in search(shop, "hello", scope="tests").matches} == {"src/test_app.py"}
    assert "src/test_app.py" not in search(shop, "hello", scope="production").to_text()
    cut = search(shop, "hello", scope="tests", budget=200)
    assert (len(cut.matches), cut.is_cut) == (2, True)
