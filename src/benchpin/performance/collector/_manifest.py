"""The manifest of a bundle: which files it has, and how it was made."""

from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from benchpin.core.errors import FileMissing, InvalidParams
from benchpin.performance.values import Value

MANIFEST = "manifest.json"
MANIFEST_FORMAT = "benchpin_bundle"
MANIFEST_VERSION = "bundle-v1"
TIMINGS = "timings.json"
_MAX_BYTES = 16 << 20

FileKind = Literal["spx_metadata", "spx_text", "mysql_slow_log", "ttfb_timings"]


class BundleFile(Value, frozen=True):
    """One file of a bundle; hash and size belong to the file at `path`."""

    kind: FileKind
    path: str
    """Relative to the bundle where the file was copied, else the path of the original."""
    source: str | None
    """The original; None for a file that the collector wrote."""
    sha256: str | None
    """None where there was no time to compute it."""
    size_bytes: int
    is_copied: bool
    is_redacted: bool


class BundleRun(Value, frozen=True):
    """The run that made the bundle."""

    bundle_id: str
    collected_at: str
    correlation_id: str


class Manifest(Value, frozen=True):
    """The files of a bundle, and how it was made."""

    format: str
    version: str
    run: BundleRun
    probe: dict[str, object]
    redaction_rules: dict[str, bool]
    timings: BundleFile
    inventory: tuple[BundleFile, ...]
    warnings: tuple[str, ...]

    @property
    def files(self) -> tuple[BundleFile, ...]:
        """All files, the timings first."""
        return (self.timings, *self.inventory)


def read_manifest(bundle: Path) -> Manifest:
    """Read the manifest of a bundle; paths that lead out of the bundle are refused.

    Paths of files that were not copied are for the caller to check.

    Raises:
        FileMissing: when there is none.
        InvalidParams: when it is not one of ours.
    """
    place = bundle / MANIFEST
    try:
        with place.open("rb") as stream:
            content = stream.read(_MAX_BYTES)
    except OSError as error:
        raise FileMissing(
            f"{bundle} has no readable manifest: {error.strerror}",
            suggestion="Give the folder of a bundle from collect_artifacts.",
        ) from error
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (ValueError, RecursionError) as error:
        raise _foreign(place, str(error)) from error
    if (manifest.format, manifest.version) != (MANIFEST_FORMAT, MANIFEST_VERSION):
        written = f"its format is {manifest.format} {manifest.version}"
        raise _foreign(place, f"{written}, and this Benchpin reads {MANIFEST_VERSION}")
    for file in manifest.files:
        path = PurePosixPath(file.path)
        if file.is_copied and (path.is_absolute() or ".." in path.parts or "\0" in file.path):
            raise _foreign(place, f"{file.path!r} leads out of the bundle")
    return manifest


def _foreign(place: Path, why: str) -> InvalidParams:
    return InvalidParams(
        f"{place} is no bundle manifest: {why}",
        suggestion="Give the folder of a bundle from collect_artifacts.",
    )
