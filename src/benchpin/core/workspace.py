"""The folder that all work happens in."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .errors import InvalidPath, PathOutsideWorkspace
from .file_uri import SCHEME, path_of


@dataclass(frozen=True, slots=True)
class Workspace:
    """A root, and the paths beneath it."""

    root: Path

    @classmethod
    def at(cls, folder: Path) -> "Workspace":
        """Return the workspace in a folder.

        Raises:
            InvalidPath: when it is not a folder.
        """
        hint = "Name an existing folder with --root."
        try:
            root = folder.expanduser().resolve()
        except (OSError, RuntimeError, ValueError) as error:
            raise InvalidPath(f"{str(folder)!r} is not a path: {error}", suggestion=hint) from error
        if not root.is_dir():
            raise InvalidPath(f"{folder} is not a folder", suggestion=hint)
        return cls(root)

    def resolve(self, path: str) -> Path:
        """Return the real place that a client's path or `file://` URI means, symlinks followed.

        Raises:
            InvalidParams: when a URI says more than a path.
            InvalidPath: when the text cannot be a path.
            PathOutsideWorkspace: when the place is not beneath the root.
        """
        if path.startswith(SCHEME):
            path = path_of(path)
        if "\0" in path:
            raise InvalidPath(
                "The path contains a NUL byte", suggestion="Give a path relative to the workspace."
            )
        straight = self._straight_down(path)
        if straight is not None:
            return straight
        try:
            place = (self.root / path).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # ValueError: a lone surrogate
            raise InvalidPath(
                f"{path!r} cannot be resolved: {error}", suggestion="Check the path."
            ) from error
        if not place.is_relative_to(self.root):
            raise PathOutsideWorkspace(
                f"{path!r} is outside the workspace",
                suggestion="Give a path inside it, or start Benchpin with another --root.",
                data={"path": path},
            )
        return place

    def _straight_down(self, path: str) -> Path | None:
        """Return the place of a path that is there and meets no link; None for any other.

        Most paths are such, and the root, which is a real place, need not be resolved each time.
        """
        names = [name for name in path.split("/") if name not in {"", "."}]
        if os.sep != "/" or path.startswith("/") or ".." in names:
            return None
        place = str(self.root).rstrip("/")
        try:
            for name in names:
                place = f"{place}/{name}"
                if stat.S_ISLNK(os.lstat(place).st_mode):
                    return None
        except (OSError, ValueError):
            return None
        return Path(place or "/")

    def relative(self, place: Path) -> PurePosixPath:
        """Return a place beneath the root as clients see it."""
        return PurePosixPath(place.relative_to(self.root).as_posix())
