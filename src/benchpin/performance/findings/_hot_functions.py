"""Functions that take much of a profile, and what the workspace knows about them."""

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from benchpin.core.results import Item
from benchpin.performance.snapshots import Span
from benchpin.performance.values import Value

from ._ranked import rank_spans

# Smaller shares say nothing.
_MIN_PERMILLE = 5
_MAX_FUNCTIONS = 200
_MAX_CHARS = 500


class HotSpan(Value, frozen=True, omit_defaults=True):
    """A function by its name in the profile, and its share of all self costs that it measured."""

    function: str
    file: str | None
    line: int | None
    share_permille: int
    metric: str = ""
    """What was counted where no time was measured."""


class HotFunction(Item):
    """A function of the workspace that takes much of a profile."""

    share: float
    """Its own cost in that of all functions, from 0 to 1."""
    function: str
    """Its name in the profile."""
    file: str
    symbol: str
    line: int
    certainty: Literal["certain", "likely"]
    """Likely where only its name, or only the name of its file, fits."""
    cyclomatic: int
    cognitive: int
    last_change: str | None = None
    """The date, who and why, of its newest line."""
    owner: str | None = None
    """Who wrote most of its lines."""
    tests: list[str] = Field(default_factory=list)
    """The most closely related ones."""
    tests_total: int = 0
    comments: list[str] = Field(default_factory=list)
    """Open comments on it."""


def hottest(spans: Iterable[Span]) -> tuple[HotSpan, ...]:
    """Return the functions that take most themselves, the largest share first."""
    found = [
        HotSpan(
            function=it.function[:_MAX_CHARS],
            file=it.file[:_MAX_CHARS] if it.file else None,
            line=it.line,
            share_permille=round((it.share or 0) * 1000),
            metric=it.metric,
        )
        for it in rank_spans(spans, {})
    ]
    kept = [it for it in found if it.share_permille >= _MIN_PERMILLE]
    return tuple(sorted(kept, key=lambda it: (-it.share_permille, it.function))[:_MAX_FUNCTIONS])
