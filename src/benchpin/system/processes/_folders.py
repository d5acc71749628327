"""Folders of the user, and the size of one that other processes may change."""

import os
from contextlib import suppress
from pathlib import Path


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
