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

FACTS = facts_of("kotlin/Basket.kt")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Priced.isFree", "method", 13, 1, 0, 0, 0),
        ("Basket.size", "method", 22, 2, 1, 1, 0),
        ("Basket.label", "method", 25, 1, 0, 0, 1),
        ("Basket.init", "method", 29, 1, 0, 0, 0),
        ("Basket.constructor", "method", 33, 1, 0, 0, 1),
        ("Basket.price", "method", 38, 7, 8, 2, 0),
        ("Basket.describe", "method", 54, 5, 3, 2, 2),
        ("Basket.describe.(anonymous)", "closure", 59, 1, 0, 0, 0),
        ("Basket.wait", "method", 62, 4, 5, 1, 1),
        ("Basket.wait.isDone", "closure", 63, 2, 1, 0, 1),
        ("Basket.wait.step", "function", 64, 1, 0, 0, 1),
        ("Basket.wait.(anonymous).run", "method", 71, 2, 1, 1, 0),
        ("Basket.Companion.empty", "method", 85, 1, 0, 0, 0),
        ("Size.isSmall", "method", 93, 1, 0, 0, 0),
        ("total", "function", 101, 1, 0, 0, 0),
        ("total.(anonymous)", "closure", 101, 1, 0, 0, 0),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "Basket.size",
        "Basket.label",
        "Basket.describe",
        "Basket.describe.(anonymous)",
        "Basket.wait",
        "Basket.wait.isDone",
        "Basket.wait.step",
        "total.(anonymous)",
    ]
    assert documented_names(FACTS) == ["Basket.price"]
    assert decorators(FACTS) == {"Basket.price": ("Throws", "JvmStatic")}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Priced", "interface", 10, ("Comparable",), True, True),
        ("Basket", "class", 19, ("Model", "Priced"), True, True),
        ("Basket.wait.(anonymous)", "object", 70, ("Runnable",), False, False),
        ("Basket.Companion", "object", 84, (), True, False),
        ("Size", "enum", 89, (), True, False),
        ("Cache", "object", 96, (), False, False),
        ("Lines", "type", 98, (), True, False),
    ]


def test_imports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("com.shop", ("Money",), 5, 0),
        ("com.shop.tax", ("*",), 6, 0),
        ("com.shop.tax", ("Table",), 7, 0),
    ]


def test_exports_have_full_names() -> None:
    assert FACTS.links.exports == (
        "com.shop.basket.Priced",
        "com.shop.basket.Basket",
        "com.shop.basket.Size",
        "com.shop.basket.Lines",
        "com.shop.basket.total",
        "com.shop.basket.default",
    )


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "": ("Basket.empty",),
        "Priced.isFree": ("Money.zero", "price"),
        "Basket.size": ("lines.isEmpty",),
        "Basket.init": ("require",),
        "Basket.constructor": ("listOf", "log"),
        "Basket.price": ("Money.zero", "line.price", "rates?.apply"),
        "Basket.describe": ("more.joinToString", "thing.isEmpty"),
        "Basket.describe.(anonymous)": ("it.trim",),
        "Basket.wait": ("isDone", "log", "run", "step"),
        "Basket.wait.isDone": ("isFree",),
        "Basket.Companion.empty": ("Basket", "emptyList"),
        "total": ("lines.sumOf",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if (a) { } else if (b) { } else { }", 3, 3),
        ("if (a) { } else // why\n{ }", 2, 2),
        ("val x = if (a) 1 else 2", 2, 1),
        ("when (a) { 1 -> b(); 2 -> c(); else -> d() }", 4, 1),
        ("for (x in y) { while (a) { do { } while (b) } }", 4, 6),
        ("try { } catch (e: A) { if (b) { } } catch (e: B) { } finally { }", 4, 4),
        ("val x = a && b || c && (d && e)", 5, 3),
        ("val x = a ?: b?.c", 2, 0),
        ("l@ while (a) { break@l }", 2, 2),
        ("list.map { if (it) { } }", 2, 2),
    ],
)
def test_measures_are_those_of_detekt_and_sonar(body: str, cyclomatic: int, cognitive: int) -> None:
    """Detekt without its jumps and scope functions; cognitive as in sonar-kotlin's samples."""
    assert measured(f"fun f() {{ {body} }}", "kotlin") == (cyclomatic, cognitive)


@pytest.mark.parametrize(
    "source",
    [
        "fun a() = 1\n\ncontext(session: Session)\nfun b() = 2\n",
        "fun a(x: Any) = when (x) {\n    is Int if x > 1 -> 1\n    else -> 2\n}\nfun b() = 2\n",
        "fun a() {\n    val x = insert { } get table.id\n}\nfun b() = 2\n",
        "class K {\n    var set = 0\n    fun a() { set = set or 1 }\n}\nfun b() = 2\n",
        "fun a() {\n    where?.let { it }\n    in1.close()\n}\nfun b() = 2\n",
        'fun a() = $$"x$y"\nfun b() = 2\n',
        "class K {\n    fun a() {\n        open = isOpen\n    }\n}\nfun b() = 2\n",
    ],
)
def test_syntax_unknown_to_the_grammar_is_masked(source: str) -> None:
    outline = extract(source.encode(), "kotlin").outline
    names = [it.name.rpartition(".")[2] for it in outline.functions if it.kind != "closure"]
    assert (outline.error_line, names) == (0, ["a", "b"])


def test_masking_changes_no_name() -> None:
    links = extract(b"fun a() {\n    val x = f { } get table.id\n}\n", "kotlin").links
    assert links.references["get"] == 1


def test_a_broken_file_still_has_its_functions() -> None:
    source = b"fun a() { }\n\nfun b() {\n  val x = [1, )\n}\n\nfun c() { }\n"
    outline = extract(source, "kotlin").outline
    assert outline.error_line == 4
    assert [it.name for it in outline.functions] == ["a", "b", "c"]
