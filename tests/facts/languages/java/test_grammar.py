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

FACTS = facts_of("java/Ledger.java")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Ledger.NOTHING", "closure", 11, 1, 0, 0, 0),
        ("Ledger.Ledger", "method", 20, 1, 0, 0, 1),
        ("Ledger.sum", "method", 25, 8, 11, 2, 2),
        ("Ledger.sum.(anonymous)", "closure", 42, 2, 1, 1, 1),
        ("Ledger.kind", "method", 45, 6, 3, 1, 1),
        ("Ledger.later", "method", 65, 1, 2, 0, 0),
        ("Ledger.later.(anonymous).run", "method", 67, 2, 1, 1, 0),
        ("Ledger.Entry.isOpen", "method", 82, 1, 0, 0, 0),
        ("Ledger.Side.DEBIT.sign", "method", 89, 1, 0, 0, 0),
        ("Ledger.Pair.Pair", "method", 97, 2, 1, 1, 0),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "Ledger.NOTHING",
        "Ledger.sum.(anonymous)",
        "Ledger.kind",
        "Ledger.later",
        "Ledger.Side.DEBIT.sign",
        "Ledger.Pair.Pair",
    ]
    assert documented_names(FACTS) == ["Ledger.Ledger"]
    assert decorators(FACTS) == {
        "Ledger.sum": ("Override", "SuppressWarnings"),
        "Ledger.later.(anonymous).run": ("Override",),
    }


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Ledger", "class", 8, ("Base", "Closeable", "Comparable"), True, True),
        ("Ledger.later.(anonymous)", "class", 66, ("Runnable",), False, False),
        ("Ledger.Entry", "interface", 79, ("Serializable",), False, False),
        ("Ledger.Side", "enum", 87, (), False, False),
        ("Ledger.Side.DEBIT", "class", 88, (), False, False),
        ("Ledger.Pair", "record", 96, (), False, False),
        ("Ledger.Audited", "annotation", 104, (), False, False),
    ]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("java.util", ("List",), 3, 0),
        ("java.lang.Math", ("max",), 4, 0),
        ("java.io", ("*",), 5, 0),
    ]
    assert FACTS.links.exports == ()


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "": ("System.out.println",),
        "Ledger.sum": (
            "entries.stream",
            "entries.stream().mapToInt",
            "entries.stream().mapToInt(it -> it == null ? 0 : it.amount()).sum",
            "entry.amount",
            "entry.isOpen",
            "max",
        ),
        "Ledger.sum.(anonymous)": ("it.amount",),
        "Ledger.kind": ("close", "open"),
        "Ledger.later": ("Runnable", "Thread"),
        "Ledger.later.(anonymous).run": ("close",),
        "Ledger.Pair.Pair": ("IllegalArgumentException",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("return a && b || foo(b && c);", 4, 3),
        ("return a && (b || c) || d;", 4, 2),
        ("if (a && b || c && d || e) {}", 6, 5),
        ("if (a || (b || c)) {}", 4, 2),
        ("for (Object o : x) { break l; }", 2, 2),
        ("try { while (a) { try { if (b) {} } catch (E e) {} } } finally { if (c) {} }", 5, 6),
        ("Runnable r = () -> { if (c) {} };", 2, 2),
        ("r = new Runnable() { public void run() { if (c) {} } };", 1, 2),
        ("class Local { boolean plop() { return a && b || c && d; } }", 1, 3),
        (
            "while (t) { if (t) { for (;;) { if (t) {} else if (t) {} else { if (t) {} } } } }",
            7,
            17,
        ),
    ],
)
def test_measures_are_those_of_lizard_and_sonar(body: str, cyclomatic: int, cognitive: int) -> None:
    """Cyclomatic by lizard's rules; cognitive by the values in sonar-java's own tests."""
    assert measured(f"class A {{ void f() {{ {body} }} }}", "java") == (cyclomatic, cognitive)


def test_a_method_without_a_body_is_left_out() -> None:
    source = b"interface A { void a(); default void b() {} } abstract class B { native void c(); }"
    assert [it.name for it in extract(source, "java").outline.functions] == ["A.b"]
