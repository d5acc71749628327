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

FACTS = facts_of("typescript/client.ts")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("limits.most", "function", 19, 2, 1, 1, 1),
        ("Client.constructor", "method", 29, 2, 0, 0, 2),
        ("Client.send", "method", 38, 7, 6, 2, 3),
        ("Client.send.(anonymous)", "function", 46, 1, 0, 0, 1),
        ("Client.reset", "method", 53, 2, 1, 1, 0),
        ("parse", "function", 62, 4, 2, 1, 2),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == ["Client.send.(anonymous)", "Client.reset"]
    assert documented_names(FACTS) == ["Client.send"]
    assert decorators(FACTS) == {"Client.send": ("logged",)}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Retry", "interface", 6, ("Options",), True, True),
        ("Handler", "type", 11, (), True, False),
        ("Mode", "enum", 13, (), True, False),
        ("Client", "class", 26, ("Base", "Retry", "Disposable"), True, True),
    ]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("./options", ("Options",), 1, 0),
        ("./base", ("Base", "Reply"), 2, 0),
        ("./legacy", (), 3, 0),
    ]
    assert FACTS.links.exports == (
        "Retry",
        "Handler",
        "Mode",
        "limits",
        "Client",
        "parse",
        "default",
    )


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "": ("logged",),
        "Client.constructor": ("super",),
        "Client.send": ("this.handlers.forEach", "this.post"),
        "Client.send.(anonymous)": ("handler",),
        "Client.reset": ("this.handlers.pop",),
        "parse": ("legacy.check", "text.trim"),
    }
