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

FACTS = facts_of("swift/Basket.swift")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Basket.isCheap", "closure", 14, 2, 1, 0, 1),
        ("Basket.isEmpty", "method", 16, 1, 0, 0, 0),
        ("Basket.label", "method", 19, 2, 2, 1, 0),
        ("Basket.label", "method", 22, 1, 0, 0, 0),
        ("Basket.size", "method", 28, 2, 1, 1, 0),
        ("Basket.init", "method", 34, 1, 0, 0, 2),
        ("Basket.deinit", "method", 38, 1, 0, 0, 0),
        ("Basket.price", "method", 43, 8, 11, 3, 2),
        ("Basket.describe", "method", 58, 3, 1, 1, 1),
        ("Basket.wait", "method", 69, 6, 6, 1, 1),
        ("Basket.wait.step", "function", 75, 1, 0, 0, 1),
        ("Basket.wait.(anonymous)", "closure", 77, 1, 0, 0, 0),
        ("Basket.wait.(anonymous)", "closure", 77, 2, 1, 1, 1),
        ("Basket.total", "method", 90, 1, 0, 0, 0),
        ("Basket.secret", "method", 92, 1, 0, 0, 0),
        ("Line.subscript", "method", 97, 1, 0, 0, 0),
        ("Line.==", "method", 100, 1, 0, 0, 2),
        ("helper", "function", 109, 1, 0, 0, 1),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "Basket.isCheap",
        "Basket.isEmpty",
        "Basket.size",
        "Basket.deinit",
        "Basket.describe",
        "Basket.wait",
        "Basket.wait.step",
        "Basket.wait.(anonymous)",
        "Basket.wait.(anonymous)",
        "Basket.secret",
        "Line.subscript",
        "Line.==",
        "helper",
    ]
    assert documented_names(FACTS) == ["Basket.price"]
    assert decorators(FACTS) == {"Basket.price": ("discardableResult",)}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Priced", "protocol", 6, ("AnyObject",), True, True),
        ("Basket", "class", 11, ("Model", "Priced"), True, True),
        ("Basket", "extension", 89, (), True, False),
        ("Line", "struct", 95, ("Equatable", "Codable"), False, False),
        ("Size", "enum", 103, ("String",), False, False),
        ("Lines", "type", 107, (), False, False),
    ]


def test_imports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("Foundation", (), 1, 0),
        ("Shop", ("Money",), 2, 0),
        ("Shop.Tax", (), 3, 0),
    ]


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "Basket.label": ("log",),
        "Basket.size": ("report",),
        "Basket.deinit": ("log",),
        "Basket.price": ("Money", "line.price", "rates.apply"),
        "Basket.describe": ("thing.self",),
        "Basket.wait": ("lines.map", "log", "try lines.map { $0.price }.forEach"),
        "Basket.wait.(anonymous)": ("log", "step"),
        "helper": ("basket.total",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if a { } else if b { } else { }", 3, 3),
        ("guard a else { return }", 2, 1),
        ("for x in y { while a { repeat { } while b } }", 4, 6),
        ("switch a { case 1, 2: b(); case 3: c(); default: d() }", 3, 1),
        ("do { } catch let e as A { if b { } } catch { }", 4, 4),
        ("let x = a == 1 && b == 2 && c == 3", 3, 1),
        ("let x = a && b || c && d", 4, 3),
        ("let x = a ? b : c ?? d", 2, 1),
        ("l: while a { break l }", 2, 2),
        ("list.map { if $0 { } }", 2, 2),
    ],
)
def test_decisions_are_counted(body: str, cyclomatic: int, cognitive: int) -> None:
    """Cyclomatic as in lizard; cognitive by SonarSource's definition."""
    assert measured(f"func f() {{ {body} }}", "swift") == (cyclomatic, cognitive)


def test_a_broken_file_still_has_its_functions() -> None:
    source = b"func a() { }\n\nfunc b() {\n  let x = [1, )\n}\n\nfunc c() { }\n"
    outline = extract(source, "swift").outline
    assert outline.error_line == 4
    assert [it.name for it in outline.functions] == ["a", "b", "c"]
