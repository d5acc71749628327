"""Match the paths of a report with files of the workspace."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from pathlib import Path, PurePosixPath

# How many names at the end of a path from another machine must be equal.
_MIN_COMMON_PARTS = 2
# How many source folders of a report are tried.
_MAX_SOURCES = 20
# No system opens a longer path.
_MAX_PATH_CHARS = 4096

Names = tuple[str, ...]


class PathMatcher:
    """The files of a workspace, indexed by how their paths end."""

    def __init__(self, root: Path, paths: Iterable[str], is_there: Callable[[str], bool]) -> None:
        """Index files by their paths; `is_there` says whether a path is a file, source or not."""
        self._is_there = is_there
        self._root = _plain(_names(root.as_posix()))
        self._known = frozenset(tuple(path.split("/")) for path in paths)
        self._last = frozenset(names[-1] for names in self._known)
        self._deepest = max(map(len, self._known), default=0)
        self._backwards = sorted(names[::-1] for names in self._known)

    def starts(self, report: str, sources: Sequence[str]) -> tuple[Names, ...]:
        """Return the folders that the paths of a report may be relative to, the likeliest first.

        These are its source folders, then the folders around it, the nearest first and the root of
        the workspace last. A relative source folder is tried in each of those.
        """
        folders = [self._root + _names(str(it)) for it in PurePosixPath(report).parents]
        usable = [it for it in sources if len(it) <= _MAX_PATH_CHARS][:_MAX_SOURCES]
        named = (
            _names(source) if _is_absolute(source) else folder + _names(source)
            for source in usable
            for folder in folders
        )
        return tuple(dict.fromkeys(map(_plain, (*named, *folders))))

    def find(self, written: str, starts: Sequence[Names]) -> str | None:
        """Return the file that a path of a report names; None when there is none, or several.

        The first start that leads to a file decides, even if that file is not indexed. Otherwise,
        since a report may come from another machine, it is the one file whose path has the most
        names in common, from the end.
        """
        own = _names(written)
        if len(written) > _MAX_PATH_CHARS or not own or own[-1] not in self._last:
            return None
        is_whole, length = _is_absolute(written), len(_plain(own))
        tried = [_plain(start + own) for start in (((),) if is_whole else starts)]
        for names in tried:
            inside = self._inside(names)
            found = self._moved(names, length) if inside is None else inside
            if found in self._known:
                return "/".join(found)
            if inside is not None and (is_whole or self._is_there("/".join(inside))):
                return None
        least = _MIN_COMMON_PARTS if is_whole else length
        similar = (self._most_similar(names, least) for names in tried)
        return next(("/".join(it) for it in similar if it), None)

    def _inside(self, names: Names) -> Names | None:
        depth = len(self._root)
        return names[depth:] if names[:depth] == self._root else None

    def _moved(self, names: Names, own: int) -> Names:
        """Return the file of a path on a machine with another root; empty if there is none.

        The whole path of the file must end the other, and be longer than what the report wrote.
        """
        longest = max(1, len(names) - self._deepest)
        ends = (names[at:] for at in range(longest, len(names) - own))
        return next((end for end in ends if end in self._known), ())

    def _most_similar(self, names: Names, least: int) -> Names | None:
        """Return the one file that shares the most names at the end, if these are enough.

        Sorted by their reversed names, the files that share most with a path are its neighbours.
        """
        wanted = names[::-1]
        at = bisect_left(self._backwards, wanted)
        near = [(_in_common(wanted, it), it) for it in self._backwards[max(0, at - 2) : at + 2]]
        longest = max((length for length, _ in near), default=0)
        best = [it for length, it in near if length == longest]
        return best[0][::-1] if longest >= least and len(best) == 1 else None


def _names(path: str) -> Names:
    return tuple(it for it in path.replace("\\", "/").split("/") if it not in {"", "."})


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\")) or path.replace("\\", "/").partition("/")[0].endswith(":")


def _plain(names: Names) -> Names:
    """Return a path without `..`, going by the names alone."""
    if ".." not in names:
        return names
    plain: list[str] = []
    for name in names:
        if name == "..":
            del plain[-1:]
        else:
            plain.append(name)
    return tuple(plain)


def _in_common(one: Names, other: Names) -> int:
    """Return how many names are equal, from the first on."""
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda it: it[0] == it[1], pairs))
