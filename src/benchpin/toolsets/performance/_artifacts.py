"""Find and open artefacts: in the workspace, in folders given by --artifacts, or in a bundle."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from benchpin.core.calls import Bench
from benchpin.core.errors import InvalidParams, InvalidPath, PathOutsideWorkspace
from benchpin.performance.collector import MANIFEST, read_manifest
from benchpin.performance.reading import Artifact, Budget, IngestedArtifacts, Opener, validate_all
from benchpin.performance.snapshots import BUNDLES
from benchpin.performance.values import SourceFault
from benchpin.workspace.files import OpenFile, folder_beneath, opened, path_errors

from .settings import PerformanceSettings

# Artefacts are streamed, so this is no limit on memory.
MAX_BYTES = 64 << 30
_MAX_FILES = 2_000
# Profiles of several servers may be in subfolders.
_MAX_DEPTH = 2


def opener(bench: Bench) -> Opener:

    @contextmanager
    def open_artifact(path: str) -> Iterator[OpenFile]:
        folder, within = locate(bench, path)
        with opened(folder, within, MAX_BYTES) as source:
            yield source

    return open_artifact


def locate(bench: Bench, path: str) -> tuple[Path, PurePosixPath]:
    """Return the readable folder that contains a path, and the path relative to it."""
    path = stored_bundle(bench, path)
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


def stored_bundle(bench: Bench, path: str) -> str:
    """Return the place of `var/mcp/bundles/…` in the data folder; other paths as they are.

    Bundles are named so, without the data folder, in results, manuals and the Makefile.
    """
    root = bench.workspace.root
    named = Path(path)
    within = PurePosixPath(named.relative_to(root) if named.is_relative_to(root) else named)
    if not within.is_relative_to(BUNDLES) or (root / within).exists():
        return path
    stored = bench.data_folder / within
    return str(stored) if stored.exists() else path


@dataclass(frozen=True, slots=True)
class ArtifactSelection:
    """Artefacts to read, and the files of a folder that are none, with the reason."""

    artifacts: Sequence[Artifact]
    hashes: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 by path, from the manifest of a bundle."""
    skipped: Sequence[SourceFault] = ()


def selection_of(
    artifacts: Sequence[Artifact], bundle_dir: str | None, bench: Bench
) -> ArtifactSelection:
    """Return the named artefacts, or those of a folder."""
    if bool(artifacts) == (bundle_dir is not None):
        raise InvalidParams(
            "Give either artifacts or bundle_dir",
            suggestion='For example {"artifacts": [{"path": "slow.log"}]}.',
            data={"path": "artifacts"},
        )
    return ArtifactSelection(artifacts) if bundle_dir is None else _artifacts_of(bundle_dir, bench)


def _artifacts_of(bundle_dir: str, bench: Bench) -> ArtifactSelection:
    root, within = locate(bench, bundle_dir)
    if (root / within / MANIFEST).is_file():
        hashes = {
            str(PurePosixPath(bundle_dir) / it.path) if it.is_copied else it.path: it.sha256
            for it in read_manifest(root / within).files
        }
        return ArtifactSelection(
            [Artifact(path=path) for path in hashes],
            {path: sha256 for path, sha256 in hashes.items() if sha256 is not None},
        )
    named = [str(PurePosixPath(bundle_dir) / path) for path in _files(root, within, _MAX_DEPTH)]
    found = validate_all(named[:_MAX_FILES], opener(bench), bench.job)
    known = [Artifact(path=path) for path, it in found.items() if it.detected_type is not None]
    if not known:
        raise InvalidParams(
            f"There is no artefact in {bundle_dir!r}",
            suggestion="Name a folder with profiles, slow logs or timings in it.",
            data={"path": "bundle_dir", "files": len(named)},
        )
    skipped = {path: it.errors[0] for path, it in found.items() if it.detected_type is None}
    skipped |= dict.fromkeys(named[_MAX_FILES:], "too many files")
    faults = [SourceFault("file", problem, path) for path, problem in skipped.items()]
    return ArtifactSelection(known, skipped=faults)


def _files(root: Path, folder: PurePosixPath, depth: int) -> Iterator[str]:
    """Yield the paths of regular files in order, subfolders last."""
    with path_errors(folder), folder_beneath(root, folder) as opened:
        kinds = {
            name: os.stat(name, dir_fd=opened, follow_symlinks=False).st_mode
            for name in sorted(os.listdir(opened))  # noqa: PTH208 - an open folder
        }
    yield from (name for name, mode in kinds.items() if stat.S_ISREG(mode))
    for name, mode in kinds.items():
        if stat.S_ISDIR(mode) and depth > 1:
            yield from (f"{name}/{inner}" for inner in _files(root, folder / name, depth - 1))


def halves_without_text(found: IngestedArtifacts) -> list[SourceFault]:
    """Return a fault for each SPX report that has only its metadata.

    Raises:
        InvalidParams: when there is nothing else.
    """
    problem = "the metadata of an SPX report without its text, which has the calls"
    halves = [
        SourceFault("file", problem, it.path)
        for it in found.origins
        if it.hints.get("spx") == {"pair_status": "missing_text"}
    ]
    if not any(it.content for it in found.readings):
        empty = "; ".join(f"{it.source}: {it.problem}" for it in halves)
        raise InvalidParams(
            f"There is nothing to store: {empty}",
            suggestion="Give the .txt.gz or .txt.zst of the same name as well.",
            data={"artifacts": [it.source for it in halves]},
        )
    return halves


def budget_of(bench: Bench) -> Budget:
    """Return the operator's limits on reading a profile."""
    spx = bench.settings(PerformanceSettings).spx
    return Budget(text_bytes=spx.text_max_bytes, events=spx.max_events, tree_nodes=spx.max_nodes)
