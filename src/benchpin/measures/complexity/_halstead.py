"""Halstead's measures, from operators and operands.

M. H. Halstead, Elements of Software Science, 1977.
"""

import math
from dataclasses import dataclass
from typing import Annotated

from pydantic import PlainSerializer

from benchpin.facts import Halstead


def _rounded(digits: int) -> PlainSerializer:
    return PlainSerializer(lambda it: round(it, digits), return_type=float)


@dataclass(frozen=True, slots=True)
class HalsteadScore:
    """Halstead's measures; exact here, rounded when they are published."""

    vocabulary: int
    length: int
    volume: Annotated[float, _rounded(1)]
    difficulty: Annotated[float, _rounded(2)]
    effort: Annotated[float, _rounded(1)]


def score(counts: Halstead) -> HalsteadScore:
    """Return the measures of some code; code without operands has no difficulty."""
    vocabulary = counts.distinct_operators + counts.distinct_operands
    length = counts.operators + counts.operands
    volume = length * math.log2(vocabulary) if vocabulary else 0.0
    per_operand = counts.operands / counts.distinct_operands if counts.distinct_operands else 0.0
    difficulty = counts.distinct_operators / 2 * per_operand
    return HalsteadScore(vocabulary, length, volume, difficulty, volume * difficulty)
