import csv
import io
import json
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.core.errors import BenchpinError, FileMissing, InvalidCursor, InvalidParams
from benchpin.toolsets.analysis.analyze_debt_comments import (
    DebtParams,
    DebtReport,
    analyze_debt_comments,
)

SHOP = '''\
"""TODO: a docstring is no comment."""


class Shop:
    def open(self):
        # FIXME: the door is broken
        return "TODO: not this"

    def close(self):
        # TODO: add an alarm
        # for the night
        pass  # maybe
'''
BASKET = """\
/* This is an ugly hack. */
int add(int a, int b) {
  return a + b; // counts
}
"""
TEST_SHOP = "# HACK: opens twice | and `shuts`\nx = 1\n"


@pytest.fixture
def shop(shop: Workbench, workspace: Path) -> Workbench:
    """Return a workbench on three files with four items in them."""
    (workspace / "shop.py").write_text(SHOP, encoding="utf-8")
    (workspace / "basket.c").write_text(BASKET, encoding="utf-8")
    (workspace / "tests").mkdir()
    (workspace / "tests" / "test_shop.py").write_text(TEST_SHOP, encoding="utf-8")
    return shop


def report(shop: Workbench, **arguments: object) -> DebtReport:
    return shop.run(analyze_debt_comments, DebtParams.parse({"scope": "all", **arguments}))


def places(found: DebtReport) -> list[tuple[str, int]]:
    return [(item.file, item.line) for item in found.items]


ALL = [("shop.py", 6), ("basket.c", 1), ("shop.py", 10), ("tests/test_shop.py", 1)]


def test_items_come_with_category_severity_and_context(shop: Workbench) -> None:
    found = report(shop)
    assert [
        (it.file, it.line, it.end_line, it.category, it.severity, it.context) for it in found.items
    ] == [
        ("shop.py", 6, 6, "Defect", "High", "Shop.open"),
        ("basket.c", 1, 1, "Design", "Medium", "add"),
        ("shop.py", 10, 11, "Requirement", "Low", "Shop.close"),
        ("tests/test_shop.py", 1, 1, "Design", "Low", None),
    ]
    assert found.items[2].text == "TODO: add an alarm for the night"
    assert [it.tag for it in found.items] == ["FIXME", None, "TODO", "HACK"]
    assert [it.is_test_code for it in found.items] == [False, False, False, True]


def test_the_summary_counts_by_category_severity_and_file(shop: Workbench) -> None:
    summary = report(shop).summary
    assert summary.by_category == {"Design": 2, "Defect": 1, "Requirement": 1}
    assert summary.by_severity == {"High": 1, "Medium": 1, "Low": 2}
    assert [(it.file, it.items) for it in summary.by_file] == [
        ("shop.py", 2),
        ("basket.c", 1),
        ("tests/test_shop.py", 1),
    ]
    assert (summary.total_files, summary.files_with_debt, summary.total_items) == (3, 3, 4)
    assert summary.total_comments == 6


