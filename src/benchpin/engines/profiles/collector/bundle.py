"""Gather timings, SPX files and a slow log into one folder, whole or not at all."""

import secrets
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from benchpin.core import AccessDenied, FileMissing, Job, PathOutsideWorkspace
from benchpin.engines.profiles.retention import Retention

from .copying import COPY_MAX_BYTES, MOST_SPX_FILES, Copier, Redact, write_new
from .manifest import (
    MANIFEST,
    MANIFEST_FORMAT,
    MANIFEST_VERSION,
    TIMINGS,
    Item,
    Manifest,
    Run,
)
from .plan import ProbePlan
from .probe import PROBE_METHOD, TimedRequest, probe, troubles
from .retention import TIME_FORMAT, prune


@dataclass(frozen=True, slots=True)
class CollectRequest:
    """What is to be gathered; the paths are real ones, links resolved, that may be read."""

    plan: ProbePlan
    spx_folders: tuple[Path, ...]
    slow_log: Path | None
    correlation_id: str
    is_raw: bool = False
    """Whether the slow log and the metadata of SPX are copied with the values in them."""
    output_dir: str | None = None
    retention: Retention = field(default_factory=Retention)
    copy_max_bytes: int = COPY_MAX_BYTES
    most_spx_files: int = MOST_SPX_FILES


@dataclass(frozen=True, slots=True)
class Bundle:
    """A folder that holds what was gathered."""

    bundle_id: str
    bundle_dir: Path
    manifest_path: Path
    timings_path: Path
    spx_files: int
    inventory_items: int
    timing_samples: int
    warnings: tuple[str, ...]
    removed: tuple[str, ...]
    """Older bundles that retention took away."""


def collect(
    wanted: CollectRequest,
    bundles: Path,
    job: Job,
    *,
    redact_log: Redact,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Bundle:
    """Probe first, because that is what makes profiles and log lines; then copy.

    Raises:
        PathOutsideWorkspace: when `output_dir` is not inside the folder of bundles.
        FileMissing: when a folder or the slow log is not there.
        AccessDenied: when one cannot be read, or the bundle cannot be written.
        Cancelled: when the job was cancelled; nothing is left behind.
    """
    folder = output_folder(bundles, wanted.output_dir)
    _check_sources(wanted)
    moment = now()
    bundle_id = f"bundle_{moment.strftime(TIME_FORMAT)}_{secrets.token_hex(5)}"
    unfinished = folder / f".{bundle_id}.tmp"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished.mkdir(mode=0o700)
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        requests = probe(wanted.plan, job)
        items, warnings = _copy(wanted, unfinished, job, redact_log)
        warnings += troubles(requests)
        warnings += [f"no time was left for {it}" for it in job.missing]
        _write(wanted, unfinished, bundle_id, moment, requests, items, warnings)
        unfinished.rename(folder / bundle_id)
    except OSError as error:
        raise _unwritable(folder, error) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    removed = prune(folder, wanted.retention, moment, spared=bundle_id)
    made = folder / bundle_id
    return Bundle(
        bundle_id=bundle_id,
        bundle_dir=made,
        manifest_path=made / MANIFEST,
        timings_path=made / TIMINGS,
        spx_files=sum(it.kind != "mysql_slow_log" for it in items),
        inventory_items=len(items),
        timing_samples=len(requests),
        warnings=tuple(warnings),
        removed=tuple(removed),
    )


def _check_sources(wanted: CollectRequest) -> None:
    """Find out before the probe, not after it, that something is not there."""
    missing = [it for it in wanted.spx_folders if not it.is_dir()]
    if wanted.slow_log and not wanted.slow_log.is_file():
        missing.append(wanted.slow_log)
    if missing:
        raise FileMissing(
            f"{missing[0]} is not there, or not what it should be",
            suggestion="spx_dirs takes folders and slow_log_path a regular file.",
            data={"path": str(missing[0])},
        )


def output_folder(bundles: Path, output_dir: str | None) -> Path:
    """Return the folder that a bundle is made in.

    Raises:
        PathOutsideWorkspace: when it is not inside the folder of bundles.
    """
    top = bundles.resolve()
    try:
        folder = (top / (output_dir or ".")).resolve()
    except (OSError, RuntimeError, ValueError):
        folder = top.parent
    if not folder.is_relative_to(top):
        raise PathOutsideWorkspace(
            f"output_dir {output_dir!r} is outside the folder of bundles",
            suggestion="Leave it out, or name a folder inside, relative to it.",
        )
    return folder


def _copy(
    wanted: CollectRequest, bundle: Path, job: Job, redact_log: Redact
) -> tuple[list[Item], list[str]]:
    warnings = list(wanted.plan.notes)
    copier = Copier(
        bundle,
        job,
        wanted.is_raw,
        warnings,
        copy_max_bytes=wanted.copy_max_bytes,
        most_spx_files=wanted.most_spx_files,
    )
    items: list[Item] = []
    for number, folder in enumerate(dict.fromkeys(wanted.spx_folders), 1):
        items += copier.spx_folder(number, folder)
    if wanted.slow_log:
        items.append(copier.slow_log(wanted.slow_log, redact_log))
    return items, warnings


def _write(
    wanted: CollectRequest,
    bundle: Path,
    bundle_id: str,
    moment: datetime,
    requests: Sequence[TimedRequest],
    items: Sequence[Item],
    warnings: Sequence[str],
) -> None:
    plan = wanted.plan
    collected_at = moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    run = Run(bundle_id, collected_at, wanted.correlation_id)
    settings: dict[str, object] = {
        "probe_method": PROBE_METHOD,
        "base_url": plan.rules.url(plan.base_url),
        "sample_count": plan.sample_count,
        "concurrency": plan.concurrency,
        "timeout_ms": plan.timeout_ms,
        "warmup_count": plan.warmup_count,
    }
    rules = {
        "strip_query_params": plan.rules.strip_query_params,
        "redact_url_userinfo": plan.rules.redact_url_userinfo,
    }
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
            "paths": [plan.rules.url(it) for it in plan.paths],
            "headers": plan.shown_headers,
        },
        redaction_rules={**rules, "raw": wanted.is_raw},
        timings=Item(
            kind="ttfb_timings",
            path=TIMINGS,
            source=None,
            sha256=sha256,
            size_bytes=size_bytes,
            is_copied=True,
            is_redacted=plan.rules.strip_query_params and plan.rules.redact_url_userinfo,
        ),
        inventory=tuple(items),
        warnings=tuple(warnings),
    )
    _write_json(bundle / MANIFEST, manifest)


def _write_json(place: Path, document: object) -> tuple[str, int]:
    return write_new(place, [msgspec.json.format(msgspec.json.encode(document), indent=1), b"\n"])


def _unwritable(folder: Path, error: OSError) -> AccessDenied:
    return AccessDenied(
        f"The bundle cannot be written in {folder}: {error.strerror or error}",
        suggestion="Check the permissions of the folder and the room on its disk.",
    )
