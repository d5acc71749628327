import math

import pytest

from benchpin.facts import Halstead
from benchpin.facts.parsing import extract
from benchpin.measures.complexity._outline import score_halstead


def test_the_measures_follow_from_the_counts() -> None:
    found = score_halstead(
        Halstead(distinct_operators=12, distinct_operands=7, operators=27, operands=15)
    )
    assert (found.vocabulary, found.length) == (19, 42)
    assert found.volume == pytest.approx(42 * math.log2(19))
    assert found.difficulty == pytest.approx(12 / 2 * 15 / 7)
    assert found.effort == pytest.approx(found.volume * found.difficulty)


def test_nothing_has_no_effort() -> None:
    assert score_halstead(Halstead(0, 0, 0, 0)).effort == 0


def test_operators_and_operands_are_counted_from_tokens() -> None:
    facts = extract(b"total = price * count + price\n", "python")
    assert facts.outline.halstead == Halstead(3, 3, 3, 4)
