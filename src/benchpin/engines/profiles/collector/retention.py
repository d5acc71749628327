"""Remove old bundles: only what is named as one and holds the manifest of one."""

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from benchpin.engines.profiles.retention import Retention

from .manifest import MANIFEST, MANIFEST_FORMAT, MOST_BYTES_OF_MANIFEST

BUNDLE_NAME = re.compile(r"bundle_(\d{8}_\d{6})_[0-9a-f]{10}")
TIME_FORMAT = "%Y%m%d_%H%M%S"


class _Run(msgspec.Struct):
    bundle_id: str


class _Head(msgspec.Struct):
    format: str
    run: _Run


def prune(folder: Path, retention: Retention, now: datetime, *, spared: str) -> list[str]:
    """Remove the bundles of a folder that are too many or too old; return their names.

    `spared` is never removed.
    """
    others = sorted((it for it in _bundles(folder) if it != spared), reverse=True)
    removed = [
        name
        for place, name in enumerate(others, start=1)
        if retention.is_over(place, _us(_made_at(name)), _us(now))
    ]
    for name in removed:
        shutil.rmtree(folder / name, ignore_errors=True)
    return [name for name in removed if not (folder / name).exists()]


def _bundles(folder: Path) -> list[str]:
    return [it.name for it in folder.iterdir() if BUNDLE_NAME.fullmatch(it.name) and _is_ours(it)]


def _is_ours(bundle: Path) -> bool:
    manifest = bundle / MANIFEST
    if bundle.is_symlink() or manifest.is_symlink() or not manifest.is_file():
        return False
    try:
        with manifest.open("rb") as file:
            head = msgspec.json.decode(file.read(MOST_BYTES_OF_MANIFEST), type=_Head)
        _made_at(bundle.name)
    except (OSError, ValueError):
        return False
    return head.format == MANIFEST_FORMAT and head.run.bundle_id == bundle.name


def _made_at(name: str) -> datetime:
    return datetime.strptime(name[len("bundle_") :][:15], TIME_FORMAT).replace(tzinfo=UTC)


def _us(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000_000)
