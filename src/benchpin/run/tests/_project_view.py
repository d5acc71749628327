"""The folder of a project, as far as its test runner depends on it."""

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Operation, Permissions
from benchpin.core.errors import BenchpinError
from benchpin.system.processes import home_folder
from benchpin.workspace.files import folder_beneath, opened

from ._results import Place

_MAX_BYTES = 1 << 20
_MAX_NAMES = 5_000
_MAX_FRAMES = 200
_MAX_LOOKUPS = 20_000
_DEPENDENCIES = frozenset(
    {"node_modules", "site-packages", "dist-packages", "vendor", ".venv", "venv", ".tox", ".nox"}
)
_ENVIRONMENTS = (".venv", "venv", "env")
# Folders with an environment for each task.
_MANAGED = (".tox", ".nox")
# Variables that name an environment; uv takes a path relative to the project.
_CHOSEN = ("UV_PROJECT_ENVIRONMENT", "VIRTUAL_ENV", "CONDA_PREFIX")
_MAX_MANAGED_INTERPRETERS = 50


class ProjectView:
    """Names and contents of files; what may not be read is not there."""

    def __init__(
        self,
        root: Path,
        folder: PurePosixPath,
        permissions: Permissions,
        original: "ProjectView | None" = None,
    ) -> None:
        """Look at one folder of a workspace.

        A copy has links to the folders of dependencies of its original, which has their names.
        """
        self.root = root
        self.folder = folder
        self._permissions = permissions
        self._original = original
        self._names: dict[str, list[str]] = {}
        self._places: dict[str, str | None] = {}

    @property
    def path(self) -> Path:
        """The folder on the disk."""
        return self.root / self.folder

    def names(self, folder: str = ".") -> list[str]:
        """Return the names in a folder, sorted; none if it cannot be read."""
        if folder not in self._names:
            found = self._listed(self.folder / folder)
            if not found and self._original is not None:
                found = self._original.names(folder)
            self._names[folder] = found
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

    def beneath(self, folder: str) -> "ProjectView":
        original = None if self._original is None else self._original.beneath(folder)
        return ProjectView(self.root, self.folder / folder, self._permissions, original)

    def above(self) -> list["ProjectView"]:
        """Return the folders around this one up to the workspace, inner ones first."""
        parents = self.folder.parents if self.folder.parts else ()
        around = [] if self._original is None else self._original.above()
        originals = [*around, *(None for _ in parents)]
        return [
            ProjectView(self.root, it, self._permissions, original)
            for it, original in zip(parents, originals, strict=False)
        ]

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


def files_of(tests: Iterable[str], project: ProjectView) -> tuple[list[str], list[str]]:
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


# Which Python runs the tests and programs of a project: the one of its own environment.


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The Python of an environment."""

    program: str
    """Relative to the project, or absolute."""
    packages: frozenset[str]
    """The names in its site-packages."""
    outside: str = ""
    """The folder of the environment, if it is not in the workspace."""


def find_interpreters(project: ProjectView) -> list[Interpreter]:
    """Return the interpreters of a project, the most likely one first.

    Environments in its folders, then those that somebody activated or a manager keeps elsewhere,
    then those of tox and nox, which are for one task each.
    """
    return [*find_environments(project), *_of_tasks(project)]


def find_environments(project: ProjectView) -> list[Interpreter]:
    """Return the interpreters of a project but those that tox and nox keep for one task."""
    return list(_found(project))


def choose_interpreter(found: list[Interpreter], package: str) -> Interpreter | None:
    """Return the first that has a package, else the first; None means the one of PATH."""
    having = (it for it in found if package in it.packages)
    return next(having, found[0] if found else None)


def _found(project: ProjectView) -> Iterator[Interpreter]:
    for start, folder in _around(project):
        for name in _ENVIRONMENTS:
            yield from _inside(folder, name, start)
    for given in (os.environ.get(name, "") for name in _CHOSEN):
        if given.startswith("/"):
            yield from _outside(Path(given))
        elif given:
            yield from _inside(project, given, "")
    for environment in _of_managers(project):
        yield from _outside(environment)


def _of_tasks(project: ProjectView) -> Iterator[Interpreter]:
    for start, folder in _around(project):
        for manager in _MANAGED:
            for name in folder.names(manager)[:_MAX_MANAGED_INTERPRETERS]:
                yield from _inside(folder, f"{manager}/{name}", start)


def _around(project: ProjectView) -> list[tuple[str, ProjectView]]:
    """Return the project and the folders around it, and the way up to each."""
    return [("", project), *(("../" * (at + 1), it) for at, it in enumerate(project.above()))]


def _inside(folder: ProjectView, name: str, start: str) -> Iterator[Interpreter]:
    """Yield the interpreter of an environment in the workspace, if there is one."""
    if not folder.has(f"{name}/bin/python"):
        return
    packages: set[str] = set()
    for version in folder.names(f"{name}/lib"):
        packages.update(folder.names(f"{name}/lib/{version}/site-packages"))
    yield Interpreter(f"{start}{name}/bin/python", frozenset(packages))


def _outside(environment: Path) -> Iterator[Interpreter]:
    """Yield the interpreter of an environment outside the workspace, if there is one."""
    program = environment / "bin" / "python"
    if not program.exists():
        return
    places = environment.glob("lib/python*/site-packages/*")
    packages = frozenset(it.name for it in places)
    yield Interpreter(str(program), packages, outside=str(environment))


def _of_managers(project: ProjectView) -> Iterator[Path]:
    """Yield the environments that Poetry and Pipenv keep in the home folder for a project."""
    place = str(project.path)
    if project.has("poetry.lock") or "[tool.poetry]" in project.read("pyproject.toml"):
        digest = base64.urlsafe_b64encode(hashlib.sha256(place.encode()).digest())[:8].decode()
        cache = Path(os.environ.get("POETRY_CACHE_DIR") or home_folder() / ".cache" / "pypoetry")
        yield from sorted((cache / "virtualenvs").glob(f"*-{digest}-py*"))
    if project.has("Pipfile"):
        short = hashlib.sha256(f"{place}/Pipfile".encode()).digest()[:6]
        digest = base64.urlsafe_b64encode(short)[:8].decode()
        folder = os.environ.get("WORKON_HOME") or home_folder() / ".local/share/virtualenvs"
        yield from sorted(Path(folder).glob(f"*-{digest}"))
