"""The names report in every format."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchpin.core import plain

from ._tables import Cell, as_csv, as_markdown, columns

if TYPE_CHECKING:
    from .analyze_name_similarity import SimilarName

_SUMMARY = ("score", "name", "kind", "place", "occurrences")
_HEADER = (
    "score",
    "meaning",
    "spelling",
    "contrast",
    "sounds_alike",
    "shared_words",
    "name",
    "kind",
    "file",
    "line",
    "definitions",
    "occurrences",
)


def summary_text(query: str, items: Sequence["SimilarName"], total: int) -> str:
    """Return the names and where they stand."""
    rows = [(_number(it.score), it.name, it.kind, _place(it), it.occurrences) for it in items]
    return "\n".join([_head(query, total), *(columns([_SUMMARY, *rows]) if rows else [])])


def full_text(query: str, items: Sequence["SimilarName"], total: int) -> str:
    """Return the names and what each score is made of."""
    rows = [
        (
            _number(it.score),
            "-" if it.meaning is None else _number(it.meaning),
            _number(it.spelling),
            _contrast(it),
            "yes" if it.sounds_alike else "no",
            " ".join(it.shared_words) or "-",
            it.name,
            it.kind,
            _place(it),
            it.occurrences,
        )
        for it in items
    ]
    header = (*_HEADER[:8], "place", "occurrences")
    return "\n".join([_head(query, total), *(columns([header, *rows]) if rows else [])])


def csv_text(items: Sequence["SimilarName"]) -> str:
    """Return the names of the page as CSV."""
    return as_csv(_HEADER, map(_row, items))


def markdown_text(query: str, items: Sequence["SimilarName"], total: int) -> str:
    """Return the report as Markdown."""
    table = as_markdown(_HEADER, map(_row, items)) if items else ""
    return "\n".join(["# Similar names\n", _head(query, total), "", table]).rstrip() + "\n"


def _head(query: str, total: int) -> str:
    return f"{total:,} {'name is' if total == 1 else 'names are'} like {plain(query)}"


def _place(it: "SimilarName") -> str:
    return it.file if it.line is None else f"{it.file}:{it.line}"


def _contrast(it: "SimilarName") -> str:
    opposed = "" if it.opposed_words is None else f" {'/'.join(it.opposed_words)}"
    return _number(it.contrast) + opposed


def _number(value: float) -> str:
    return f"{value:.2f}"


def _row(it: "SimilarName") -> tuple[Cell, ...]:
    return (
        it.score,
        it.meaning,
        it.spelling,
        it.contrast,
        "yes" if it.sounds_alike else "no",
        " ".join(it.shared_words),
        it.name,
        it.kind,
        it.file,
        it.line,
        it.definitions,
        it.occurrences,
    )
