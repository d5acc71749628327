"""A device finds the candidates; here one that computes with NumPy what the kernels compute."""

import sys
from typing import Any

import numpy as np
import pytest

from benchpin.core.calls import Job
from benchpin.measures.clones import Device, DuplicateOptions, NoDevice, find_duplicates
from benchpin.measures.clones._hashing import renamed_windows_of, windows_of
from benchpin.measures.clones._minhash import Neighbours, neighbours, signatures
from benchpin.measures.clones._repeats import Windows, repeated_windows
from clones import read

CODE = """\
def load(path):
    rows = []
    with open(path) as handle:
        for line in handle:
            parts = line.strip().split(',')
            if len(parts) != 3:
                raise ValueError(line)
            rows.append((parts[0], int(parts[1]), float(parts[2])))
    rows.sort(key=lambda row: (row[1], row[0]))
    return rows
"""
FILES = {
    "a.py": CODE,
    "b.py": CODE,
    "c.py": CODE.replace("rows", "found").replace("load", "read"),
    "d.py": CODE.replace("    return", "    print(rows)\n    return"),
}


class EveryWindow(Device):
    """Hashes every window, as a GPU does, and not only those that may repeat."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def windows(self, row: Any, width: int) -> Windows:
        self.asked.append("exact")
        return _repeated(windows_of(row, width))

    def renamed_windows(self, shapes: Any, distances: Any, width: int) -> Windows:
        self.asked.append("renamed")
        return _repeated(renamed_windows_of(shapes, distances, width))

    def signatures(self, elements: Any, starts: Any) -> Any:
        self.asked.append("signatures")
        return signatures(elements, starts)

    def neighbours(self, key: Any) -> Neighbours:
        self.asked.append("pairs")
        return neighbours(key)


def _repeated(hashes: Any) -> Windows:
    return repeated_windows(np.arange(len(hashes), dtype=np.int32), hashes)


def test_a_search_on_a_device_gives_the_same_groups() -> None:
    device = EveryWindow()
    files = read(FILES)
    here = find_duplicates(files, DuplicateOptions(), Job())
    there = find_duplicates(files, DuplicateOptions(), Job(), device=device)

    assert here.groups
    assert (there.groups, there.summary) == (here.groups, here.summary)
    near = [*["signatures"], *["pairs"] * 20]
    assert device.asked == ["exact", "renamed", *near, *near]


def test_without_cupy_there_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)

    with pytest.raises(NoDevice, match="not installed"):
        Device()