def test_every_format_has_the_same_items(shop: Workbench) -> None:
    for page in (report(shop, format="summary"), report(shop, format="full")):
        text = page.to_text()
        assert text.startswith("4 comments admit debt, of 6 in 3 files\n")
        assert all(f"{file}:{line} " in text for file, line in ALL)
    rows = list(csv.DictReader(io.StringIO(report(shop, format="csv").to_text())))
    assert [(row["file"], int(row["line"])) for row in rows] == ALL
    document = json.loads(report(shop, format="json").to_text())
    assert [(it["file"], it["line"]) for it in document["items"]] == ALL
    run = json.loads(report(shop, format="sarif").to_text())["runs"][0]
    assert [
        (
            it["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            it["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for it in run["results"]
    ] == ALL
    assert [float(row["confidence"]) for row in rows] == [
        it["properties"]["confidence"] for it in run["results"]
    ]
    table = report(shop, format="markdown").to_text().split("\n## ")[1].split("\n\n")[1]
    assert [row.split(" | ")[3] for row in table.splitlines()[2:]] == [
        f"{file}:{line}" for file, line in ALL
    ]


def test_sarif_names_a_rule_for_each_category(shop: Workbench) -> None:
    run = json.loads(report(shop, format="sarif").to_text())["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert [(it["ruleId"], it["level"]) for it in run["results"]] == [
        ("debt-defect", "warning"),
        ("debt-design", "warning"),
        ("debt-requirement", "note"),
        ("debt-design", "note"),
    ]
    assert all(rules[it["ruleIndex"]] == it["ruleId"] for it in run["results"])


def test_markdown_keeps_what_authors_wrote_out_of_its_markup(shop: Workbench) -> None:
    text = report(shop, format="markdown").to_text()
    assert "opens twice \\| and \\`shuts\\`" in text


def test_pages_together_are_the_whole_list(shop: Workbench) -> None:
    first = report(shop, limit=3)
    assert (len(first.items), first.total) == (3, 4)
    second = report(shop, limit=3, cursor=first.next_cursor)
    assert second.next_cursor is None
    assert places(first) + places(second) == ALL


def test_a_full_page_says_how_to_go_on(shop: Workbench) -> None:
    page = report(shop, limit=3, format="full")
    assert f"\n3 of 4; next_cursor={page.next_cursor}\n" in page.to_text()
    assert page.to_text().startswith("4 comments admit debt")


def test_a_cursor_of_another_search_is_refused(shop: Workbench) -> None:
    cursor = report(shop, limit=1).next_cursor
    with pytest.raises(InvalidCursor):
        report(shop, limit=1, min_severity="Medium", cursor=cursor)


def test_filters_narrow_items_and_summary_alike(shop: Workbench) -> None:
    grave = report(shop, min_severity="Medium")
    assert places(grave) == ALL[:2]
    assert grave.summary.total_items == 2
    assert places(report(shop, categories=["Requirement", "Defect"])) == [ALL[0], ALL[2]]
    assert places(report(shop, strict=True)) == [ALL[0], *ALL[2:]]
    assert places(report(shop, min_confidence=1)) == []
    assert len(report(shop, min_confidence=0.01).items) == 5


def test_files_are_chosen_like_everywhere(shop: Workbench) -> None:
    assert places(report(shop, project_path="basket.c")) == [("basket.c", 1)]
    assert places(report(shop, exclude_patterns=["tests/**"])) == ALL[:3]
    assert places(report(shop, toolchain="c")) == [("basket.c", 1)]


def test_no_debt_is_an_answer_in_every_format(shop: Workbench, workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1  # one\n", encoding="utf-8")
    found = report(shop, project_path="a.py")
    assert found.to_text() == "0 comments admit debt, of 1 in 1 file"
    for format_ in ("full", "json", "sarif", "markdown", "csv"):
        found = report(shop, project_path="a.py", format=format_)
        assert found.to_text()
        assert found.items == []


def test_the_same_call_gives_the_same_bytes(shop: Workbench) -> None:
    first, again = (report(shop, format="json").to_text() for _ in range(2))
    assert first == again
    assert first == report(shop, format="json", cache_strategy="force-refresh").to_text()


def test_generated_files_are_named_in_the_summary(shop: Workbench, workspace: Path) -> None:
    made = "# Generated by a tool. DO NOT EDIT.\n# TODO: this is no one's\n"
    (workspace / "made.py").write_text(made, encoding="utf-8")
    found = report(shop)
    assert found.looked_at.skipped == {"generated": 1}
    assert "skipped: 1 generated" in found.to_text()
    assert places(found) == ALL


@pytest.mark.parametrize(
    "arguments",
    [
        {"min_severity": "low"},
        {"categories": ["Style"]},
        {"min_confidence": 1.5},
        {"format": "xml"},
        {"limit": 0},
        {"unknown": True},
    ],
)
def test_bad_arguments_are_refused(shop: Workbench, arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidParams):
        report(shop, **arguments)


def test_a_path_that_is_not_there_is_refused(shop: Workbench) -> None:
    with pytest.raises(FileMissing):
        report(shop, project_path="nowhere")


def test_a_toolchain_that_is_not_known_is_refused(shop: Workbench) -> None:
    with pytest.raises(BenchpinError):
        report(shop, toolchain="cobol-uv")
