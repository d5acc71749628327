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

FACTS = facts_of("rust/parser.rs")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Sink.finish", "method", 28, 1, 0, 0, 1),
        ("Parser.new", "method", 37, 1, 0, 0, 1),
        ("Parser.parse", "method", 41, 14, 18, 3, 2),
        ("Parser.parse.wrap", "closure", 63, 2, 2, 1, 1),
        ("Parser.take", "method", 70, 1, 0, 0, 2),
        ("Parser.take.(anonymous)", "closure", 71, 1, 0, 0, 0),
        ("main", "function", 75, 1, 5, 0, 0),
        ("main.inner", "function", 76, 3, 3, 1, 1),
        ("tests.works", "function", 90, 1, 0, 0, 0),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == [
        "Parser.parse",
        "Parser.parse.wrap",
        "Parser.take.(anonymous)",
        "main",
        "main.inner",
        "tests.works",
    ]
    assert documented_names(FACTS) == ["Parser.new"]
    assert decorators(FACTS) == {"Parser.new": ("inline", "must_use"), "tests.works": ("test",)}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Fault", "enum", 14, (), True, True),
        ("Parser", "struct", 19, ("Sink",), True, False),
        ("Unit", "struct", 23, (), False, False),
        ("Sink", "trait", 26, ("Send", "Sync"), True, True),
    ]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("std::collections", ("HashMap",), 3, 0),
        ("std", ("io",), 3, 0),
        ("std::io", ("Read",), 3, 0),
        ("crate::token", ("*",), 7, 0),
        ("self::tree", ("Node",), 8, 0),
        ("serde", (), 9, 0),
        ("self", ("lexer",), 10, 0),
        ("self", ("*",), 87, 0),
    ]
    assert FACTS.links.exports == ()


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "Parser.parse": (
            "Err",
            "Ok",
            "assert",
            "first.kind",
            "self.next",
            "self.peek",
            "self.trace",
            "wrap",
        ),
        "Parser.parse.wrap": ("Node::new", "inner.is_leaf"),
        "Parser.take": ("self.sink",),
        "main": ("inner",),
        "main.inner": ("println",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if a && b { t(); } if c && d { t(); }", 5, 4),
        ("if a || b || c || d { t(); }", 5, 2),
        ("if a && !(b && c) { t(); }", 4, 3),
        ("if !(a || b) && !(c || d) { t(); }", 5, 4),
        ("if a && b || true { t(); }", 4, 3),
        ("if t { if t {} else if u { if t {} } else { if t {} } }", 6, 11),
        ("if true { match true { true => t(), false => t() } }", 3, 3),
    ],
)
def test_cognitive_is_that_of_rust_code_analysis(
    body: str, cyclomatic: int, cognitive: int
) -> None:
    """Cognitive by its own tests; cyclomatic as lizard prints it."""
    assert measured(f"fn f() {{ {body} }}", "rust") == (cyclomatic, cognitive)


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("loop { break; }", 1, 1),
        ("let x = y()?.z()?;", 3, 0),
        ("match x { A => 1, B | C if d => 2, _ => 3 };", 4, 1),
        ("match x {}", 1, 1),
        ("let Some(x) = y else { return };", 2, 1),
        ("let f = || a || b;", 2, 1),
        ('assert!(a && b || c, "x");', 3, 2),
        ("spawn!(move || x.await?, T: ?Sized);", 2, 0),
    ],
)
def test_what_rust_adds_counts(body: str, cyclomatic: int, cognitive: int) -> None:
    assert measured(f"fn f() {{ {body} }}", "rust") == (cyclomatic, cognitive)


def test_a_module_inside_the_file_imports_from_where_the_file_is() -> None:
    source = b"mod a { mod b { use super::x; use super::super::y; use super::super::super::z; } }"
    assert [(it.module, it.names) for it in extract(source, "rust").links.imports] == [
        ("self", ("x",)),
        ("self", ("y",)),
        ("super", ("z",)),
    ]


def test_functions_inside_a_macro_of_items_are_found() -> None:
    source = (
        b"cfg_net! {\n    /// Doc.\n    fn a() {}\n    cfg_os! {\n        fn b() {}\n    }\n}\n"
    )
    outline = extract(source, "rust").outline
    assert [(it.name, it.line) for it in outline.functions] == [("a", 3), ("b", 5)]


def test_a_macro_with_its_own_syntax_is_not_parsed() -> None:
    source = b"bits! {\n    pub struct A: u8 => fn {\n        const B = 1;\n    }\n}\nfn a() {}\n"
    outline = extract(source, "rust").outline
    assert outline.error_line == 0
    assert [it.name for it in outline.functions] == ["a"]
    assert outline.types == ()
