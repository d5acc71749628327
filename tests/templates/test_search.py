import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.templates import search
from template_kit import CATALOGUE

EVERY = list(CATALOGUE.templates.values())


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("rust cli makefile", "template://makefile/rust/cli"),
        ("python web project", "template://project/python-uv/web"),
        ("pyton web projct", "template://project/python-uv/web"),
        ("apache", "template://license/any/apache-2.0"),
        ("vs code", "template://mcp/any/vscode"),
        ("golang library project", "template://project/go/library"),
        ("docker node web", "template://dockerfile/node/web"),
        ("template://readme/deno/cli", "template://readme/deno/cli"),
    ],
)
def test_the_best_match_comes_first(query: str, best: str) -> None:
    assert search(EVERY, query)[0].template.uri == best


@given(st.text(max_size=60))
def test_relevance_is_between_0_and_1_and_falls(query: str) -> None:
    relevances = [hit.relevance for hit in search(EVERY, query)]
    assert all(0 < it <= 1 for it in relevances)
    assert relevances == sorted(relevances, reverse=True)


@pytest.mark.parametrize("query", ["", "?!", "xyzzyqwv"])
def test_nothing_is_found_for_nothing(query: str) -> None:
    assert search(EVERY, query) == []
