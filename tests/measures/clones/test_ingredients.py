import numpy as np
import pytest

from benchpin.measures.clones import _ingredients as ingredients
from benchpin.measures.clones._ingredients import ingredients_of


def test_ingredients_are_the_same_of_some_functions_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = np.random.default_rng(25)
    row = chance.integers(1, 9, 400).astype(np.int32) * chance.choice([-1, 1], 400).astype(np.int32)
    starts = np.arange(0, 400, 20)
    ends = starts + chance.integers(1, 20, len(starts))
    elements, owners = ingredients_of(row, starts, ends)
    monkeypatch.setattr(ingredients, "FUNCTIONS_AT_ONCE", 3)
    again, owners_again = ingredients_of(row, starts, ends)
    assert again.tolist() == elements.tolist()
    assert owners_again.tolist() == owners.tolist()
    assert len(set(owners.tolist())) == len(starts)
