"""Passages of code that a page shows beside what a report says about them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of one file."""

    file: str
    line: int
    """Of the first line."""
    lines: Sequence[str]
    marked: frozenset[int] = frozenset()
    """The numbers of the lines that the report is about; none means all of them."""


@dataclass(frozen=True, slots=True)
class ExcerptGroup:
    """What is said, and the passages that it is about, side by side."""

    title: str
    excerpts: Sequence[Excerpt]
