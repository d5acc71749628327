"""Collect timings, SPX files and a slow log into one folder, atomically."""

import re
import secrets
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import (
    AccessDenied,
    BenchpinError,
    DiskFull,
    FileMissing,
    PathOutsideWorkspace,
    is_disk_full,
)
from benchpin.core.results import Item
from benchpin.performance.reading import redact_headers
from benchpin.performance.snapshots import Retention
from benchpin.performance.values import PublishedValue
from benchpin.workspace.writing import is_abandoned, marked_in_use, sync_folder, sync_folders

from ._copying import (
    MANIFEST,
    MANIFEST_FORMAT,
    MANIFEST_VERSION,
    TIMINGS,
    BundleFile,
    BundleRun,
    CollectRequest,
    Copier,
    Manifest,
    read_manifest,
    write_new,
)
from ._probe import PROBE_METHOD, TimedRequest, describe_problems, probe

BUNDLE_NAME = re.compile(r"bundle_(\d{8}_\d{6})_[0-9a-f]{10}")
_TIME_FORMAT = "%Y%m%d_%H%M%S"


class ArtifactCounts(PublishedValue, frozen=True):
    """How much was collected."""

    spx_files: int
    inventory_items: int
    timing_samples: int


class Bundle(Item):
    """A folder with collected artefacts."""

    bundle_id: str
    bundle_dir: str
    manifest_path: str
    timings_path: str
    artifact_counts: ArtifactCounts
    notices: list[str]
    """What was clamped, refused, not copied or removed."""


def collect(
    wanted: CollectRequest,
    bundles: Path,
    job: Job,
    *,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Bundle:
    """Probe first, because requests create the profiles and log lines; then copy."""
    folder = output_folder(bundles, wanted.output_dir)
    _check_sources(wanted)
    moment = now()
    bundle_id = f"bundle_{moment.strftime(_TIME_FORMAT)}_{secrets.token_hex(5)}"
    unfinished = folder / f".{bundle_id}.tmp"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # What processes left that were killed while they collected.
        for left in folder.glob(".bundle_*.tmp"):
            if BUNDLE_NAME.fullmatch(left.name[1:-4]) and is_abandoned(left):
                shutil.rmtree(left, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        with marked_in_use(unfinished):
            requests = probe(wanted.plan, job)
            warnings = list(wanted.plan.notes)
            files = Copier(unfinished, job, wanted, warnings).copy_all()
            warnings += describe_problems(requests)
            warnings += [f"no time was left for {it}" for it in job.missing]
            _write(wanted, unfinished, bundle_id, moment, requests, files, warnings)
            sync_folders(unfinished)
            unfinished.rename(folder / bundle_id)
            sync_folder(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    removed = prune(folder, wanted.retention, moment, spared=bundle_id)
    made = folder / bundle_id
    return Bundle(
        bundle_id=bundle_id,
        bundle_dir=str(made),
        manifest_path=str(made / MANIFEST),
        timings_path=str(made / TIMINGS),
        artifact_counts=ArtifactCounts(
            spx_files=sum(it.kind != "mysql_slow_log" for it in files),
            inventory_items=len(files),
            timing_samples=len(requests),
        ),
        notices=[*warnings, *(f"removed {name}" for name in removed)],
    )


def _check_sources(wanted: CollectRequest) -> None:
    missing = [it for it in wanted.spx_folders if not it.is_dir()]
    if wanted.slow_log and not wanted.slow_log.is_file():
        missing.append(wanted.slow_log)
    if missing:
        raise FileMissing(
            f"{missing[0]} does not exist, or is of the wrong kind",
            suggestion="Give folders as spx_dirs and a regular file as slow_log_path.",
            data={"path": str(missing[0])},
        )


def output_folder(bundles: Path, output_dir: str | None) -> Path:
    """Return the folder for a new bundle; it must be inside the folder of bundles."""
    top = bundles.resolve()
    try:
        folder = (top / (output_dir or ".")).resolve()
    except (OSError, RuntimeError, ValueError):
        folder = top.parent
    if not folder.is_relative_to(top):
        raise PathOutsideWorkspace(
            f"output_dir {output_dir!r} is outside the folder of bundles",
            suggestion="Leave it out, or give a path relative to the folder of bundles.",
        )
    return folder


def _write(
    wanted: CollectRequest,
    bundle: Path,
    bundle_id: str,
    moment: datetime,
    requests: Sequence[TimedRequest],
    files: Sequence[BundleFile],
    warnings: Sequence[str],
) -> None:
    plan = wanted.plan
    collected_at = moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    run = BundleRun(bundle_id, collected_at, wanted.correlation_id)
    settings: dict[str, object] = {
        "probe_method": PROBE_METHOD,
        "base_url": plan.redaction_rules.url(plan.base_url),
        **plan.model_dump(include={"sample_count", "concurrency", "timeout_ms", "warmup_count"}),
    }
    rules = plan.redaction_rules.model_dump()
    timings = {
        "format": "ttfb_timings",
        "version": "collector-v1",
        "collected_at": collected_at,
        "correlation_id": wanted.correlation_id,
        **settings,
        "redaction_rules": rules,
        "requests": requests,
    }
    sha256, size_bytes = _write_json(bundle / TIMINGS, timings)
    manifest = Manifest(
        format=MANIFEST_FORMAT,
        version=MANIFEST_VERSION,
        run=run,
        probe={
            **settings,
            "paths": [plan.redaction_rules.url(it) for it in plan.paths],
            "headers": redact_headers(plan.headers),
        },
        redaction_rules={**rules, "raw": wanted.is_raw},
        timings=BundleFile(
            kind="ttfb_timings",
            path=TIMINGS,
            source=None,
            sha256=sha256,
            size_bytes=size_bytes,
            is_copied=True,
            is_redacted=all(rules.values()),
        ),
        inventory=tuple(files),
        warnings=tuple(warnings),
    )
    _write_json(bundle / MANIFEST, manifest)


def _write_json(place: Path, document: object) -> tuple[str, int]:
    return write_new(place, [msgspec.json.format(msgspec.json.encode(document), indent=1), b"\n"])


def _unwritable(folder: Path, error: OSError) -> AccessDenied:
    kind = DiskFull if is_disk_full(error) else AccessDenied
    return kind(
        f"The bundle cannot be written in {folder}: {error.strerror or error}",
        suggestion="Check the permissions of the folder and the free space on its disk.",
        is_server_fault=True,
    )


def prune(folder: Path, retention: Retention, now: datetime, *, spared: str) -> list[str]:
    """Remove the bundles of a folder that are too many or too old; return their names.

    `spared` is never removed, and neither is a folder without the manifest of a bundle.
    """
    bundles = [it.name for it in folder.iterdir() if it.name != spared and _is_bundle(it)]
    removed = [
        name
        for place, name in enumerate(sorted(bundles, reverse=True), start=1)
        if retention.is_over(place, _us(_made_at(name)), _us(now))
    ]
    for name in removed:
        shutil.rmtree(folder / name, ignore_errors=True)
    return [name for name in removed if not (folder / name).exists()]


def _is_bundle(folder: Path) -> bool:
    if not BUNDLE_NAME.fullmatch(folder.name) or folder.is_symlink():
        return False
    if (folder / MANIFEST).is_symlink():
        return False
    try:
        _made_at(folder.name)
        return read_manifest(folder).run.bundle_id == folder.name
    except (BenchpinError, ValueError):
        return False


def _made_at(name: str) -> datetime:
    return datetime.strptime(name[len("bundle_") :][:15], _TIME_FORMAT).replace(tzinfo=UTC)


def _us(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000_000)
