"""Which Python runs the tests and programs of a project: the one of its own environment."""

import base64
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchpin.system.processes import home_folder

from ._project import Project

_ENVIRONMENTS = (".venv", "venv", "env")
# Folders with an environment for each task.
_MANAGED = (".tox", ".nox")
# Variables that name an environment; uv takes a path relative to the project.
_CHOSEN = ("UV_PROJECT_ENVIRONMENT", "VIRTUAL_ENV", "CONDA_PREFIX")
_MAX_MANAGED_INTERPRETERS = 50


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The Python of an environment."""

    program: str
    """Relative to the project, or absolute."""
    packages: frozenset[str]
    """The names in its site-packages."""
    outside: str = ""
    """The folder of the environment, if it is not in the workspace."""


def find_interpreters(project: Project) -> list[Interpreter]:
    """Return the interpreters of a project, the most likely one first.

    Environments in its folders, then those that somebody activated or a manager keeps elsewhere,
    then those of tox and nox, which are for one task each.
    """
    return [*find_environments(project), *_of_tasks(project)]


def find_environments(project: Project) -> list[Interpreter]:
    """Return the interpreters of a project but those that tox and nox keep for one task."""
    return list(_found(project))


def choose_interpreter(found: list[Interpreter], package: str) -> Interpreter | None:
    """Return the first that has a package, else the first; None means the one of PATH."""
    having = (it for it in found if package in it.packages)
    return next(having, found[0] if found else None)


def _found(project: Project) -> Iterator[Interpreter]:
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


def _of_tasks(project: Project) -> Iterator[Interpreter]:
    for start, folder in _around(project):
        for manager in _MANAGED:
            for name in folder.names(manager)[:_MAX_MANAGED_INTERPRETERS]:
                yield from _inside(folder, f"{manager}/{name}", start)


def _around(project: Project) -> list[tuple[str, Project]]:
    """Return the project and the folders around it, and the way up to each."""
    return [("", project), *(("../" * (at + 1), it) for at, it in enumerate(project.above()))]


def _inside(folder: Project, name: str, start: str) -> Iterator[Interpreter]:
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


def _of_managers(project: Project) -> Iterator[Path]:
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
