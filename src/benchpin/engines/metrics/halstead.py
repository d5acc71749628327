"""Halstead's measures, from operators and operands.

M. H. Halstead, Elements of Software Science, 1977.
"""

import math
from dataclasses import dataclass

from benchpin.engines.source.facts import Halstead


@dataclass(frozen=True, slots=True)
class HalsteadScore:
    """What follows from the four counts."""

    vocabulary: int
    length: int
    volume: float
    difficulty: float
    effort: float


def score(counts: Halstead) -> HalsteadScore:
    """Return the measures of some code; code without operands has no difficulty."""
    vocabulary = counts.distinct_operators + counts.distinct_operands
    length = counts.operators + counts.operands
    volume = length * math.log2(vocabulary) if vocabulary else 0.0
    per_operand = counts.operands / counts.distinct_operands if counts.distinct_operands else 0.0
    difficulty = counts.distinct_operators / 2 * per_operand
    return HalsteadScore(vocabulary, length, volume, difficulty, volume * difficulty)
