"""Which installed distributions add toolsets, found without importlib.metadata.

That reads the metadata of every distribution, which takes 18 ms where 150 are installed, at every
start. Almost no installation has such a distribution, and to see that takes 1.3 ms.
"""

import os
import sys

# The entry point group: `[project.entry-points."benchpin.toolsets"]` in a pyproject.toml.
GROUP = "benchpin.toolsets"


def is_extended() -> bool:
    """Whether an installed distribution declares the group."""
    return any(_declares(folder) for folder in trusted_folders())


def trusted_folders() -> list[str]:
    """Return the folders of distributions: those of `sys.path` but the current one.

    Python has the current folder there under `-m`. It is often the workspace, and no program of a
    workspace runs because somebody looks at it.
    """
    try:
        current = os.path.realpath(os.getcwd())  # noqa: PTH109 - pathlib takes 10 ms to import
    except OSError:  # it was removed
        current = ""
    return [it for it in sys.path if it and os.path.realpath(it) != current]


def _declares(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            names = [it.path for it in entries if it.name.endswith((".dist-info", ".egg-info"))]
    except OSError:  # an archive, or not there
        return False
    return any(f"[{GROUP}]".encode() in _entry_points(name) for name in names)


def _entry_points(metadata: str) -> bytes:
    try:
        with open(f"{metadata}/entry_points.txt", "rb") as file:  # noqa: PTH123 - as above
            return file.read()
    except OSError:
        return b""
