"""Copies of a project before and after a change, in which the same command runs in turns."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from benchpin.code.changes import Deltas
from benchpin.core.calls import Bench, Job, Workspace
from benchpin.core.tools import Effect
from benchpin.facts import FileSelection
from benchpin.run.tests import ProjectView

from ._filling import filled
from ._working_copy import WorkingCopy, own_folder

# The place of the state whose turn it is: both run at the same path.
_NOW = "now"


@dataclass
class BothStates:
    """The folder with both copies, `before` and `after`, and how programs run in it."""

    root: Path
    bench: Bench
    """As the given one, in this folder, where programs may write."""
    environment: dict[str, str]
    """Where programs find the project in the copy whose turn it is."""
    _original: Path

    @contextmanager
    def turn(self, side: Literal["before", "after"]) -> Iterator[Path]:
        """Move one state to the place where it runs, until the end of the block."""
        place = self.root / _NOW
        (self.root / side).rename(place)
        try:
            yield place
        finally:
            place.rename(self.root / side)

    def project(self, folder: PurePosixPath) -> ProjectView:
        """Return a folder of the state whose turn it is, with the dependencies of the workspace."""
        permissions = self.bench.permissions
        original = ProjectView(self._original, folder, permissions)
        return ProjectView(self.root / _NOW, folder, permissions, original)


@contextmanager
def both_states(
    selection: FileSelection, deltas: Deltas, bench: Bench, job: Job
) -> Iterator[BothStates]:
    """Copy a workspace as it is before and after a change; both are removed at the end.

    Not a `git worktree`, as for `working_copy`. Raises what that raises.
    """
    with own_folder(bench.cache_dir / "proofs") as tree:
        root = tree.resolve()
        place = root / _NOW
        linked: dict[Path, None] = {}
        for side in ("before", "after"):
            place.mkdir()
            copy = filled(WorkingCopy(place, selection.root), selection, deltas, job)
            if side == "before":
                copy.take_back(deltas.files)
            linked |= dict.fromkeys(copy.linked)
            path = copy.python_path()
            place.rename(root / side)
        environment = {"GOCACHE": str(root / "go-cache")}
        if path:
            environment["PYTHONPATH"] = ":".join(path)
        inside = replace(
            bench,
            workspace=Workspace(root),
            effects=bench.effects | {Effect.EXECUTE, Effect.WRITE},
            toolchains=(*bench.toolchains, *linked),
            job=job,
        )
        yield BothStates(root, inside, environment, selection.root)
