"""Globs for paths, as git and workspaces write them; matching time is polynomial."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase


def fits(names: Sequence[str], glob: Sequence[str]) -> bool:
    """Whether the names of a path match a glob; `**` matches any number of names."""
    # Simulates an automaton over the parts of the glob: backtracking over `**` could take forever.
    reached = _past_stars({0}, glob)
    for name in names:
        steps = (
            it if glob[it] == "**" else it + 1
            for it in reached
            if it < len(glob) and (glob[it] == "**" or fnmatchcase(name, glob[it]))
        )
        reached = _past_stars(steps, glob)
    return len(glob) in reached


def _past_stars(places: Iterable[int], glob: Sequence[str]) -> set[int]:
    """Return places in a glob, and those after them that can be reached without a name."""
    found: set[int] = set()
    for place in places:
        found.add(place)
        while place < len(glob) and glob[place] == "**":
            place += 1  # noqa: PLW2901 - moves on through the stars
            found.add(place)
    return found
