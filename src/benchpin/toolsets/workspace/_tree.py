"""The files of the workspace, as searches and resources see them."""

from functools import lru_cache
from pathlib import Path

from benchpin.core import Bench, Operation
from benchpin.engines.source.walk import SourceFile, Tree, WalkOptions

SEEN = WalkOptions(include_hidden=False, include_vendored=True)


def readable_files(bench: Bench, options: WalkOptions = SEEN, start: str = "") -> list[SourceFile]:
    """Return the files that may be read, in the order of paths."""
    found = _tree(bench.workspace.root, options, start).refresh(bench.job).files
    return [file for file in found if bench.may(file.path, Operation.READ)]


def readable_paths(bench: Bench, options: WalkOptions, start: str) -> list[str]:
    """Name the files that may be read, in order."""
    found = _tree(bench.workspace.root, options, start).paths(bench.job)
    return [path for path in found if bench.may(path, Operation.READ)]


@lru_cache(maxsize=16)
def _tree(root: Path, options: WalkOptions, start: str) -> Tree:
    """Remember what a folder looked like, so that the next look need not list it."""
    return Tree(root, options, start)
