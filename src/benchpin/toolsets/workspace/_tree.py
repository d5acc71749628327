"""The files of the workspace for searches and resources."""

from benchpin.core.calls import Bench, Operation
from benchpin.workspace.walking import SourceFile, Tree, WalkOptions

VISIBLE = WalkOptions(include_hidden=False, include_vendored=True)
_MAX_TREES = 16


def readable_files(bench: Bench) -> list[SourceFile]:
    """Return the files that may be read, sorted by path."""
    found = _tree(bench, VISIBLE, "").refresh(bench.job).files
    return [file for file in found if bench.may(file.path, Operation.READ)]


def readable_paths(bench: Bench, options: WalkOptions, start: str) -> list[str]:
    """Return the paths of the files that may be read, sorted; faster than `readable_files`."""
    found = _tree(bench, options, start).paths(bench.job)
    return [path for path in found if bench.may(path, Operation.READ)]


def _tree(bench: Bench, options: WalkOptions, start: str) -> Tree:
    """Return the walk of a folder, kept so that the next one lists only changed folders."""
    return bench.session.remember(
        bench.job,
        "file trees",
        (options, start),
        lambda: Tree(bench.workspace.root, options, start),
        room=_MAX_TREES,
    )
