"""The facts of Julia; no other tool measures it, so the complexities were counted by hand."""

import pytest

from benchpin.facts.parsing import extract
from language_facts import calls, facts_of, function_rows, measured, private_names, type_rows

FACTS = facts_of("julia/shop.jl")


def test_functions_in_all_notations_are_measured() -> None:
    assert function_rows(FACTS) == [
        ("Shop.Cart.Cart", "method", 20, 1, 0, 0, 1),
        ("Shop.total", "function", 26, 11, 10, 2, 4),
        ("Shop.double", "function", 56, 1, 0, 0, 1),
        ("Shop.Base.show", "function", 57, 1, 0, 0, 2),
        ("Shop.Cart", "function", 60, 1, 0, 0, 1),
        ("Shop.+", "function", 61, 1, 0, 0, 2),
        ("Shop.check", "function", 62, 2, 1, 1, 1),
        ("Shop.where_it", "function", 65, 1, 0, 0, 1),
        ("Shop.quick", "function", 67, 1, 0, 0, 1),
        ("Shop.inner", "function", 74, 1, 0, 0, 1),
    ]


def test_the_signature_ends_where_the_body_begins() -> None:
    signatures = {it.name: it.signature for it in FACTS.outline.functions}
    assert signatures["Shop.total"] == "function total(c::Cart, rate=1; kw::Int=2, rest...)"
    assert signatures["Shop.where_it"] == "where_it(x::T) where {T}"


def test_types_have_their_bases() -> None:
    assert [it[:4] for it in type_rows(FACTS)] == [
        ("Shop.Thing", "abstract type", 13, ()),
        ("Shop.Cart", "struct", 17, ("Thing",)),
    ]


def test_the_head_of_a_definition_is_no_call() -> None:
    assert calls(FACTS) == {
        "": ("include", "total"),
        "Shop.Cart.Cart": ("new",),
        "Shop.total": ("done", "map", "risky"),
        "Shop.Base.show": ("print",),
        "Shop.quick": ("Shop.Sub.call", "a.b.c", "foo!"),
    }


def test_macros_before_a_function_and_strings_document_it() -> None:
    quick = next(it for it in FACTS.outline.functions if it.name == "Shop.quick")
    assert (quick.decorators, quick.is_documented) == (("inline",), True)
    assert FACTS.links.exports == ("total", "Cart")
    assert private_names(extract(b"_f(x) = x\n", "julia")) == ["_f"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if a\n b\n else\n if c\n d\n end\n end", (3, 4)),
        ("if a\n if b\n c\n end\n else\n d\n end", (3, 4)),
        ("a && b && c || d", (4, 2)),
        ("[x for x in y if x > 1]", (3, 0)),
        ("map(y) do x\n if x\n 1\n end\n end", (2, 2)),
        ("try\n a()\n catch\n if b\n c\n end\n end", (3, 3)),
    ],
)
def test_what_a_decision_adds(body: str, expected: tuple[int, int]) -> None:
    assert measured(f"function f(a, y)\n {body}\nend\n", "julia") == expected
