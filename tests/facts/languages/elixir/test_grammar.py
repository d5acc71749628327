import pytest

from benchpin.facts.parsing import extract
from language_facts import (
    calls,
    decorators,
    documented_names,
    facts_of,
    function_rows,
    import_rows,
    measured,
    private_names,
    type_rows,
)

FACTS = facts_of("elixir/basket.ex")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Shop.Basket.price", "method", 19, 15, 14, 2, 2),
        ("Shop.Basket.price", "method", 68, 1, 0, 0, 2),
        ("Shop.Basket.hidden", "method", 71, 1, 0, 0, 1),
        ("Shop.Basket.twice", "method", 73, 1, 0, 0, 1),
        ("Shop.Basket.init", "method", 78, 1, 0, 0, 1),
        ("Shop.Basket.<~>", "method", 80, 1, 0, 0, 2),
        ("Shop.Basket.empty?", "method", 81, 1, 0, 0, 0),
        ("Shop.Basket.find", "method", 82, 1, 0, 0, 1),
        ("Shop.Basket.Inner.deep", "method", 85, 1, 0, 0, 1),
        ("String.Chars.Shop.Basket.to_string", "method", 90, 1, 0, 0, 1),
        ("Shop.Priced.price", "method", 95, 1, 0, 0, 1),
        ("Shop.BasketTest.test is a sum", "method", 102, 1, 0, 0, 0),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == ["Shop.Basket.hidden"]
    assert documented_names(FACTS) == ["Shop.Basket.price"]
    assert decorators(FACTS) == {"Shop.Basket.init": ("impl",)}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Shop.Basket", "module", 1, ("GenServer", "Ecto.Schema", "Plug"), True, False),
        ("Shop.Basket.Inner", "module", 84, (), True, False),
        ("String.Chars.Shop.Basket", "implementation", 89, ("String.Chars",), True, False),
        ("Shop.Priced", "protocol", 93, (), True, False),
        ("Shop.BasketTest", "module", 98, ("ExUnit.Case",), True, False),
    ]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("GenServer", (), 5, 0),
        ("Ecto.Schema", (), 6, 0),
        ("Ecto.Query", ("from", "where"), 7, 0),
        ("Shop.Line", (), 8, 0),
        ("Shop.Rate", (), 8, 0),
        ("Shop.Money", (), 9, 0),
        ("Logger", (), 10, 0),
        ("ExUnit.Case", (), 99, 0),
    ]
    assert FACTS.links.exports == (
        "Shop.Basket",
        "String.Chars.Shop.Basket",
        "Shop.Priced",
        "Shop.BasketTest",
        "Shop.Basket.Inner",
    )


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "": ("defstruct", "describe"),
        "Shop.Basket.Inner.deep": ("fun.",),
        "Shop.Basket.hidden": ("Shop.Rate.find",),
        "Shop.Basket.price": (
            "Enum.each",
            "Enum.map",
            "Line.last",
            "M.new",
            "M.round",
            "find",
            "inspect",
            "is_list",
            "price",
            "raise",
            "try",
        ),
        "Shop.Basket.twice": ("quote", "unquote"),
        "Shop.BasketTest.test is a sum": ("Shop.Basket.price", "assert"),
        "String.Chars.Shop.Basket.to_string": ("basket.count",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if a do b else c end", 2, 2),
        ("unless a, do: b", 2, 1),
        ("case a do\n1 -> b\n2 -> c\n_ -> d\nend", 3, 1),
        ("cond do\na -> 1\ntrue -> 2\nend", 2, 1),
        ("with {:ok, b} <- a do b else :c -> 1; :d -> 2 end", 3, 1),
        ("for b <- a, do: (if b, do: 1)", 3, 3),
        ("a && b || c and d", 4, 3),
        ("try do a() rescue B -> 1; C -> 2 end", 3, 1),
        ("Enum.map(a, fn 1 -> 2; _ -> 3 end)", 2, 0),
        ("a |> b() |> c()", 1, 0),
    ],
)
def test_measures_are_those_counted_by_hand(body: str, cyclomatic: int, cognitive: int) -> None:
    assert measured(f"def f(a, b) do\n{body}\nend", "elixir") == (cyclomatic, cognitive)


def test_a_broken_file_still_has_its_functions() -> None:
    outline = extract(b"def a, do: 1\n\nx = [1, )\n\ndef b, do: 1\n", "elixir").outline
    assert outline.error_line == 3
    assert [it.name for it in outline.functions] == ["a", "b"]
