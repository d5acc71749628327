import pytest

from benchpin.engines.source.extract import extract


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
