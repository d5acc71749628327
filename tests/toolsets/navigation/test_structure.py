import sys
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import (
    AccessDenied,
    BenchpinError,
    DependencyMissing,
    FileChanged,
    InvalidParams,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def bench(workspace: Path) -> Workbench:
    (workspace / "src").mkdir()
    (workspace / "src/app.py").write_text("# foo(0)\nfoo(1, b)\nx = 'foo(2)'\nfoo(3)\n")
    (workspace / "src/util.js").write_text("foo(4);\n")
    (workspace / "notes.md").write_text("foo(5)\n")
    return Workbench.open(workspace, allow=("write",))


def search(bench: Workbench, pattern: str, **given: object) -> dict[str, object]:
    return bench.call("search_structure", pattern=pattern, **given).model_dump()


def places(bench: Workbench, pattern: str, **given: object) -> list[tuple[str, int]]:
    found = search(bench, pattern, **given)["matches"]
    assert isinstance(found, list)
    return [(it["file"], it["line"]) for it in found]


def test_code_is_found_and_comments_and_strings_are_not(bench: Workbench) -> None:
    assert places(bench, "foo($$$A)") == [("src/app.py", 2), ("src/app.py", 4), ("src/util.js", 1)]
    assert places(bench, "foo($$$A)", language="javascript") == [("src/util.js", 1)]
    assert places(bench, "foo($$$A)", path="src/app.py") == [("src/app.py", 2), ("src/app.py", 4)]
    assert places(bench, "foo($A)", exclude_patterns=["**/*.js"]) == [("src/app.py", 4)]


def test_no_match_says_what_was_looked_at(bench: Workbench) -> None:
    text = bench.call("search_structure", pattern="bar($A)").to_text()
    assert text.startswith("No match in 2 files (")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pattern": "$A"}, "no code that could be looked for"),
        ({"pattern": "foo; foo"}, "more than one statement"),
        ({"pattern": "foo("}, "a bracket without its other half"),
        ({"pattern": "foo()", "language": "cobol"}, "no language 'cobol'"),
    ],
)
def test_what_cannot_be_searched_is_refused_with_a_way_out(
    bench: Workbench, given: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidParams, match=message) as caught:
        bench.call("search_structure", **given)
    assert caught.value.suggestion


def test_a_pattern_that_is_no_code_in_one_language_is_searched_in_the_others(
    bench: Workbench, workspace: Path
) -> None:
    (workspace / "a.sh").write_text("foo 4\n")
    (workspace / "b.js").write_text("foo(4);\n")
    text = bench.call("search_structure", pattern="foo 4").to_text()
    assert "a.sh\n  1: foo 4" in text
    assert "not javascript code: it is more than one statement" in text


def test_without_ast_grep_the_extra_is_named(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ast_grep_py", None)
    with pytest.raises(DependencyMissing) as caught:
        bench.call("search_structure", pattern="foo()")
    assert "benchpin[structure]" in caught.value.suggestion


def rewrite(bench: Workbench, **given: object) -> dict[str, object]:
    arguments = {"pattern": "foo($$$A)", "rewrite": "bar($$$A)", "language": "python", **given}
    return bench.call("rewrite_structure", **arguments).model_dump()


@pytest.mark.parametrize(
    ("code", "pattern", "new", "expected"),
    [
        (
            "x = foo(\n    1,\n    b=2,\n)\n",
            "foo($$$A)",
            "bar($$$A)",
            "x = bar(\n    1,\n    b=2,\n)\n",
        ),
        (
            "if x:\n    y = foo(\n        1,\n    )\n",
            "foo($$$A)",
            "wrap(\n    bar($$$A)\n)",
            "if x:\n    y = wrap(\n        bar(\n            1,\n        )\n    )\n",
        ),
        (
            "foo(\n    1,\n    2,\n    3\n)\n",
            "foo($X, $$$A)",
            "bar($$$A, $X)",
            "bar(2,\n    3, 1)\n",
        ),
        ("foo(1, [\n    2,\n])\n", "foo($$$A)", "bar($$$A)", "bar(1, [\n    2,\n])\n"),
    ],
)
def test_what_was_matched_keeps_its_layout(
    bench: Workbench, workspace: Path, code: str, pattern: str, new: str, expected: str
) -> None:
    place = workspace / "layout.py"
    place.write_text(code)
    given = {"pattern": pattern, "rewrite": new, "path": "layout.py"}
    rewrite(bench, **given, apply=rewrite(bench, **given)["digest"])
    assert place.read_text() == expected


def test_a_preview_writes_nothing_and_its_digest_writes_just_that(
    bench: Workbench, workspace: Path
) -> None:
    place = workspace / "src/app.py"
    before = place.read_text()
    shown = rewrite(bench)
    assert place.read_text() == before
    assert not shown["is_written"]
    assert shown["matches"] == 2
    assert "-foo(1, b)\n+bar(1, b)" in str(shown["diff"])
    done = rewrite(bench, apply=shown["digest"])
    assert done["is_written"]
    assert place.read_text() == "# foo(0)\nbar(1, b)\nx = 'foo(2)'\nbar(3)\n"


def test_a_file_that_changed_since_the_preview_stops_the_rewrite(
    bench: Workbench, workspace: Path
) -> None:
    shown = rewrite(bench)
    place = workspace / "src/app.py"
    place.write_text("foo(9)\n")
    with pytest.raises(FileChanged, match="not what would be written now"):
        rewrite(bench, apply=shown["digest"])
    assert place.read_text() == "foo(9)\n"


def test_a_file_that_would_no_longer_parse_is_named_and_stays(bench: Workbench) -> None:
    shown = rewrite(bench, rewrite="def")
    assert shown["files"] == []
    assert "would no longer parse" in str(shown["looked_at"])


def test_what_may_not_be_written_is_refused_before_anything_is(workspace: Path) -> None:
    (workspace / "a.py").write_text("foo(1)\n")
    (workspace / "b.py").write_text("foo(2)\n")
    rules = [
        {"pattern": "**", "operations": ["read"]},
        {"pattern": "a.py", "operations": ["read", "write"]},
    ]
    bench = Workbench.open(workspace, allow=("write",), resource_permissions=rules)
    with pytest.raises(AccessDenied):
        rewrite(bench)
    assert (workspace / "a.py").read_text() == "foo(1)\n"


def test_rewriting_needs_the_permission_to_write(workspace: Path) -> None:
    (workspace / "a.py").write_text("foo(1)\n")
    with pytest.raises(BenchpinError, match="write"):
        rewrite(Workbench.open(workspace))


def test_production_code_comes_first_with_whole_statements(
    bench: Workbench, workspace: Path
) -> None:
    (workspace / "src/app.py").write_text("if x:\n    foo(\n        1,\n        2,\n    )\n")
    (workspace / "src/test_app.py").write_text("foo(3, 4)\n")
    assert bench.call("search_structure", pattern="foo($A, $B)").to_text() == (
        "2 matches in 2 files of 3 files (python, javascript)\n\n"
        "production, 1\nsrc/app.py\n  2: foo(1, 2)\n\n"
        "tests, 1\nsrc/test_app.py\n  1: foo(3, 4)"
    )
    assert places(bench, "foo($A, $B)", scope="tests") == [("src/test_app.py", 1)]
    brief = bench.call("search_structure", pattern="foo($A, $B)", scope="production", budget=0)
    assert "  2: foo( …" in brief.to_text()
    assert "foo(1, 2)" not in brief.to_text()
