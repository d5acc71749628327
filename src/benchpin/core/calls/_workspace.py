"""The root folder, and paths in it."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core.errors import InvalidPath, PathOutsideWorkspace
from benchpin.core.text import SCHEME, path_of

# The limit of a path: Linux takes 4,096 bytes, and resolving takes time for each name.
_MAX_NAMES = 4_096


@dataclass(frozen=True, slots=True)
class Workspace:
    """A root folder."""

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
        except FileNotFoundError as error:  # only a relative path needs the current folder
            raise InvalidPath(
                "The current folder does not exist any more", suggestion=hint
            ) from error
        except (OSError, RuntimeError, ValueError) as error:
            raise InvalidPath(f"{str(folder)!r} is not a path: {error}", suggestion=hint) from error
        if not root.is_dir():
            raise InvalidPath(f"{folder} is not a folder", suggestion=hint)
        return cls(root)

    def resolve(self, path: str) -> Path:
        """Return the absolute path of a client's path or `file://` URI, symbolic links resolved.

        Raises:
            InvalidParams: when a URI has parts other than a path.
            InvalidPath: when the text is not a path.
            PathOutsideWorkspace: when the path is not below the root.
        """
        if path.startswith(SCHEME):
            path = path_of(path)
        if "\0" in path:
            raise InvalidPath(
                "The path contains a NUL byte", suggestion="Give a path relative to the workspace."
            )
        if path.count("/") > _MAX_NAMES:
            raise InvalidPath(
                f"The path consists of more than {_MAX_NAMES:,} names",
                suggestion="Give a path relative to the workspace.",
            )
        plain = self.without_links(path)
        if plain is not None:
            return self.root / plain
        try:
            resolved = (self.root / path).resolve()
        except (OSError, RuntimeError, ValueError) as error:  # ValueError: a lone surrogate
            raise InvalidPath(
                f"{path!r} cannot be resolved: {error}", suggestion="Check the path."
            ) from error
        if not resolved.is_relative_to(self.root):
            raise PathOutsideWorkspace(
                f"{path!r} is outside the workspace",
                suggestion="Give a path inside it, or start Benchpin with another --root.",
                data={"path": path},
            )
        return resolved

    def without_links(self, path: str) -> str | None:
        """Return a path to an existing place, if it has no symbolic links; None for others.

        A fast path for most calls: it does not resolve the root again. The path returned has no
        names such as `.`; that of the root is empty.
        """
        names = [name for name in path.split("/") if name not in {"", "."}]
        if os.sep != "/" or path.startswith("/") or ".." in names:
            return None
        current = str(self.root).rstrip("/")
        try:
            for name in names:
                current = f"{current}/{name}"
                if stat.S_ISLNK(os.lstat(current).st_mode):
                    return None
        except (OSError, ValueError):
            return None
        return "/".join(names)

    def relative(self, path: Path) -> PurePosixPath:
        """Return a path below the root as clients see it."""
        # As text: `relative_to` takes five times as long, and most calls need it.
        place, root = str(path), str(self.root)
        if os.sep == "/" and place.startswith(root) and place[len(root) : len(root) + 1] == "/":
            return PurePosixPath(place[len(root) + 1 :])
        return PurePosixPath(path.relative_to(self.root).as_posix())
