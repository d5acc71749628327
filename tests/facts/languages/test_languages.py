"""What must hold for every language, and what is loaded for a file in one of them."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchpin.facts import languages
from benchpin.facts.code import Navigation, navigation_of, reader_of
from benchpin.facts.imports import ProjectFiles
from benchpin.facts.liveness import rules_of

_PROGRAM = """
import sys
from benchpin.core.calls import Job
from benchpin.measures.unused._search import find_dead_code
from benchpin.facts.parsing import extract
from benchpin.facts.imports import resolve_imports
from benchpin.facts import FileFacts
from benchpin.facts.liveness import NamesOutsideCode

PACKAGE = "benchpin.facts.languages."

def show_loaded():
    names = (it.removeprefix(PACKAGE) for it in sys.modules if it.startswith(PACKAGE))
    print(*sorted(it for it in names if not it.startswith("_")))

show_loaded()
facts = extract(b"package main", "go")
sections = {it: getattr(facts, it) for it in ("outline", "links", "tokens")}
files = [FileFacts("main.go", "go", 12, sections)]
show_loaded()
resolve_imports(files, lambda path: None, Job())
find_dead_code(files, NamesOutsideCode())
show_loaded()
"""


@pytest.mark.parametrize("name", languages.NAMES)
def test_a_language_has_a_grammar_imports_and_liveness(name: str) -> None:
    family = languages.family_of(name)
    assert languages.load(name).name == name
    assert family in languages.NAMES
    imports = languages.family_module(name, "imports")
    assert imports is not None
    assert imports.RESOLVER(ProjectFiles([], lambda _path: None)).resolve
    assert rules_of(name) is rules_of(family)
    assert rules_of(name).definition_words or rules_of(name).entry_points


@pytest.mark.slow
def test_only_the_language_of_a_file_is_loaded() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, check=True, text=True
    )
    assert loaded.stdout.splitlines() == [
        "",
        "go go.grammar",
        "go go.grammar go.imports go.liveness",
    ]


def test_every_language_is_in_the_table_of_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "languages.md").read_text(encoding="utf-8")
    titles = [languages.load(name).title for name in languages.NAMES]
    assert [
        line.split(" | ")[0].lstrip("| ") for line in page.split("\n") if "| `." in line
    ] == titles


def test_every_language_is_once_in_the_short_table_of_the_readme() -> None:
    page = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    table = page.partition("generated: languages -->")[2].partition("<!--")[0]
    titles = {languages.load(name).title for name in languages.NAMES}
    rows = [line.split(" | ")[0].lstrip("| ") for line in table.split("\n") if "✓" in line]
    assert sorted(", ".join(rows).split(", ")) == sorted(titles)


def test_a_dialect_shares_more_than_a_family() -> None:
    assert languages.family_of("kotlin") == languages.family_of("java")
    assert languages.kin_of("kotlin") == "kotlin"
    assert reader_of("kotlin") is None
    assert navigation_of("kotlin") == Navigation()
    assert languages.kin_of("tsx") == "javascript"
    assert reader_of("tsx") is reader_of("javascript")
    assert navigation_of("tsx") is navigation_of("javascript")


def test_an_unknown_language_has_no_rules_and_shares_nothing() -> None:
    assert languages.table_of("wax").title == languages.family_of("wax") == "wax"
    assert languages.family_module("wax", "imports") is None
    assert navigation_of("wax") == Navigation()
