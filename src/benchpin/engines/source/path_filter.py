"""Choose among paths as a walk would, without looking at the disk."""

from .ignore import Rules
from .scope import Scope, WalkOptions


class PathFilter:
    """The paths beneath a start, a folder or a file, that patterns let through.

    A file that is named is let through, whatever the patterns say.
    """

    def __init__(
        self, start: str, include_patterns: tuple[str, ...], exclude_patterns: tuple[str, ...]
    ) -> None:
        """Begin at a path from the root; an empty one is the root."""
        options = WalkOptions(include_patterns, exclude_patterns, include_vendored=True)
        self._start = start
        way = tuple(start.split("/")) if start else ()
        self._scopes: dict[str, Scope | None] = {"": None, start: Scope.at(way, options, Rules())}

    def accepts(self, path: str) -> bool:
        """Whether a file is chosen; its path is from the root."""
        folder, _, name = path.rpartition("/")
        scope = self._scope(folder)
        return path == self._start or (scope is not None and not scope.against_file(name))

    def _scope(self, folder: str) -> Scope | None:
        """Return the rules in a folder; None when nothing in it is chosen."""
        unknown = []
        while folder not in self._scopes:
            unknown.append(folder)
            folder = folder.rpartition("/")[0]
        scope = self._scopes[folder]
        for below in reversed(unknown):
            name = below.rpartition("/")[2]
            scope = None if scope is None or scope.against_folder(name) else scope.enter(name)
            self._scopes[below] = scope
        return scope
