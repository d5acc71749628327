from language_facts import (
    calls,
    decorators,
    documented_names,
    facts_of,
    function_rows,
    import_rows,
    private_names,
    type_rows,
)

FACTS = facts_of("tsx/panel.tsx")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Panel", "function", 9, 4, 3, 1, 1),
        ("Panel.(anonymous)", "function", 15, 2, 1, 0, 1),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == ["Panel", "Panel.(anonymous)"]
    assert documented_names(FACTS) == ["Panel"]
    assert decorators(FACTS) == {}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [("Props", "interface", 3, (), False, False)]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [("react", ("memo",), 1, 0)]
    assert FACTS.links.exports == ("Panel",)


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {"": ("memo",), "Panel": ("rows.map",)}
