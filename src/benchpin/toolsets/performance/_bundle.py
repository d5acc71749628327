"""The artefacts in a folder: a bundle that was collected, or one that somebody filled."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core import Bench, InvalidParams
from benchpin.engines.beneath import folder_beneath
from benchpin.engines.files.reading import path_errors
from benchpin.engines.profiles.collector import MANIFEST, read_manifest
from benchpin.engines.profiles.ingest import Artifact, validate_all

from ._artifacts import locate, opener

_MOST_FILES = 2_000
_DEEPEST = 2
"""Profiles of several servers lie in folders of their own."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What to read, and what in a folder is no artefact, with the reason."""

    artifacts: Sequence[Artifact]
    skipped: Sequence[tuple[str, str]] = ()


def artifacts_of(bundle_dir: str, bench: Bench) -> Chosen:
    """Return the artefacts in a folder, and the other files in it.

    Raises:
        InvalidParams: when there are none.
        PathError: when the folder may not be read.
    """
    root, within = locate(bench, bundle_dir)
    if (root / within / MANIFEST).is_file():
        return Chosen(
            [
                Artifact(
                    path=str(PurePosixPath(bundle_dir) / it.path) if it.is_copied else it.path,
                    sha256=it.sha256,
                )
                for it in read_manifest(root / within).items
            ]
        )
    named = [str(PurePosixPath(bundle_dir) / path) for path in _files(root, within, _DEEPEST)]
    found = validate_all(named[:_MOST_FILES], opener(bench))
    known = [Artifact(path=path) for path, it in found.items() if it.detected_type is not None]
    if not known:
        raise InvalidParams(
            f"There is no artefact in {bundle_dir!r}",
            suggestion="Name a folder with SPX profiles, slow logs or timings in it.",
            data={"path": "bundle_dir", "files": len(named)},
        )
    skipped = [(path, it.errors[0]) for path, it in found.items() if it.detected_type is None]
    return Chosen(known, [*skipped, *((name, "too many files") for name in named[_MOST_FILES:])])


def _files(root: Path, folder: PurePosixPath, depth: int) -> Iterator[str]:
    """Go through the names of regular files, folders after files, all in order."""
    with path_errors(folder), folder_beneath(root, folder) as opened:
        kinds = {
            name: os.stat(name, dir_fd=opened, follow_symlinks=False).st_mode
            for name in sorted(os.listdir(opened))  # noqa: PTH208 - an open folder
        }
    yield from (name for name, mode in kinds.items() if stat.S_ISREG(mode))
    for name, mode in kinds.items():
        if stat.S_ISDIR(mode) and depth > 1:
            yield from (f"{name}/{inner}" for inner in _files(root, folder / name, depth - 1))
