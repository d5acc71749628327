"""Which files of the workspace the paths of a report mean."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path, PurePosixPath

_LEAST_OF_FOREIGN = 2
"""So many names at the end of a path from another machine must be the same."""


class Matcher:
    """Knows the files of a workspace by how their paths end."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        self._root = PurePosixPath(root.as_posix())
        self._known = frozenset(paths)
        self._by_name = defaultdict[str, list[str]](list)
        for path in sorted(self._known):
            self._by_name[path.rpartition("/")[2]].append(path)

    def find(self, written: str, bases: Sequence[str]) -> str | None:
        """Return the file that a path means, None when there is none or more than one.

        Tried in turn: the path itself, the path from each of the bases, and the one file whose path
        ends, name by name, most like this one. A report may come from another machine.
        """
        tried = [_plain(PurePosixPath(_slashed(base)) / _slashed(written)) for base in ("", *bases)]
        for path in tried:
            inside = self._inside(path)
            if inside in self._known:
                return inside
        own = tried[0]
        least = _LEAST_OF_FOREIGN if _is_absolute(own) else len(own.parts)
        likest = (self._likest(path, least) for path in reversed(tried))
        return next(filter(None, likest), None)

    def _inside(self, path: PurePosixPath) -> str:
        return str(path.relative_to(self._root) if path.is_relative_to(self._root) else path)

    def _likest(self, path: PurePosixPath, least: int) -> str | None:
        ends = [
            (_common_end(path.parts, known.split("/")), known)
            for known in self._by_name.get(path.name, ())
        ]
        longest = max((length for length, _ in ends), default=0)
        best = [known for length, known in ends if length == longest]
        return best[0] if longest >= least and len(best) == 1 else None


def _slashed(path: str) -> str:
    return path.replace("\\", "/")


def _is_absolute(path: PurePosixPath) -> bool:
    return path.is_absolute() or "".join(path.parts[:1]).endswith(":")


def _plain(path: PurePosixPath) -> PurePosixPath:
    """Return a path without `..`, which is not asked of the disk."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            del parts[-1:]
        else:
            parts.append(part)
    return PurePosixPath(*parts)


def _common_end(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many names, from the last on, are the same."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return sum(1 for _ in takewhile(lambda it: it[0] == it[1], pairs))
