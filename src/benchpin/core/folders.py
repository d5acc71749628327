"""Folders that other processes use at the same time."""

from contextlib import suppress
from pathlib import Path


def folder_size(folder: Path) -> int:
    """Return how many bytes the files beneath a folder have; files may come and go meanwhile."""
    total = 0
    for place in folder.rglob("*"):
        with suppress(FileNotFoundError):
            total += 0 if place.is_dir() else place.stat().st_size
    return total
