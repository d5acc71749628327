from hypothesis import given
from hypothesis import strategies as st

from benchpin.run.sandbox import OutputCapture
from benchpin.run.sandbox._sandbox import KEPT_BYTES as MOST

HALF = MOST // 2


def _captured(*pieces: bytes) -> tuple[str, int]:
    capture = OutputCapture()
    for piece in pieces:
        capture.add(piece)
    return capture.finish()


def test_a_short_output_is_kept_whole() -> None:
    assert _captured() == ("", 0)
    assert _captured(b"a", b"", b"b\n") == ("ab\n", 0)
    assert _captured(b"x" * MOST) == ("x" * MOST, 0)


def test_of_a_long_output_the_beginning_and_the_end_are_kept() -> None:
    text, cut_bytes = _captured(b"<", *[b"x" * 9999] * 100, b">")
    assert text.startswith("<xxx")
    assert text.endswith("xxx>")
    assert cut_bytes == 2 + 999_900 - MOST
    assert f"\n[{cut_bytes:,} bytes cut]\n" in text


@given(st.lists(st.binary(min_size=1, max_size=9000), max_size=20))
def test_nothing_is_kept_twice_and_all_is_counted(pieces: list[bytes]) -> None:
    ascii_pieces = [bytes(byte % 26 + 97 for byte in piece) for piece in pieces]
    whole = b"".join(ascii_pieces).decode()
    captured = _captured(*ascii_pieces)
    if len(whole) <= MOST:
        assert captured == (whole, 0)
    else:
        cut = len(whole) - MOST
        expected = f"{whole[:HALF]}\n[{cut:,} bytes cut]\n{whole[-HALF:]}"
        assert captured == (expected, cut)


def test_a_cut_through_a_character_takes_it_out_whole() -> None:
    text, cut_bytes = _captured(b"a" + "€".encode() * MOST)
    assert "\ufffd" not in text
    kept = text.replace(f"\n[{cut_bytes:,} bytes cut]\n", "")
    assert len(kept.encode()) + cut_bytes == 1 + 3 * MOST


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    assert _captured(b"\xff\x00\n")[0] == "\ufffd\x00\n"
    assert len(_captured(b"\x80" * 10 * MOST)[0]) > MOST - 10


def test_more_is_kept_for_those_who_ask() -> None:
    capture = OutputCapture(kept_bytes=6)
    capture.add(b"abcdefgh")
    assert capture.finish() == ("abc\n[2 bytes cut]\nfgh", 2)
