from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchpin.measures.clones._hashing import may_repeat


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(-2, 3), max_size=120), st.integers(1, 20))
def test_no_repeated_window_is_left_out(numbers: list[int], width: int) -> None:
    stretches = [tuple(numbers[at : at + width]) for at in range(len(numbers) - width + 1)]
    times = Counter(stretches)
    twice = {at for at, stretch in enumerate(stretches) if times[stretch] > 1}
    kept = may_repeat(np.array(numbers, np.int32), width).tolist()
    assert twice <= set(kept)
    assert kept == sorted(kept)


@pytest.mark.parametrize("width", [50, 300])
def test_most_windows_that_occur_once_are_left_out(width: int) -> None:
    row = np.random.default_rng(7).integers(0, 5_000, 200_000).astype(np.int32)
    row[-1_000:] = row[:1_000]
    kept = may_repeat(row, width)
    assert set(range(1_001 - width)) <= set(kept.tolist())
    assert len(kept) < 0.02 * len(row)


def test_a_row_that_is_shorter_than_the_width_has_no_stretches() -> None:
    assert may_repeat(np.arange(9, dtype=np.int32), 10).tolist() == []
    assert may_repeat(np.zeros(0, np.int32), 1).tolist() == []
