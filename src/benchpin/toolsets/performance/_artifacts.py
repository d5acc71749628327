"""Open the artefacts that a client names: in the workspace, or in a folder for artefacts."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import Field

from benchpin.core import Bench, InvalidPath, Item, PathOutsideWorkspace
from benchpin.engines.files.reading import OpenFile, opened
from benchpin.engines.profiles.ingest import Opener
from benchpin.engines.profiles.store import BUNDLES

MAX_BYTES = 64 << 30
"""Artefacts are read as streams, so that large ones are welcome."""


class ArtifactParam(Item):
    """A file to read, and what the caller knows of it."""

    path: Annotated[str, Field(min_length=1, max_length=4096)]
    """In the workspace, or in a folder given by --artifacts."""
    hints: dict[str, object] = Field(default_factory=dict)
    """Whatever belongs to it; kept with the snapshot."""


def opener(bench: Bench) -> Opener:
    """Return what opens the files that a caller may read."""

    @contextmanager
    def open_artifact(path: str) -> Iterator[OpenFile]:
        folder, within = locate(bench, path)
        with opened(folder, within, MAX_BYTES) as source:
            yield source

    return open_artifact


def locate(bench: Bench, path: str) -> tuple[Path, PurePosixPath]:
    """Return the folder that holds what a caller named, and the path beneath it.

    Raises:
        PathError: when it lies in no folder that may be read.
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
