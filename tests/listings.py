"""Watch which folders are read."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


def note_listings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which the names of folders are added as they are read."""
    names: list[str] = []
    scandir = os.scandir

    def note(place: str) -> Iterator[os.DirEntry[str]]:
        names.append(Path(place).name)
        return scandir(place)

    monkeypatch.setattr(os, "scandir", note)
    return names
