"""Which functions of two sets of profiles are the same: by name and file, not by name alone.

Between two versions of a program its lines move, and its folder may be another one. So functions of
one name in one file are told apart by the order of their lines, and a file that only one set has
is the one of the other set that ends in the same path.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from benchpin.performance.values import Cost, Profile

from ._sums import Name

# Parts of a path, from its end, that are compared.
_MAX_PARTS = 6
# A function's name and its file, empty if the profile does not have it.
_Named = tuple[str, str]


class Functions:
    """The functions of both sets, numbered from 0, and the number of each function of a profile."""

    def __init__(self, before: Sequence[Profile], after: Sequence[Profile]) -> None:
        self.names: list[Name] = []
        """By number, as the later set knows them."""
        self._numbers: dict[tuple[str, str, int | None], int] = {}
        self._moved = _moved_files(_files(before), _files(after))
        self._lines = _matched_lines(self._by_name(before, self._moved), self._by_name(after, {}))
        self.after = [self._numbered(profile, {}, {}) for profile in after]
        """By profile, the number of each of its functions."""
        self.before = [self._numbered(profile, self._moved, self._lines) for profile in before]

    @staticmethod
    def _by_name(
        profiles: Iterable[Profile], moved: Mapping[str, str]
    ) -> dict[_Named, set[int | None]]:
        lines: dict[_Named, set[int | None]] = defaultdict(set)
        for cost in _costs(profiles):
            lines[_named(cost, moved)].add(cost.line)
        return lines

    def _numbered(
        self,
        profile: Profile,
        moved: Mapping[str, str],
        lines: Mapping[tuple[_Named, int | None], int | None],
    ) -> list[int]:
        found = []
        for cost in profile.functions:
            named = _named(cost, moved)
            line = lines.get((named, cost.line), cost.line)
            number = self._numbers.setdefault((*named, line), len(self.names))
            if number == len(self.names):
                self.names.append(Name(cost.function, cost.file, cost.line))
            found.append(number)
        return found


def _costs(profiles: Iterable[Profile]) -> Iterator[Cost]:
    return (cost for profile in profiles for cost in profile.functions)


def _named(cost: Cost, moved: Mapping[str, str]) -> _Named:
    file = cost.file or ""
    return cost.function, moved.get(file, file)


def _files(profiles: Iterable[Profile]) -> set[str]:
    return {cost.file for cost in _costs(profiles) if cost.file}


def _moved_files(before: set[str], after: set[str]) -> dict[str, str]:
    """Match files that only one set has by the longest end of their path that is unique."""
    moved: dict[str, str] = {}
    old, new = before - after, after - before
    for parts in range(_MAX_PARTS, 0, -1):
        ours, theirs = _by_ending(old, parts), _by_ending(new, parts)
        for ending, [path, *others] in ours.items():
            there = theirs.get(ending, [])
            if not others and len(there) == 1:
                moved[path] = there[0]
        old -= moved.keys()
        new -= set(moved.values())
    return moved


def _by_ending(files: set[str], parts: int) -> dict[tuple[str, ...], list[str]]:
    endings: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for file in sorted(files):
        endings[PurePosixPath(file.replace("\\", "/")).parts[-parts:]].append(file)
    return endings


def _matched_lines(
    before: Mapping[_Named, set[int | None]], after: Mapping[_Named, set[int | None]]
) -> dict[tuple[_Named, int | None], int | None]:
    """Return the later line of earlier functions: in their order, if there are as many as before.

    Otherwise only functions whose line is the same are the same.
    """
    matched = {}
    for named, lines in before.items():
        theirs = after.get(named, set())
        if len(lines) == len(theirs):
            pairs = zip(sorted(lines, key=_line), sorted(theirs, key=_line), strict=True)
            matched.update({(named, old): new for old, new in pairs})
    return matched


def _line(line: int | None) -> int:
    return line or 0
