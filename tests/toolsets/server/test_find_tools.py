from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.toolsets.server._tool_ranking import rank_tools, stems, wanted_terms
from benchpin.toolsets.server.find_tools import FoundTools


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.open(tmp_path)


def found(bench: Workbench, query: str, **more: object) -> FoundTools:
    result = bench.call("find_tools", query=query, **more)
    assert isinstance(result, FoundTools)
    return result


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("is there copy-pasted code", "analyze_duplicates"),
        ("which functions are too complicated", "analyze_complexity"),
        ("find functions nobody calls", "analyze_dead_code"),
        ("load this mysql slow log", "ingest_artifacts"),
    ],
)
def test_the_tool_for_a_task_is_among_the_first(bench: Workbench, query: str, name: str) -> None:
    assert name in [it.name for it in found(bench, query).tools]


def test_a_tool_comes_with_all_its_arguments(bench: Workbench) -> None:
    [first] = found(bench, "duplicated code", limit=1).tools
    assert first.name == "analyze_duplicates"
    assert "cache_strategy" in first.input_schema["properties"]  # type: ignore[operator]  # a dict


def test_disabled_tools_are_not_offered_but_named_with_the_way_in(bench: Workbench) -> None:
    result = found(bench, "write a file")
    assert "write_file" not in [it.name for it in result.tools]
    assert any("write_file" in it and "--allow write" in it for it in result.disabled)
    assert "write_file would fit, but is off" in result.to_text()


def test_words_that_say_nothing_find_nothing_and_say_so(bench: Workbench) -> None:
    nothing = found(bench, "the of and to")
    assert nothing.tools == []
    assert "use other words" in nothing.to_text()


def test_the_same_words_in_another_form_find_the_same(bench: Workbench) -> None:
    plural, single = found(bench, "duplicates"), found(bench, "duplicate")
    assert [it.name for it in plural.tools] == [it.name for it in single.tools]


@pytest.mark.parametrize(
    ("task", "right"),
    [
        ("which sql is killing the db", "run_analysis"),  # kill is a weak synonym of delete
        ("whats in config/settings.yaml", "read_file"),
        ("get rid of that annotation, it was wrong", "delete_comment"),
        ("is there a file called something like *_legacy.php anywhere", "search_files"),
        ("which third-party packages does this project pull in?", "analyze_repository"),
    ],
)
def test_what_users_say_leads_to_the_tool(bench: Workbench, task: str, right: str) -> None:
    found = rank_tools([it.definition for it in bench.catalogue.listings()], task)
    assert right in [tool.name for _, tool in found[:3]]


def test_a_dotted_name_is_a_file_only_with_the_ending_of_one() -> None:
    assert "fil" in wanted_terms("open settings.py")
    assert "fil" not in wanted_terms("who uses requests.get")


def test_words_with_a_doubled_letter_have_one_stem() -> None:
    assert set(stems("run running runs")) == {"run"}
