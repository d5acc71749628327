"""The folder of a project, as far as its test runner depends on it."""

import os
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Operation, Permissions
from benchpin.core.errors import BenchpinError
from benchpin.workspace.files import folder_beneath, opened

from ._results import Place

_MAX_BYTES = 1 << 20
_MAX_NAMES = 5_000
_MAX_FRAMES = 200
_MAX_LOOKUPS = 20_000
_DEPENDENCIES = frozenset(
    {"node_modules", "site-packages", "dist-packages", "vendor", ".venv", "venv", ".tox", ".nox"}
)


class Project:
    """Names and contents of files; what may not be read is not there."""

    def __init__(self, root: Path, folder: PurePosixPath, permissions: Permissions) -> None:
        """Look at one folder of a workspace."""
        self.root = root
        self.folder = folder
        self._permissions = permissions
        self._names: dict[str, list[str]] = {}
        self._places: dict[str, str | None] = {}

    @property
    def path(self) -> Path:
        """The folder on the disk."""
        return self.root / self.folder

    def names(self, folder: str = ".") -> list[str]:
        """Return the names in a folder, sorted; none if it cannot be read."""
        if folder not in self._names:
            self._names[folder] = self._listed(self.folder / folder)
        return self._names[folder]

    def has(self, path: str) -> bool:
        """Whether there is a file, a folder or a link."""
        parent, _, name = path.rpartition("/")
        return name in self.names(parent or ".")

    def read(self, path: str) -> str:
        """Return the text of a file, up to 1 MiB; an empty one if it cannot be read."""
        place = self.folder / path
        if not self._may_read(place):
            return ""
        try:
            with opened(self.root, place, _MAX_BYTES) as file:
                return file.read(_MAX_BYTES).decode("utf-8-sig", errors="replace")
        except BenchpinError:
            return ""

    def beneath(self, folder: str) -> "Project":
        """Return a folder of this one as a project of its own."""
        return Project(self.root, self.folder / folder, self._permissions)

    def above(self) -> list["Project"]:
        """Return the folders around this one up to the workspace, inner ones first."""
        parents = self.folder.parents if self.folder.parts else ()
        return [Project(self.root, it, self._permissions) for it in parents]

    def place(self, path: str) -> str | None:
        """Return a path of the output relative to the workspace; None if it is not in the project.

        Dependencies that are installed in the workspace are not in the project. Of very many
        different paths, only the first are looked for.
        """
        if path not in self._places and len(self._places) < _MAX_LOOKUPS:
            self._places[path] = self._looked_up(path)
        return self._places.get(path)

    def _looked_up(self, path: str) -> str | None:
        path = path.removeprefix("file://")
        if path.startswith("/"):
            root = f"{self.root}/"
            if not path.startswith(root):
                return None
            path = os.path.normpath(path.removeprefix(root))
        else:
            path = os.path.normpath(f"{self.folder}/{path}")
        parts = path.split("/")
        if parts[0] in {"..", ""} or not _DEPENDENCIES.isdisjoint(parts):
            return None
        return path if self._is_file(PurePosixPath(path)) else None

    def frames(self, pattern: re.Pattern[str], text: str) -> list[Place]:
        """Return the places in a text that are in the project: groups `file` and `line`."""
        found: list[Place] = []
        for match in islice(pattern.finditer(text), _MAX_FRAMES):
            place = self.place(match["file"])
            if place is not None:
                found.append((place, int(match["line"])))
        return found

    def _is_file(self, path: PurePosixPath) -> bool:
        try:
            with opened(self.root, path, 1 << 40):
                return self._may_read(path)
        except (BenchpinError, ValueError):
            return False

    def _may_read(self, path: PurePosixPath) -> bool:
        return self._permissions.may(str(path), Operation.READ)

    def _listed(self, folder: PurePosixPath) -> list[str]:
        try:
            with folder_beneath(self.root, folder) as opened_folder:
                names = sorted(os.listdir(opened_folder)[:_MAX_NAMES])  # noqa: PTH208 - a descriptor
        except (OSError, ValueError):
            return []
        return [it for it in names if self._may_read(folder / it)]


def files_of(tests: Iterable[str], project: Project) -> tuple[list[str], list[str]]:
    """Split tests into those that are files or folders of the project, and names."""
    files: list[str] = []
    names: list[str] = []
    for test in tests:
        (files if project.has(test.rstrip("/").removeprefix("./")) else names).append(test)
    return files, names


def any_of(names: Sequence[str]) -> str:
    """Return a regular expression for any of some names, as every runner reads it."""
    return "|".join(re.sub(r"([^\w\s/-])", r"\\\1", it) for it in names)


def failing_place(frames: Sequence[Place], own: str | None, line: int | None) -> Place | None:
    """Return where a test failed: in its own file, else the innermost frame, else its definition.

    The innermost frame is the first.
    """
    in_test = [it for it in frames if it[0] == own]
    found = [*in_test, *frames]
    if found:
        return found[0]
    return None if own is None else (own, line)
