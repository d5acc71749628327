from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.server.pipes import Oversized
from benchpin.server.pipes._pipes import LineFramer

LIMIT = 20


def frame(chunks: list[bytes]) -> list[bytes | Oversized]:
    framer = LineFramer(LIMIT)
    lines = [line for chunk in chunks for line in framer.feed(chunk)]
    last = framer.finish()
    return lines if last is None else [*lines, last]


@pytest.mark.parametrize(
    ("stream", "lines"),
    [
        (b"one\ntwo\n", [b"one", b"two"]),
        (b"one\r\ntwo\r\n", [b"one", b"two"]),
        (b"\n \n\r\none\n", [b"one"]),
        (b"half", [b"half"]),
        (b"", []),
        (b"x" * 20 + b"\n", [b"x" * 20]),
        (b"x" * 20 + b"\r\n", [b"x" * 20]),
        (b"x" * 21 + b"\nnext\n", [Oversized.of(b"x" * 21), b"next"]),
        (b"x" * 1000, [Oversized.of(b"x" * 1000)]),
    ],
)
def test_a_stream_is_cut_into_lines(stream: bytes, lines: list[bytes | Oversized]) -> None:
    assert frame([stream]) == lines


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=8))
def test_how_a_stream_is_chunked_does_not_matter(stream: bytes, cuts: list[int]) -> None:
    places = sorted({0, *(min(cut, len(stream)) for cut in cuts), len(stream)})
    chunks = [stream[start:end] for start, end in pairwise(places)]
    assert frame(chunks) == frame([stream])


def test_both_ends_of_a_long_line_are_kept_however_it_comes() -> None:
    line = bytes(range(32, 127)) * 100
    pieces = [line[at : at + 7] for at in range(0, len(line), 7)]
    assert frame([*pieces, b"\n"]) == frame([line + b"\n"]) == [Oversized.of(line)]


def test_a_line_that_is_too_long_is_not_held() -> None:
    framer = LineFramer(LIMIT)
    for _ in range(1000):
        assert list(framer.feed(b"x" * 1000)) == []
        assert len(framer._held) <= LIMIT + 1
    dropped, following = framer.feed(b"\nok\n")
    assert isinstance(dropped, Oversized)
    assert dropped.size_bytes == 1_000_000
    assert len(dropped.head) + len(dropped.tail) < 5_000
    assert following == b"ok"
