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

FACTS = facts_of("php/basket.php")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Basket.price", "method", 32, 7, 10, 3, 0),
        ("Basket.sorted", "method", 49, 3, 3, 0, 2),
        ("Basket.sorted.by", "closure", 51, 2, 1, 1, 2),
        ("Basket.sorted.(anonymous)", "closure", 56, 2, 1, 0, 1),
        ("Basket.label", "method", 60, 3, 3, 2, 1),
        ("search", "function", 85, 7, 14, 3, 2),
        ("(anonymous).handle", "method", 107, 1, 0, 0, 0),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "Basket.sorted",
        "Basket.sorted.by",
        "Basket.sorted.(anonymous)",
        "Basket.label",
    ]
    assert documented_names(FACTS) == ["Basket.price"]
    assert decorators(FACTS) == {"Basket.price": ("Cached", "Pure")}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Priced", "interface", 16, ("\\Countable",), True, True),
        (
            "Basket",
            "class",
            24,
            ("Model", "Priced", "\\JsonSerializable", "Timestamps"),
            True,
            True,
        ),
        ("Timestamps", "trait", 75, (), True, False),
        ("Size", "enum", 80, (), True, False),
        ("(anonymous)", "class", 106, ("Listener",), True, False),
    ]


def test_imports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("Shop\\Money", (), 7, 0),
        ("Shop\\Tax\\Rate", (), 8, 0),
        ("Shop\\Tax\\Table", (), 8, 0),
        ("Shop\\round_up", (), 9, 0),
        ("legacy.php", (), 11, 1),
        ("settings.php", (), 12, 0),
        ("bootstrap.php", (), 13, 2),
    ]


def test_exports_have_full_names() -> None:
    assert FACTS.links.exports == (
        "Shop\\Basket\\Priced",
        "Shop\\Basket\\Basket",
        "Shop\\Basket\\Timestamps",
        "Shop\\Basket\\Size",
        "Shop\\Basket\\search",
    )


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "": ("dirname", "include", "new", "require", "require_once"),
        "Basket.price": (
            "$line->count",
            "$line->isFree",
            "$line->isGift",
            "$line->price",
            "$this->rates?->apply",
            "Money",
            "Money::zero",
            "round_up",
        ),
        "Basket.sorted": ("array_filter", "usort"),
        "Basket.sorted.by": ("$key",),
        "Basket.sorted.(anonymous)": ("$line->isFree", "$line->isGift"),
        "search": ("$error->getPrevious", "count", "log_error"),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if ($a) {} elseif ($b) {} else if ($c) {} else {}", 4, 4),
        ("if ($a): if ($b) {} elseif ($c) {} else {} endif;", 4, 5),
        ("switch ($a) { case 1: case 2: if ($b) {} default: }", 4, 3),
        ("do { if ($a) {} } while ($b);", 3, 3),
        ("try {} catch (A $e) { if ($a) {} } finally {}", 3, 3),
        ("$a = $b ? 1 : ($c ? 1 : 2);", 3, 3),
        ("while ($a) { continue 2; }", 2, 2),
        ("return $a && $b || $c && ($d && $e);", 5, 3),
        ("$a ??= $b ?? $c;", 1, 0),
        ("foo(function () { if ($a) {} });", 2, 2),
    ],
)
def test_measures_are_those_of_pdepend_and_sonar(
    body: str, cyclomatic: int, cognitive: int
) -> None:
    """CCN2 by PHP Depend's rules; cognitive by the values in sonar-php's own tests."""
    assert measured(f"<?php function f() {{ {body} }}", "php") == (cyclomatic, cognitive)


def test_a_broken_file_still_has_its_functions() -> None:
    outline = extract(b"<?php\nfunction a() {}\nclass { x\nfunction b() {}\n", "php").outline
    assert outline.error_line == 3
    assert "a" in [it.name for it in outline.functions]
