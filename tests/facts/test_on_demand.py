"""Sections that are loaded when they are asked for are the same as those loaded at once."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.facts import FileFacts, SourceIndex, SourceQuery
from benchpin.facts.store import FactsGone

LAZY = SourceQuery(on_demand=("tokens", "comments"))
EAGER = SourceQuery(sections=("outline", "tokens", "comments"))


@pytest.fixture
def index(workspace: Path, tmp_path: Path) -> Iterator[SourceIndex]:
    for name in ("a", "b"):
        (workspace / f"{name}.py").write_text(f"# about {name}\n{name} = 1\n", encoding="utf-8")
    with closing(SourceIndex(workspace, tmp_path / "facts")) as opened:
        yield opened


def files(index: SourceIndex, query: SourceQuery) -> dict[str, FileFacts]:
    return {it.path: it for it in index.read(query, Job()).files}


def change(tmp_path: Path, statement: str) -> None:
    [place] = (tmp_path / "facts").glob("facts-*.sqlite")
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute(statement)


def test_sections_on_demand_are_those_of_the_file(index: SourceIndex) -> None:
    lazy, eager = files(index, LAZY), files(index, EAGER)
    assert [it.tokens for it in lazy.values()] == [it.tokens for it in eager.values()]
    assert [it.comments for it in lazy.values()] == [it.comments for it in eager.values()]
    assert "tokens" in lazy["a.py"].sections
    assert "links" not in lazy["a.py"].sections
    with pytest.raises(KeyError):
        lazy["a.py"].links  # noqa: B018 - it was not asked for


def test_a_section_on_demand_is_not_kept(index: SourceIndex) -> None:
    lazy = files(index, LAZY)["a.py"]
    assert lazy.tokens is not lazy.tokens
    assert set(lazy.sections) == {"outline"}


def test_links_that_were_asked_for_lately_are_not_loaded_again(index: SourceIndex) -> None:
    lazy = files(index, SourceQuery(on_demand=("links",)))
    assert lazy["a.py"].links is lazy["a.py"].links
    assert lazy["a.py"].links.references == {"a": 1}
    assert lazy["b.py"].links.references == {"b": 1}


@pytest.mark.parametrize(
    "damage", ["UPDATE tokens SET data = x'00'", "DELETE FROM tokens", "UPDATE tokens SET crc = 1"]
)
def test_what_the_cache_lost_is_computed_again(
    index: SourceIndex, tmp_path: Path, damage: str
) -> None:
    lazy, eager = files(index, LAZY)["a.py"], files(index, EAGER)["a.py"]
    change(tmp_path, damage)
    assert lazy.tokens == eager.tokens
    assert files(index, LAZY)["a.py"].tokens == eager.tokens


def test_lost_facts_of_a_file_that_changed_are_not_guessed(
    index: SourceIndex, workspace: Path, tmp_path: Path
) -> None:
    lazy = files(index, LAZY)["a.py"]
    change(tmp_path, "DELETE FROM tokens")
    (workspace / "a.py").write_text("other = 2\n", encoding="utf-8")
    with pytest.raises(FactsGone):
        lazy.tokens  # noqa: B018 - it is loaded here


def test_without_a_cache_all_is_loaded_at_once(workspace: Path, tmp_path: Path) -> None:
    (workspace / "a.py").write_text("a = 1\n", encoding="utf-8")
    (tmp_path / "facts").write_text("no folder\n", encoding="utf-8")
    with closing(SourceIndex(workspace, tmp_path / "facts")) as index:
        assert set(files(index, LAZY)["a.py"].sections) == {"outline", "tokens", "comments"}
        assert index.keys_lacking(("a",)) == frozenset()


def test_files_without_a_text_need_not_be_searched(index: SourceIndex) -> None:
    known = files(index, LAZY)
    keys = {path: it.key for path, it in known.items()}
    assert index.keys_lacking(("about b",)) == {keys["a.py"]}
    assert index.keys_lacking(("about b", "nowhere")) == {keys["a.py"]}
    assert index.keys_lacking(("about",)) == frozenset()
    assert index.keys_lacking(("nowhere",)) == set(keys.values())
