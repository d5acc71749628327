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

FACTS = facts_of("zig/basket.zig")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Basket.price", "method", 15, 14, 15, 3, 2),
        ("Basket.hidden", "method", 37, 3, 4, 2, 1),
        ("List", "function", 50, 1, 0, 0, 1),
        ("List.first", "function", 54, 1, 0, 0, 1),
        ("basket_price", "function", 62, 1, 0, 0, 1),
        ("main", "function", 71, 1, 0, 0, 0),
        ("test a basket has a price", "function", 75, 2, 0, 0, 0),
        ("test main", "function", 79, 1, 0, 0, 0),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == ["Basket.hidden", "test a basket has a price", "test main"]
    assert documented_names(FACTS) == ["Basket.price"]
    assert decorators(FACTS) == {"basket_price": ("export",)}


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Basket", "struct", 8, (), True, True),
        ("Kind", "enum", 46, (), False, False),
        ("Value", "union", 47, (), True, False),
        ("Problem", "error set", 48, (), False, False),
    ]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("std", (), 2, 0),
        ("rate.zig", ("Rate",), 3, 0),
        ("../money.zig", (), 4, 0),
        ("c.zig", ("*",), 5, 0),
    ]
    assert FACTS.links.exports == ("Basket", "Value", "List", "basket_price", "main")


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "": ("@This", "@import"),
        "Basket.hidden": ("self.deinit",),
        "Basket.price": ("Rate.find", "money.round"),
        "List.first": ("@This",),
        "main": ("std.debug.print",),
        "test a basket has a price": ("std.testing.expectEqual",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if (a) {} else if (b) {} else {}", 3, 3),
        ("for (a) |b| { if (b) {} }", 3, 3),
        ("while (a and b or c) : (i += 1) { break; }", 4, 3),
        ("switch (a) { 0 => {}, 1, 2 => {}, else => {} }", 3, 1),
        ("const a = b catch 3 orelse 4;", 3, 2),
        ("try b(); try c();", 3, 0),
        ("const a = if (b) 1 else if (c) 2 else 3;", 3, 3),
        ("a: while (b) { break :a; }", 2, 2),
        ("const A = struct { fn g() void { if (a) {} } };", 1, 1),
    ],
)
def test_measures_are_those_counted_by_hand(body: str, cyclomatic: int, cognitive: int) -> None:
    assert measured(f"fn f() void {{ {body} }}", "zig") == (cyclomatic, cognitive)


def test_a_broken_file_still_has_its_functions() -> None:
    outline = extract(b"fn a() void {}\n\nconst x = 1 +;\n\nfn b() void {}\n", "zig").outline
    assert outline.error_line == 3
    assert [it.name for it in outline.functions] == ["a", "b"]
