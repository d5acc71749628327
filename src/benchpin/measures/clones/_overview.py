"""Which groups of clones are reported, in their order, and how much of each file they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from benchpin.core.results import Item
from benchpin.workspace.walking import is_product_path

from ._grouping import CloneGroup, ClonePlaces, CloneType, Fragment

# The strictest first.
ALL: tuple[CloneType, ...] = ("exact", "renamed", "gapped", "semantic")
# Semantic clones do not count as similar lines: they may be written quite differently.
SIMILAR: tuple[CloneType, ...] = ("exact", "renamed", "gapped")


class FileDuplication(Item):
    """How much of a file is duplicated."""

    file: str
    is_test_code: bool
    """Whether it is a test or a sample."""
    groups: int
    duplicated_lines: int
    """In exact clones."""
    similar_lines: int
    """In exact, renamed and gapped clones."""
    total_lines: int
    duplicated_percent: float


@dataclass(frozen=True, slots=True)
class Overview:
    """What is reported of some groups."""

    groups: list[CloneGroup]
    """Those that are not covered: the product before tests and samples, biggest first."""
    shares: list[FileDuplication]
    """The files with duplicated or similar lines: the product first, then by lines."""


def overview_of(found: Sequence[CloneGroup], totals: Mapping[str, int]) -> Overview:
    """Return what is reported of groups, given how many lines each file has.

    A group is covered if all its places are inside the places of one group of a stricter type that
    is not covered itself.
    """
    places = ClonePlaces()
    kept: list[tuple[tuple[bool, int, str, int, str, int], CloneGroup]] = []
    by_file: dict[str, list[tuple[CloneGroup, Fragment]]] = {}
    for kind in ALL:
        here = [(at, it) for at, it in enumerate(found) if it.type == kind]
        here = [(at, it) for at, it in here if not places.cover(it)]
        places.add(it for _, it in here)  # after all of them: none covers its own type
        kept += [(_order(it, at), it) for at, it in here]
        if kind in SIMILAR:
            for _, group in here:
                for fragment in group.fragments:
                    by_file.setdefault(fragment.file, []).append((group, fragment))
    kept.sort(key=lambda it: it[0])
    shares = [_share(path, its, totals[path]) for path, its in by_file.items()]
    shares.sort(key=lambda it: (it.is_test_code, -it.duplicated_lines, -it.similar_lines, it.file))
    return Overview([it for _, it in kept], shares)


def _order(group: CloneGroup, position: int) -> tuple[bool, int, str, int, str, int]:
    """Return the sort key: the product first, then most removable tokens, then by place."""
    first = group.fragments[0]
    place = (first.file, first.line, group.type, position)
    return group.is_test_code, -group.removable_tokens, *place


def _share(path: str, places: Sequence[tuple[CloneGroup, Fragment]], total: int) -> FileDuplication:
    exact = [(it.line, it.end_line + 1) for group, it in places if group.type == "exact"]
    others = (_without_gaps(it) for group, it in places if group.type != "exact")
    duplicated = _lines_in(exact)
    return FileDuplication(
        file=path,
        is_test_code=not is_product_path(path),
        groups=len({id(group) for group, _ in places}),
        duplicated_lines=duplicated,
        similar_lines=_lines_in([*exact, *chain.from_iterable(others)]),
        total_lines=total,
        duplicated_percent=percent(duplicated, total),
    )


def _without_gaps(fragment: Fragment) -> list[tuple[int, int]]:
    """Return the lines of a fragment that have a counterpart, from the first to after the last."""
    spans: list[tuple[int, int]] = []
    start = fragment.line
    for gap in sorted(fragment.gaps, key=lambda it: it.line):
        spans.append((start, gap.line))
        start = max(start, gap.end_line + 1)
    spans.append((start, fragment.end_line + 1))
    return spans


def _lines_in(spans: list[tuple[int, int]]) -> int:
    """Count the lines in some spans, each once."""
    count = reached = 0
    for start, end in sorted(spans):
        if end > max(start, reached):
            count += end - max(start, reached)
            reached = end
    return count


def percent(part: int, whole: int) -> float:
    """Return a share as a percentage."""
    return round(100 * part / whole, 2)
