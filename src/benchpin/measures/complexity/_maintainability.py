"""The maintainability index of a file.

P. Oman and J. Hagemeister, 1992, in the form that Visual Studio and radon use, scaled to 0..100.
"""

import math
from dataclasses import dataclass

from benchpin.facts import Outline

from . import _halstead as halstead


@dataclass(frozen=True, slots=True)
class FileMeasures:
    """The measures of a whole file."""

    cyclomatic: int
    """The complexity of all functions and of the code outside of them."""
    halstead: halstead.HalsteadScore
    maintainability_index: float
    """From 0 (worst) to 100."""


def measure_file(outline: Outline) -> FileMeasures:
    """Return the measures of a file."""
    cyclomatic = outline.cyclomatic + sum(it.cyclomatic for it in outline.functions)
    score = halstead.score(outline.halstead)
    comment_share = outline.comment_lines / outline.lines if outline.lines else 0.0
    index = maintainability(score.volume, cyclomatic, outline.code_lines, comment_share)
    return FileMeasures(cyclomatic, score, index)


def maintainability(volume: float, cyclomatic: int, code_lines: int, comment_share: float) -> float:
    """Return the index from 0 (worst) to 100; the share of comments is from 0 to 1."""
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
