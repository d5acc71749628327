import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.measures.names import split_identifier


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("calculateTotal", ["calculate", "total"]),
        ("CalculateTotal", ["calculate", "total"]),
        ("calculate_total", ["calculate", "total"]),
        ("CALCULATE_TOTAL", ["calculate", "total"]),
        ("calculate-total", ["calculate", "total"]),
        ("HTTPServer", ["http", "server"]),
        ("parseHTTPRequest2", ["parse", "http", "request", "2"]),
        ("getURLs", ["get", "urls"]),
        ("URLsOf", ["urls", "of"]),
        ("utf8Decoder", ["utf", "8", "decoder"]),
        ("a11", ["a", "11"]),
        ("__init__", ["init"]),
        ("$el", ["el"]),
        ("cosφ0", ["cos", "φ", "0"]),
        ("_", []),
        ("", []),
    ],
)
def test_an_identifier_is_made_of_words(name: str, words: list[str]) -> None:
    assert list(split_identifier(name)) == words


@given(st.lists(st.from_regex(r"[a-z]{2,8}", fullmatch=True), min_size=1, max_size=4))
def test_every_style_of_the_same_words_is_the_same(words: list[str]) -> None:
    pascal = "".join(word.title() for word in words)
    camel = pascal[0].lower() + pascal[1:]
    for name in ("_".join(words), "_".join(words).upper(), pascal, camel):
        assert list(split_identifier(name)) == words


@given(st.text())
def test_no_letter_is_lost(name: str) -> None:
    ascii_letters = [it.lower() for it in name if it.isascii() and it.isalnum()]
    kept = [it for it in "".join(split_identifier(name)) if it.isascii() and it.isalnum()]
    assert len(kept) >= len(ascii_letters)
