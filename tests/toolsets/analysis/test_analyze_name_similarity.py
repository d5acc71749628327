import csv
import io
import json

import pytest
from pydantic import ValidationError

from benchpin.app import Workbench
from benchpin.core.errors import InvalidCursor
from benchpin.toolsets.analysis.analyze_name_similarity import (
    NameSimilarityParams,
    NameSimilarityReport,
    analyze_name_similarity,
)

from .conftest import Write

BILLING = """
    class Invoice:
        def calculate_total(self, prices):
            grand_total = sum(prices)
            return grand_total


    def compute_sum(prices):
        return sum(prices)


    def open_window(colour):
        return colour
"""
SHOP = """
    export function calculateTotals(items) {
        let subTotal = 0;
        for (const item of items) { subTotal += item.price; }
        return subTotal;
    }
    class InvoiceLine {}
"""


@pytest.fixture(autouse=True)
def sources(write: Write) -> None:
    write("billing.py", BILLING)
    write("web/shop.js", SHOP)


def similar(shop: Workbench, query: str, **params: object) -> NameSimilarityReport:
    given = NameSimilarityParams.model_validate({"query": query, **params})
    return shop.run(analyze_name_similarity, given)


def test_the_most_similar_function_comes_first_with_its_place(shop: Workbench) -> None:
    report = similar(shop, "calculateTotal", scope="functions")
    assert report.words == ["calculate", "total"]
    first, second, *_ = report.items
    assert (first.name, first.file, first.line) == ("calculate_total", "billing.py", 3)
    assert (second.name, second.file, second.line) == ("calculateTotals", "web/shop.js", 2)
    assert (first.score, first.meaning, first.spelling) == (1, 1, 1)
    assert first.shared_words == ("calculate", "total")
    assert 0.3 < second.score < 1


def test_a_name_without_a_word_in_common_is_found_by_its_meaning(shop: Workbench) -> None:
    report = similar(shop, "calculateTotal", scope="functions", min_score=0)
    order = [it.name for it in report.items]
    assert order.index("compute_sum") < order.index("open_window")


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("functions", {"calculateTotals", "calculate_total", "compute_sum", "open_window"}),
        ("types", {"Invoice", "InvoiceLine"}),
    ],
)
def test_a_scope_has_only_its_kind(shop: Workbench, scope: str, expected: set[str]) -> None:
    found = similar(shop, "total", scope=scope, min_score=0)
    assert {it.name for it in found.items} == expected


def test_variables_have_a_file_and_no_line(shop: Workbench) -> None:
    items = similar(shop, "grandTotal", scope="variables", min_score=0, top_k=50).items
    first = items[0]
    assert (first.name, first.kind, first.file, first.line) == (
        "grand_total",
        "variable",
        "billing.py",
        None,
    )
    assert first.occurrences == 2
    assert {"sum", "Invoice", "compute_sum"}.isdisjoint(it.name for it in items)


def test_sounds_count_only_when_asked_for(shop: Workbench) -> None:
    plain = similar(shop, "kaller", scope="variables", min_score=0)
    heard = similar(shop, "kaller", scope="variables", min_score=0, phonetic=True)
    assert plain.items[0].score < 0.8
    assert (heard.items[0].name, heard.items[0].sounds_alike) == ("colour", True)
    assert heard.items[0].score == pytest.approx(0.8)


def test_pages_hold_every_name_once(shop: Workbench) -> None:
    whole = similar(shop, "total", min_score=0, top_k=1000)
    seen, cursor = [], None
    while True:
        page = similar(shop, "total", min_score=0, top_k=3, cursor=cursor)
        seen += [(it.name, it.kind) for it in page.items]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == [(it.name, it.kind) for it in whole.items]
    assert len(seen) == whole.total


def test_a_cursor_of_another_query_is_refused(shop: Workbench) -> None:
    cursor = similar(shop, "total", min_score=0, top_k=1).next_cursor
    with pytest.raises(InvalidCursor):
        similar(shop, "invoice", min_score=0, top_k=1, cursor=cursor)


def test_every_format_has_the_same_names(shop: Workbench) -> None:
    expected = [it.name for it in similar(shop, "calculateTotal").items]
    data = json.loads(similar(shop, "calculateTotal", format="json").to_text())
    assert [it["name"] for it in data["items"]] == expected
    rows = csv.DictReader(io.StringIO(similar(shop, "calculateTotal", format="csv").to_text()))
    assert [row["name"] for row in rows] == expected
    for form in ("summary", "full", "detailed", "markdown"):
        lines = similar(shop, "calculateTotal", format=form).to_text().splitlines()
        named = [name for line in lines for name in expected if f" {name} " in line]
        assert named == expected, form


def test_nothing_similar_is_said_in_words(shop: Workbench) -> None:
    assert similar(shop, "zzzzqqqq", min_score=0.9).to_text() == "0 names are similar to zzzzqqqq"


@pytest.mark.parametrize("query", ["", "  ", "!?"])
def test_a_query_without_a_letter_is_refused(query: str) -> None:
    with pytest.raises(ValidationError):
        NameSimilarityParams(query=query)
