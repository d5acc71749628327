"""Halstead's measures and the maintainability index, from operators and operands.

M. H. Halstead, Elements of Software Science, 1977; P. Oman and J. Hagemeister, 1992, in the form
that Visual Studio and radon use, scaled to 0..100.
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


def maintainability(volume: float, cyclomatic: int, code_lines: int, comment_share: float) -> float:
    """Return the index from 0 (hopeless) to 100; the share of comments is from 0 to 1."""
    if code_lines == 0:
        return 100.0
    raw = (
        171
        - 5.2 * math.log(max(volume, 1.0))
        - 0.23 * cyclomatic
        - 16.2 * math.log(code_lines)
        + 50 * math.sin(math.sqrt(2.46 * math.radians(comment_share * 100)))
    )
    return min(100.0, max(0.0, raw * 100 / 171))
