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

FACTS = facts_of("scala/Basket.scala")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Priced.isFree", "method", 12, 1, 0, 0, 0),
        ("Basket.this", "method", 22, 1, 0, 0, 1),
        ("Basket.price", "method", 25, 9, 10, 3, 0),
        ("Basket.describe", "method", 40, 6, 3, 2, 2),
        ("Basket.sorted", "method", 50, 6, 6, 2, 1),
        ("Basket.sorted.loop", "function", 51, 2, 1, 1, 1),
        ("Basket.sorted.run", "function", 57, 1, 0, 0, 0),
        ("Basket.empty", "method", 65, 1, 0, 0, 0),
        ("ordering.compare", "method", 75, 1, 0, 0, 2),
        ("total", "function", 79, 2, 2, 1, 1),
        ("hidden", "function", 85, 1, 0, 0, 0),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "Basket.describe",
        "Basket.sorted",
        "Basket.sorted.loop",
        "hidden",
    ]
    assert documented_names(FACTS) == ["Basket.price"]
    assert decorators(FACTS) == {"Basket.price": ("throws",)}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Priced", "trait", 9, ("Ordered",), True, True),
        ("Basket", "class", 18, ("Model", "Priced"), True, True),
        ("Basket", "object", 64, (), True, False),
        ("Size", "enum", 68, (), True, False),
        ("Lines", "type", 72, (), True, False),
    ]


def test_imports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("com.shop", ("Money",), 4, 0),
        ("com.shop.tax", ("Rate", "Table", "*"), 5, 0),
        ("scala.util", ("*",), 6, 0),
        ("java.time", ("Instant",), 6, 0),
    ]


def test_exports_have_full_names() -> None:
    assert FACTS.links.exports == (
        "com.shop.basket.Priced",
        "com.shop.basket.Basket",
        "com.shop.basket.Size",
        "com.shop.basket.Lines",
        "com.shop.basket.ordering",
        "com.shop.basket.total",
    )


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "Priced.isFree": ("price",),
        "Basket.this": ("List", "this"),
        "Basket.price": ("Money", "log", "rates.apply"),
        "Basket.describe": ("text.trim",),
        "Basket.sorted": (
            "Runner",
            "lines.filter",
            "lines.filter(line => line.isOpen && line.isGift).sortBy",
            "lines.filter(line => line.isOpen && line.isGift).sortBy(key).map",
        ),
        "Basket.sorted.loop": ("loop",),
        "Basket.sorted.run": ("loop",),
        "Basket.empty": ("Basket",),
    }


def test_what_is_ended_by_indentation_ends_before_the_next_definition() -> None:
    ends = {it.name: (it.end_line, it.code_lines) for it in FACTS.outline.functions}
    assert ends["total"] == (84, 5)


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if (a) { b } else if (c) { d } else { e }", 3, 3),
        ("val x = if (a) 1 else 2", 2, 1),
        ("for (x <- y) { while (a) { do { b } while (c) } }", 4, 6),
        ("for { x <- y; if x > 1 } yield x", 3, 0),
        ("a match { case 1 => b; case 2 if c => d; case _ => e }", 5, 1),
        ("try { a } catch { case e: A => b; case _ => c } finally { d }", 3, 1),
        ("a && b && c", 3, 1),
        ("a && b || c && d", 4, 3),
        ("list.map { case (a, b) => a }", 2, 0),
    ],
)
def test_decisions_are_counted(body: str, cyclomatic: int, cognitive: int) -> None:
    """Cyclomatic as in lizard, without `catch` itself; cognitive as in SonarSource's analyser."""
    assert measured(f"def f() = {{ {body} }}", "scala") == (cyclomatic, cognitive)


def test_a_broken_file_still_has_its_functions() -> None:
    source = b"object O {\n  def a = 1\n  def b = { val = }\n  def c = 2\n}\n"
    outline = extract(source, "scala").outline
    assert outline.error_line == 3
    assert {"O.a", "c"} <= {it.name for it in outline.functions}
