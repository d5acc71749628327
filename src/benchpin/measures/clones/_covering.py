"""Groups of clones whose places are all inside the places of another group."""

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence

from ._grouping import CloneGroup, Fragment

# The first line, the last line, and what is there.
Place = tuple[int, int, CloneGroup, Fragment]
# The keys are files.
Places = dict[str, list[Place]]


def add_places(places: Places, groups: Iterable[CloneGroup]) -> None:
    """Add the places of groups."""
    for group in groups:
        for fragment in group.fragments:
            places.setdefault(fragment.file, []).append(
                (fragment.line, fragment.end_line, group, fragment)
            )


def is_covered(group: CloneGroup, others: Sequence[Places], excluded: Container[int] = ()) -> bool:
    """Whether each place of a group is inside another place of one of the others.

    Those whose identity is excluded do not count.
    """
    outer: dict[int, set[tuple[str, int]]] | None = None
    for fragment in group.fragments:
        inside = defaultdict[int, set[tuple[str, int]]](set)
        for places in others:
            for line, end_line, other, _ in places.get(fragment.file, ()):
                if line <= fragment.line and fragment.end_line <= end_line:
                    inside[id(other)].add((fragment.file, line))
        if outer is None:
            outer = {at: inner for at, inner in inside.items() if at not in excluded}
        else:
            outer = {at: outer[at] | inner for at, inner in inside.items() if at in outer}
        if not outer:  # mostly at the first place
            return False
    return any(len(it) >= len(group.fragments) for it in (outer or {}).values())
