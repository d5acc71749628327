import numpy as np
import pytest

from benchpin.measures.clones import _repeats as repeats
from benchpin.measures.clones._repeats import repeated_windows


def test_windows_are_the_same_sorted_in_parts_and_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = np.random.default_rng(25)
    hashes = chance.integers(0, 1 << 64, 500, np.uint64)[chance.integers(0, 500, 2_000)]
    hashes[::7] |= np.uint64(1 << 63)  # more in the upper half
    places = np.arange(2_000, dtype=np.int32) * 3
    at_once = repeated_windows(places, hashes)
    monkeypatch.setattr(repeats, "_SORTED_AT_ONCE", 100)
    in_parts = repeated_windows(places, hashes)
    assert len(at_once.places) > 1_500
    assert [it.tolist() for it in in_parts] == [it.tolist() for it in at_once]


def test_windows_with_the_same_upper_bits_are_told_apart() -> None:
    places = np.arange(6, dtype=np.int32)
    found = repeated_windows(places, np.array([8, 9, 8, 10, 9, 11], np.uint64))
    assert [it.tolist() for it in found] == [[0, 2, 1, 4], [0, 0, 1, 1]]
