"""Find the programs that Benchpin runs: never one that the workspace brings along."""

import os
import shutil
from pathlib import Path

# Searched even inside the workspace: whoever serves `/` trusts its programs.
_SYSTEM = ("/usr/local/bin", "/usr/bin", "/bin")


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
