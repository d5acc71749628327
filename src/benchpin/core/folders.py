"""Folders that other processes use at the same time."""

import os
from contextlib import suppress
from pathlib import Path


def folder_size(folder: Path) -> int:
    """Return how many bytes the files beneath a folder have; files may come and go meanwhile."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(parent, name).stat().st_size
    return total
