"""What texts have in common equals what rapidfuzz says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from benchpin.templates import common_length
from benchpin.templates._catalogue import similarity

WORDS = st.text("abcé_", min_size=1, max_size=12)


@given(WORDS, WORDS)
def test_similarity_is_the_ratio_of_rapidfuzz(one: str, other: str) -> None:
    assert similarity(one, other) == pytest.approx(fuzz.ratio(one, other) / 100, abs=1e-12)


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=8))
def test_the_common_length_of_lines_is_that_of_rapidfuzz(one: list[str], other: list[str]) -> None:
    assert common_length(one, other) == LCSseq.similarity(one, other)
