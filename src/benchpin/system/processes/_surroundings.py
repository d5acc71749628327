"""What surrounds Benchpin: programs, extras, cores and folders of the user.

A program that the workspace brings along is never found.
"""

import os
import shutil
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from benchpin.core.errors import DependencyMissing

# Searched even inside the workspace: whoever serves `/` trusts its programs.
_SYSTEM = ("/usr/local/bin", "/usr/bin", "/bin")
_MAX_WORKERS = 8  # each has its own grammars and cache connection; more mostly cost memory
Extra = Literal["fleet", "look", "lsp", "measures", "sql", "structure", "tokens"]
MODULES: dict[Extra, tuple[str, ...]] = {
    "fleet": ("distributed", "duckdb", "obstore"),
    "look": ("vl_convert",),
    "lsp": ("pygls",),
    "measures": ("jellyfish", "numpy", "rapidfuzz", "rustworkx"),
    "sql": ("sqlglot",),
    "structure": ("ast_grep_py",),
    "tokens": ("splintr",),
}


def search_path(root: Path) -> str:
    """Return PATH without relative folders and without folders of the workspace."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(
        folder
        for folder in folders
        if Path(folder).is_absolute() and (folder in _SYSTEM or not _is_inside(folder, root))
    )


def find_program(name: str, root: Path) -> str | None:
    """Return the absolute path of a program outside the workspace; None if there is none."""
    for folder in search_path(root).split(os.pathsep):
        found = shutil.which(name, path=folder) if folder else None
        # A folder outside may hold a link into the workspace.
        if found is not None and (folder in _SYSTEM or not _is_inside(found, root)):
            return found
    return None


def _is_inside(path: str, root: Path) -> bool:
    return Path(path).resolve().is_relative_to(root)


def worker_count() -> int:
    """Return how many worker processes this machine can keep busy."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(_MAX_WORKERS, cores or 1))


# Extras: libraries that only some tools need, and that the default install leaves out.


def has_extra(extra: Extra) -> bool:
    """Whether all libraries of an extra are installed; none of them is imported."""
    return all(find_spec(module) is not None for module in MODULES[extra])


def installed_extras() -> list[Extra]:
    return [extra for extra in MODULES if has_extra(extra)]


def lacks_extra(extra: Extra) -> str:
    """Return why something is not measured, in words that a report can show."""
    return f"needs benchpin[{extra}], which is not installed"


def require_extra(extra: Extra, subject: str) -> None:
    """Refuse what needs an extra that is not installed; `subject` is singular.

    Raises:
        DependencyMissing: with the command that installs it.
    """
    if not has_extra(extra):
        raise DependencyMissing(
            f"{subject} {lacks_extra(extra)}",
            suggestion=f"Install it: pip install 'benchpin[{extra}]'",
        )


# Folders of the user, and the size of one that other processes may change.


def home_folder() -> Path:
    """Return the home folder; for a user without one, a place that no folder is beneath."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(os.devnull)


def folder_size(folder: Path) -> int:
    """Return the total size of the files below a folder; those removed meanwhile are skipped."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(parent, name).stat().st_size
    return total
