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

FACTS = facts_of("ruby/basket.rb")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Shop.Basket.initialize", "method", 16, 3, 1, 0, 5),
        ("Shop.Basket.price", "method", 22, 7, 4, 1, 1),
        ("Shop.Basket.load", "method", 32, 3, 5, 2, 1),
        ("Shop.Basket.empty", "method", 45, 1, 0, 0, 0),
        ("Shop.Basket.label", "method", 48, 5, 5, 2, 1),
        ("Shop.Basket.describe", "method", 63, 3, 1, 1, 1),
        ("Shop.Basket.wait", "method", 72, 5, 5, 2, 0),
        ("Shop.Basket.==", "method", 84, 1, 0, 0, 1),
        ("Shop.Basket.secret", "method", 86, 1, 0, 0, 0),
        ("Shop.Basket.visible", "method", 90, 1, 0, 0, 0),
        ("Shop.Basket.hidden_later", "method", 92, 1, 0, 0, 0),
        ("helper", "function", 97, 1, 0, 0, 1),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "Shop.Basket.wait",
        "Shop.Basket.==",
        "Shop.Basket.secret",
        "Shop.Basket.hidden_later",
    ]
    assert documented_names(FACTS) == ["Shop.Basket.price"]
    assert decorators(FACTS) == {"Shop.Basket.label": ("memoize",)}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Shop", "module", 8, (), True, False),
        (
            "Shop.Basket",
            "class",
            10,
            ("Model::Base", "Comparable", "Forwardable", "Enumerable"),
            True,
            True,
        ),
    ]


def test_imports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("set", (), 3, 0),
        ("../money", (), 4, 1),
        ("shop/rate", (), 5, 0),
    ]


def test_exports_have_full_names() -> None:
    assert FACTS.links.exports == ("Shop", "Shop::Basket")


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "": (
            "File.join",
            "attr_reader",
            "autoload",
            "extend",
            "include",
            "memoize",
            "private",
            "protected",
            "require",
            "require_relative",
        ),
        "Shop.Basket.price": (
            "Money.new",
            "line.count",
            "line.count.zero?",
            "line.free?",
            "line.gift?",
            "line.price",
            "line.rate",
            "line.rate&.apply",
            "lines.each",
        ),
        "Shop.Basket.load": (
            "YAML.load_file",
            "e.message",
            "e.message.include?",
            "log",
            "new",
            "path.to_s",
        ),
        "Shop.Basket.empty": ("new",),
        "Shop.Basket.label": ("code.negative?", "send"),
        "Shop.Basket.wait": (
            "Integer",
            "busy?",
            "done?",
            "failing?",
            "it.freeze",
            "lines.map",
            "names.tap",
            "sleep",
        ),
        "Shop.Basket.==": ("other.price", "price"),
    }


def test_symbols_are_mentions() -> None:
    assert {"fallback", "hidden_later"} <= set(FACTS.links.mentions)


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if a then 1 elsif b then 2 else 3 end", 3, 3),
        ("unless a\n  x\nelse\n  y\nend", 2, 2),
        ("x if a; y unless b", 3, 2),
        ("begin; a; rescue A; b; rescue B; c; end", 2, 2),
        ("begin; a; end while b", 1, 1),
        ("case a\nwhen 1, 2 then b\nwhen 3 then c\nelse d\nend", 3, 1),
        ("a ? b : (c ? d : e)", 3, 3),
        ("a && b || c and d", 4, 3),
        ("a ||= b; c &&= d; e += 1", 3, 0),
        ("a.map { |x| x }.each(&:y).tap { |z| z }", 3, 0),
        ("a&.b&.c", 3, 0),
    ],
)
def test_measures_are_those_of_rubocop_and_sonar(
    body: str, cyclomatic: int, cognitive: int
) -> None:
    """Metrics/CyclomaticComplexity by the cases in RuboCop's own specs."""
    assert measured(f"def f\n{body}\nend", "ruby") == (cyclomatic, cognitive)


def test_defaults_of_parameters_are_no_paths() -> None:
    assert measured("def f(a = b || c)\n  a\nend", "ruby")[0] == 1


def test_a_broken_file_still_has_its_functions() -> None:
    outline = extract(b"def a\nend\n\nx = [1, )\n\ndef b\nend\n", "ruby").outline
    assert outline.error_line == 4
    assert [it.name for it in outline.functions] == ["a", "b"]
