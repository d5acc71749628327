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

FACTS = facts_of("dart/basket.dart")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Basket.filled", "method", 16, 1, 0, 0, 1),
        ("Basket.of", "method", 19, 1, 0, 0, 0),
        ("Basket.count", "method", 21, 2, 1, 1, 0),
        ("Basket.count", "method", 22, 1, 0, 0, 1),
        ("Basket.price", "method", 28, 15, 17, 2, 2),
        ("Basket.price.twice", "function", 58, 1, 0, 0, 1),
        ("Basket.price.(anonymous)", "function", 59, 2, 1, 1, 1),
        ("Basket.price.local", "function", 60, 1, 0, 0, 1),
        ("Basket._fill", "method", 67, 1, 0, 0, 1),
        ("Basket.operator ==", "method", 68, 1, 0, 0, 1),
        ("Kind.number", "method", 77, 1, 0, 0, 0),
        ("Mixed.mixed", "method", 81, 1, 0, 0, 0),
        ("Shown.show", "method", 85, 1, 0, 0, 0),
        ("global", "function", 92, 1, 0, 0, 0),
        ("main", "function", 94, 1, 0, 0, 1),
        ("_Hidden.build", "method", 100, 3, 3, 2, 1),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "Basket.price.twice",
        "Basket.price.(anonymous)",
        "Basket._fill",
    ]
    assert documented_names(FACTS) == ["Basket.price"]
    assert decorators(FACTS) == {"Basket.price": ("override",), "_Hidden.build": ("override",)}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Basket", "class", 9, ("Base", "Thing", "Mix", "Other"), True, True),
        ("Kind", "enum", 73, (), True, False),
        ("Mixed", "mixin", 80, ("Basket",), True, False),
        ("Shown", "extension", 84, (), True, False),
        ("Id", "extension type", 88, (), True, False),
        ("Maker", "type", 89, (), True, False),
        ("_Hidden", "class", 98, ("State",), False, False),
    ]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("dart:async", (), 2, 0),
        ("package:flutter/material.dart", ("Widget", "State"), 3, 0),
        ("../money.dart", (), 4, 0),
        ("src/rate.dart", ("Rate",), 5, 0),
        ("basket.g.dart", (), 6, 0),
    ]
    assert FACTS.links.exports == (
        "Basket",
        "Kind",
        "Mixed",
        "Shown",
        "Id",
        "Maker",
        "top",
        "other",
        "global",
        "main",
    )


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "Basket.count": ("_fill",),
        "Basket.filled": ("_fill",),
        "Basket.of": ("Basket",),
        "Basket.price": (
            "_fill",
            "clear",
            "load",
            "local",
            "map",
            "print",
            "round",
            "twice",
            "where",
        ),
        "_Hidden.build": ("Row",),
        "main": ("App", "runApp"),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if (a) {} else if (b) {} else {}", 3, 3),
        ("for (final b in a) { if (b) {} }", 3, 3),
        ("while (a && b || c) { break; }", 4, 3),
        ("do {} while (a && (b || c));", 4, 3),
        ("switch (a) { case 1: case 2: b(); default: c(); }", 3, 1),
        ("final b = switch (a) { 1 => 2, _ => 3 };", 2, 1),
        ("final b = a ? 1 : c ? 2 : 3;", 3, 3),
        ("final b = a ?? c; d?.e();", 2, 0),
        ("try { a(); } on B catch (c) {} finally {}", 2, 1),
        ("final b = [if (a) 1 else 2, for (final c in d) c];", 3, 2),
        ("outer: for (;;) { continue outer; }", 2, 2),
        ("a.map((b) => b ? 1 : 2);", 1, 2),
    ],
)
def test_measures_are_those_counted_by_hand(body: str, cyclomatic: int, cognitive: int) -> None:
    assert measured(f"void f() {{ {body} }}", "dart") == (cyclomatic, cognitive)


def test_a_broken_file_still_has_its_functions() -> None:
    outline = extract(b"void a() {}\n\nvar x = 1 +;\n\nvoid b() {}\n", "dart").outline
    assert outline.error_line == 3
    assert [it.name for it in outline.functions] == ["a", "b"]
