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

FACTS = facts_of("cpp/pool.cpp")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("work.pool.Task.Task", "method", 11, 1, 1, 1, 1),
        ("work.pool.Task.id", "method", 13, 1, 0, 0, 0),
        ("work.pool.Task.operator==", "method", 14, 1, 0, 0, 1),
        ("work.pool.Task.operator bool", "method", 15, 2, 1, 0, 0),
        ("work.pool.Task.stop", "method", 19, 2, 1, 1, 2),
        ("work.pool.Task.reset", "method", 22, 4, 4, 2, 0),
        ("work.pool.Task.run", "method", 38, 5, 6, 2, 0),
        ("work.pool.Task.run.done", "closure", 40, 3, 2, 1, 1),
        ("work.pool.Task.run.(anonymous)", "closure", 51, 1, 0, 0, 2),
        ("work.pool.hidden", "function", 55, 1, 0, 0, 1),
        ("local", "function", 60, 1, 0, 0, 0),
        ("Exported.size", "method", 67, 2, 1, 1, 0),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "work.pool.Task.stop",
        "work.pool.Task.reset",
        "work.pool.Task.run.done",
        "work.pool.Task.run.(anonymous)",
        "work.pool.hidden",
        "local",
    ]
    assert documented_names(FACTS) == ["work.pool.Task.Task"]
    assert decorators(FACTS) == {"work.pool.Task.id": ("nodiscard",)}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("work.pool.Task", "class", 8, ("Base", "detail.Counted"), True, True),
        ("Color", "enum", 62, (), True, False),
        ("Point", "struct", 63, (), True, False),
        ("Exported", "class", 65, ("Point",), True, False),
    ]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [("vector", (), 1, 0), ("pool.hpp", (), 2, 1)]
    assert FACTS.links.exports == ()


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "work.pool.Task.reset": ("clear", "log"),
        "work.pool.Task.run": ("done", "item.call", "items_.begin", "items_.end", "std::sort"),
        "local": ("work::pool::hidden",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("try { a(); } catch (int) { } catch (...) { }", 3, 2),
        ("auto f = [](int z) { return z ? 1 : 2; };", 2, 2),
        ("return any_of(a, b, [](int z) { if (z && q) { return 1; } return 0; });", 3, 3),
        ("for (auto x : y) { if constexpr (X) {} }", 3, 3),
        ("switch (x) { case 1: case 2: break; default: break; }", 3, 1),
    ],
)
def test_measures_are_those_of_lizard_and_the_definition(
    body: str, cyclomatic: int, cognitive: int
) -> None:
    """Cyclomatic as lizard 1.24 prints it; cognitive by the white paper."""
    assert measured(f"int f() {{ {body} }}", "cpp") == (cyclomatic, cognitive)


def test_words_for_operators_count_as_operators_do() -> None:
    assert measured("int f() { return a and b or c; }", "cpp") == (3, 2)


def test_annotating_macros_are_not_names() -> None:
    source = (
        b"BEGIN_NAMESPACE\nclass API Foo : public Bar {\n  int a() LOCKED(mu_) { return 1; }\n};"
    )
    outline = extract(source, "cpp").outline
    assert outline.error_line == 0
    assert [it.name for it in outline.functions] == ["Foo.a"]
    assert [(it.name, it.bases) for it in outline.types] == [("Foo", ("Bar",))]


def test_methods_outside_their_class_have_its_name() -> None:
    source = b"""
    template <> int ns::Foo<int>::get() { return 1; }
    Foo::operator bool() const { return true; }
    Foo &Foo::operator=(const Foo &other) { return *this; }
    Foo::~Foo() {}
    """
    outline = extract(source, "cpp").outline
    assert [(it.name, it.kind) for it in outline.functions] == [
        ("ns.Foo.get", "method"),
        ("Foo.operator bool", "method"),
        ("Foo.operator=", "method"),
        ("Foo.~Foo", "method"),
    ]
