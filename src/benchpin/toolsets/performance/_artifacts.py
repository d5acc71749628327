"""Open artefacts in the workspace, or in a folder given by --artifacts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from benchpin.core import Bench, InvalidPath, PathOutsideWorkspace
from benchpin.engines.files.reading import OpenFile, opened
from benchpin.engines.profiles.ingest import Opener
from benchpin.engines.profiles.store import BUNDLES

MAX_BYTES = 64 << 30
"""Artefacts are streamed, so this is no limit on memory."""


def opener(bench: Bench) -> Opener:
    """Return a function that opens files which the caller may read."""

    @contextmanager
    def open_artifact(path: str) -> Iterator[OpenFile]:
        folder, within = locate(bench, path)
        with opened(folder, within, MAX_BYTES) as source:
            yield source

    return open_artifact


def locate(bench: Bench, path: str) -> tuple[Path, PurePosixPath]:
    """Return the readable folder that contains a path, and the path relative to it.

    Raises:
        PathError: when no readable folder contains it.
    """
    place = Path(path)
    if place.is_absolute() and "\0" not in path:
        try:
            real = place.resolve()
        except (OSError, RuntimeError) as error:
            raise InvalidPath(
                f"{path[:200]!r} cannot be resolved: {error}", suggestion="Check the path."
            ) from error
        for folder in (*bench.artifact_dirs, bench.data_folder / BUNDLES):
            if real.is_relative_to(folder):
                return folder, PurePosixPath(real.relative_to(folder))
    try:
        found = bench.path(path)
    except PathOutsideWorkspace as error:
        raise PathOutsideWorkspace(
            error.message,
            suggestion=f"Start Benchpin with --artifacts {place.parent} to let it read there.",
            data=error.data,
        ) from error
    return bench.workspace.root, bench.workspace.relative(found)
