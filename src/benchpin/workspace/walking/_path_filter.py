"""Select paths as a walk would, without access to the disk."""

from ._folder_filter import FolderFilter, WalkOptions
from ._ignore import IgnoreRules


class PathFilter:
    """Selects paths below a start by patterns; a start that is a file is always selected."""

    def __init__(
        self, start: str, include_patterns: tuple[str, ...], exclude_patterns: tuple[str, ...]
    ) -> None:
        """Start at a path relative to the root; an empty one is the root."""
        options = WalkOptions(include_patterns, exclude_patterns, include_vendored=True)
        self._start = start
        steps = tuple(start.split("/")) if start else ()
        top = FolderFilter.at(steps, options, IgnoreRules())
        self._filters: dict[str, FolderFilter | None] = {"": None, start: top}

    def accepts(self, path: str) -> bool:
        """Whether a file is selected; its path is relative to the root."""
        folder, _, name = path.rpartition("/")
        found = self._filter(folder)
        return path == self._start or (found is not None and not found.skip_file(name))

    def _filter(self, folder: str) -> FolderFilter | None:
        """Return the filter of a folder; None if nothing in it is selected."""
        unknown = []
        while folder not in self._filters:
            unknown.append(folder)
            folder = folder.rpartition("/")[0]
        found = self._filters[folder]
        for below in reversed(unknown):
            name = below.rpartition("/")[2]
            found = None if found is None or found.skip_folder(name) else found.enter(name)
            self._filters[below] = found
        return found
