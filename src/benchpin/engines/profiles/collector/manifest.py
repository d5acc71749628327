"""What a bundle holds, as its manifest tells it."""

from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from benchpin.core import FileMissing, InvalidParams
from benchpin.engines.profiles.model import Value

MANIFEST = "manifest.json"
MANIFEST_FORMAT = "benchpin_bundle"
MANIFEST_VERSION = "bundle-v1"
TIMINGS = "timings.json"
MOST_BYTES_OF_MANIFEST = 16 << 20

ItemKind = Literal["spx_metadata", "spx_text", "mysql_slow_log", "ttfb_timings"]


class Item(Value, frozen=True):
    """One artefact of a bundle; hash and size are those of what the path leads to."""

    kind: ItemKind
    path: str
    """Inside the bundle where it was copied, else where it lies."""
    source: str | None
    """Where it was copied from; None for what was made here."""
    sha256: str | None
    """None where there was no time to compute it."""
    size_bytes: int
    is_copied: bool
    is_redacted: bool


class Run(Value, frozen=True):
    """Which run made the bundle."""

    bundle_id: str
    collected_at: str
    correlation_id: str


class Manifest(Value, frozen=True):
    """The list of what a bundle holds, and how it was made."""

    format: str
    version: str
    run: Run
    probe: dict[str, object]
    redaction_rules: dict[str, bool]
    timings: Item
    inventory: tuple[Item, ...]
    warnings: tuple[str, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """All artefacts, the timings first."""
        return (self.timings, *self.inventory)


def read_manifest(bundle: Path) -> Manifest:
    """Read the manifest of a bundle; paths in it that lead out of the bundle are refused.

    Where an item was not copied, its path is for the caller to check.

    Raises:
        FileMissing: when there is none.
        InvalidParams: when it is not one of ours.
    """
    place = bundle / MANIFEST
    try:
        with place.open("rb") as file:
            content = file.read(MOST_BYTES_OF_MANIFEST)
    except OSError as error:
        raise FileMissing(
            f"{bundle} has no manifest that can be read: {error.strerror}",
            suggestion="Name the folder of a bundle that the collector made.",
        ) from error
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (ValueError, RecursionError) as error:
        raise _foreign(place, str(error)) from error
    if (manifest.format, manifest.version) != (MANIFEST_FORMAT, MANIFEST_VERSION):
        raise _foreign(place, f"its format is {manifest.format} {manifest.version}")
    for item in manifest.items:
        path = PurePosixPath(item.path)
        if item.is_copied and (path.is_absolute() or ".." in path.parts or "\0" in item.path):
            raise _foreign(place, f"{item.path!r} leads out of the bundle")
    return manifest


def _foreign(place: Path, why: str) -> InvalidParams:
    return InvalidParams(
        f"{place} is no manifest of a bundle: {why}",
        suggestion="Name the folder of a bundle that the collector made.",
    )
