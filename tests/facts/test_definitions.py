import pytest

from benchpin.facts.parsing import extract


@pytest.mark.parametrize(
    ("language", "opening", "closing"),
    [
        ("cpp", b"class A{", b"};"),
        ("java", b"class A{", b"}"),
        ("javascript", b"class A{a(){", b"}}"),
        ("rust", b"fn a(){", b"}"),
    ],
)
def test_definitions_nested_deeper_than_anybody_writes_are_left_out(
    language: str, opening: bytes, closing: bytes
) -> None:
    outline = extract(opening * 3_000 + closing * 3_000, language).outline
    assert outline.error_line == 0
    assert len(outline.types) + len(outline.functions) == 101


def test_code_in_what_is_left_out_still_counts_around_it() -> None:
    source = b"fn a(){" * 150 + b"if x {}" + b"}" * 150
    innermost = extract(source, "rust").outline.functions[-1]
    assert innermost.cyclomatic == 2


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("python", "def wide(", "):\n    pass\n"),
        ("javascript", "function wide(", ") {}\n"),
        ("ruby", "def wide(", ")\nend\n"),
    ],
)
def test_a_signature_is_whole_with_every_parameter(language: str, before: str, after: str) -> None:
    parameters = ", ".join(f"parameter_number_{at}" for at in range(1_000))
    function = extract(f"{before}{parameters}{after}".encode(), language).outline.functions[0]
    assert f"({parameters})" in function.signature
    assert len(function.shown_signature()) == 200
    assert function.shown_signature().endswith("…")


def test_signatures_nested_in_one_another_are_bounded_by_the_size_of_the_file() -> None:
    source = b"function f(" + b"a = function g(" * 90 + b") {}" * 91
    functions = extract(source, "javascript").outline.functions
    assert len(functions) == 91
    assert sum(len(it.signature.rstrip("…")) for it in functions) <= 2 * len(source)
    assert any(it.signature.endswith("…") for it in functions)


def test_a_string_that_names_something_may_be_long() -> None:
    name = "n" * 500
    assert extract(f"use('{name}')\n".encode(), "python").links.mentions == (name,)
