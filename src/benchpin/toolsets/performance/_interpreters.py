"""Where the interpreter of a program is looked for: as the person who asks would find it."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchpin.run.tests import ProjectView, find_environments

_OWN_PROGRAMS = ("node_modules/.bin", "vendor/bin")


def program_folders(project: ProjectView) -> list[str]:
    """Return folders with programs, the first to look in first.

    Those of the project's dependencies, of its own or the activated environment, then PATH, but not
    the environment that Benchpin alone is installed in.
    """
    own = [project.path / it for it in _OWN_PROGRAMS]
    environments = [(project.path / it.program).parent for it in find_environments(project)]
    path = [Path(it) for it in os.environ.get("PATH", "").split(os.pathsep) if it.startswith("/")]
    ours = Path(sys.prefix, "bin") if sys.prefix != sys.base_prefix else None
    found = [*own, *environments, *(it for it in path if it != ours)]
    # Not resolved: the program of an environment is a link to its base, which lacks its packages.
    return list(dict.fromkeys(os.path.normpath(it) for it in found if it.is_dir()))


def passed_over(taken: str, name: str, folders: Sequence[str]) -> str:
    """Return the interpreter that a terminal takes, if the sandbox took another; else nothing.

    `name` is what it was looked up by; empty where its path was given.
    """
    places = (Path(it, name) for it in folders)
    first = next((str(it) for it in places if name and os.access(it, os.X_OK)), taken)
    return "" if first == taken else first
