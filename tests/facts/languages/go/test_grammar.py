import pytest

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

FACTS = facts_of("go/store.go")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Store.Get", "method", 31, 10, 13, 3, 3),
        ("List.Len", "method", 57, 1, 0, 0, 0),
        ("Watch", "function", 60, 4, 3, 1, 2),
        ("Watch.(anonymous)", "closure", 61, 2, 1, 1, 0),
        ("Watch.handle", "closure", 66, 1, 0, 0, 1),
        ("external", "function", 76, 1, 0, 0, 1),
        ("fallback", "closure", 78, 1, 0, 0, 1),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == ["Watch.(anonymous)", "Watch.handle", "external", "fallback"]
    assert documented_names(FACTS) == ["Store.Get", "Watch"]
    assert decorators(FACTS) == {}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Store", "struct", 13, ("Base", "log.Logger"), True, True),
        ("Reader", "interface", 20, ("Closer",), True, True),
        ("key", "type", 26, (), False, False),
        ("Keys", "type", 27, (), True, False),
    ]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("errors", (), 5, 0),
        ("strings", ("*",), 6, 0),
        ("example.com/log", (), 7, 0),
        ("os", (), 10, 0),
    ]
    assert FACTS.links.exports == ("fallback",)


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "Store.Get": ("ToLower", "any", "errors.New"),
        "List.Len": ("len",),
        "Watch": ("done", "handle"),
        "Watch.(anonymous)": ("os.Exit", "recover"),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if x { foo() } else if y { bar() } else { baz() }", 3, 3),
        ("if x { } else if y { if y { } else { } }", 4, 5),
        ("if x { } else if y { } else { if y { } else { } }", 4, 6),
        ("switch x { case 'a': foo(); default: bar() }", 2, 1),
        ("switch x { default: if y { } }", 2, 3),
        ("return a || b && c || d", 4, 3),
        ("return a && (b && c)", 3, 2),
        ("for x { break foo }", 2, 2),
        ("for x { if y { } }", 3, 3),
        ("f := func() { if x { } }", 2, 2),
        ("if x { f := func() { if x { } } }", 3, 4),
    ],
)
def test_measures_are_those_of_gocyclo_and_sonar(
    body: str, cyclomatic: int, cognitive: int
) -> None:
    """Cyclomatic by gocyclo's rules; cognitive by the values in sonar-go's own tests."""
    assert measured(f"package p\nfunc f() {{ {body} }}", "go") == (cyclomatic, cognitive)


def test_line_breaks_are_not_tokens() -> None:
    assert not [text for text in FACTS.tokens.texts if not text.strip()]
