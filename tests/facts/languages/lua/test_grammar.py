import pytest

from benchpin.facts.parsing import extract
from language_facts import (
    calls,
    documented_names,
    facts_of,
    function_rows,
    import_rows,
    measured,
    private_names,
    type_rows,
)

FACTS = facts_of("lua/basket.lua")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Basket.price", "method", 12, 7, 11, 3, 3),
        ("Basket.add", "method", 27, 2, 1, 1, 1),
        ("hidden", "function", 34, 3, 2, 0, 1),
        ("Basket.show", "method", 36, 1, 0, 0, 1),
        ("Basket._secret", "method", 38, 1, 0, 0, 0),
        ("late", "function", 40, 1, 0, 0, 0),
        ("open", "function", 42, 1, 0, 0, 1),
        ("close", "function", 42, 1, 0, 0, 0),
        ("unused_global", "function", 44, 1, 0, 0, 0),
        ("(anonymous)", "function", 46, 1, 0, 0, 2),
        ("Basket.load", "method", 50, 1, 0, 0, 1),
        ("Basket.load.f", "function", 51, 1, 0, 0, 0),
    ]
    assert type_rows(FACTS) == []


def test_what_is_private_and_documented_is_known() -> None:
    assert private_names(FACTS) == ["hidden", "Basket._secret", "late", "Basket.load.f"]
    assert documented_names(FACTS) == ["Basket.price", "Basket.load"]


def test_imports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("json", (), 2, 0),
        ("shop.rate", (), 3, 0),
        ("shop.money", (), 3, 0),
        ("shop.extra", (), 4, 0),
        ("shop.setup", (), 5, 0),
        ("lib/late.lua", (), 52, 1),
    ]
    assert [it.aliases for it in FACTS.links.imports[:3]] == [("json",), ("rate",), ("money",)]
    assert [it.kind for it in FACTS.links.imports] == ["runtime"] * 5 + ["lazy"]


def test_members_of_the_returned_table_are_exported() -> None:
    assert FACTS.links.exports == ("__index", "price", "add", "show", "_secret", "load")
    facts = extract(b"return { open = function() end, close = 3, 5 }", "lua")
    assert facts.links.exports == ("open", "close")


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "": ("pcall", "require", 'require("shop.setup").run', "table.sort"),
        "Basket.load": ("dofile", "require"),
        "Basket.load.f": ("dofile",),
        "Basket.price": ("ipairs",),
        "Basket.show": ("hidden", "json.encode"),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if a then b() elseif c then d() else e() end", 3, 3),
        ("for i = 1, 3 do if i then f() end end", 3, 3),
        ("while a and b or c do break end", 4, 3),
        ("repeat f() until a or (b or c)", 4, 2),
        ("return function() if a then b() end end", 1, 2),
        ("goto done ::done::", 1, 1),
        ("local a = b == 1 and 'if' or [[for]]", 3, 2),
        ("if a then else if b then c() end end", 3, 4),
    ],
)
def test_measures_are_those_of_lizard_and_sonar(body: str, cyclomatic: int, cognitive: int) -> None:
    assert measured(f"function f()\n{body}\nend", "lua") == (cyclomatic, cognitive)


def test_a_broken_file_still_has_its_functions() -> None:
    outline = extract(b"function a() end\n\nx = = 1\n\nfunction b() end\n", "lua").outline
    assert outline.error_line == 3
    assert [it.name for it in outline.functions] == ["a", "b"]
