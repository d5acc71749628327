import gzip
import random
from collections.abc import Callable
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchpin.performance.reading import Unpacker
from benchpin.performance.reading._unpacking import CHUNK_BYTES
from benchpin.system import zstd

LIMIT = 1 << 30
TEXT = b"".join(b"%d 1 %d\n" % (number % 77, number * number) for number in range(40_000))


def _unpacked(raw: bytes, limit: int = LIMIT) -> tuple[bytes, list[str]]:
    unpacker = Unpacker(BytesIO(raw), limit)
    text = b"".join(unpacker.chunks())
    return text, [f"{fault.place}: {fault.problem}" for fault in unpacker.faults]


@pytest.mark.parametrize("raw", [TEXT, gzip.compress(TEXT, mtime=0), zstd.compress(TEXT)])
def test_text_is_unpacked_whole_and_in_small_chunks(raw: bytes) -> None:
    assert _unpacked(raw) == (TEXT, [])
    chunks = list(Unpacker(BytesIO(raw), LIMIT).chunks())
    assert all(chunks)
    assert len(chunks) >= len(TEXT) // CHUNK_BYTES


def test_several_streams_in_one_file_are_one_text() -> None:
    assert _unpacked(gzip.compress(TEXT, mtime=0) + gzip.compress(b"more", mtime=0)) == (
        TEXT + b"more",
        [],
    )
    frames = zstd.compress(TEXT) + zstd.compress(b"more")
    assert _unpacked(frames) == (TEXT + b"more", [])


def test_an_empty_file_is_an_empty_text() -> None:
    assert _unpacked(b"") == (b"", [])


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_stream_that_was_cut_gives_its_beginning(pack: Callable[[bytes], bytes]) -> None:
    raw = pack(TEXT)
    half = len(raw) // 2
    text, [fault] = _unpacked(raw[:half])
    assert TEXT.startswith(text)
    assert len(text) > len(TEXT) // 4
    assert fault.startswith(f"byte {half}: ")


def test_damaged_gzip_gives_what_comes_before_the_damage() -> None:
    noise = random.Random(1).randbytes(300_000)  # noqa: S311 - no secret is made of it
    raw = bytearray(gzip.compress(noise, mtime=0))
    raw[200_000:200_010] = b"\xff" * 10
    text, faults = _unpacked(bytes(raw))
    assert len(faults) == 1
    assert len(text) > 190_000
    assert text[:190_000] == noise[:190_000]


@pytest.mark.parametrize("raw", [TEXT, gzip.compress(TEXT, mtime=0), zstd.compress(TEXT)])
@pytest.mark.parametrize("limit", [0, 1, 100_000])
def test_no_more_is_unpacked_than_the_limit(raw: bytes, limit: int) -> None:
    text, faults = _unpacked(raw, limit)
    assert text == TEXT[:limit]
    assert faults == [f"byte {limit}: more text than the limit; the rest is not read"]


def test_a_bomb_is_unpacked_in_small_chunks() -> None:
    unpacker = Unpacker(BytesIO(gzip.compress(bytes(50_000_000))), 1_000_000)
    assert max(map(len, unpacker.chunks())) <= CHUNK_BYTES


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"]))
def test_no_bytes_whatever_crash(raw: bytes, magic: bytes) -> None:
    text, faults = _unpacked(magic + raw)
    assert faults or text == magic + raw or text == b""
