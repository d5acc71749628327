"""Copy artefacts into a bundle: regular files only, no links, redacted on the way."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal

import msgspec

from benchpin.core.calls import Job
from benchpin.core.errors import BenchpinError, FileMissing, InvalidParams
from benchpin.core.own_files import open_own
from benchpin.performance.reading import redact_command, redact_url, validate
from benchpin.performance.slowlog import redact_log
from benchpin.performance.snapshots import Retention
from benchpin.performance.values import PublishedValue
from benchpin.workspace.files import OpenFile, folder_beneath, opened, path_errors

from ._probe import ProbePlan

COPY_MAX_BYTES = 10 << 20
# The newest ones of each folder.
MAX_SPX_FILES = 500
_PIECE_BYTES = 1 << 20
_ENDINGS = (".json", ".txt.gz", ".txt.zst", ".txt")
# Files are streamed; larger ones are referenced anyway.
_MAX_BYTES = 1 << 40
_Redact = Callable[[Iterable[bytes]], Iterator[bytes]]
MANIFEST = "manifest.json"
MANIFEST_FORMAT = "benchpin_bundle"
MANIFEST_VERSION = "bundle-v1"
TIMINGS = "timings.json"
_MAX_MANIFEST_BYTES = 16 << 20
FileKind = Literal["spx_metadata", "spx_text", "mysql_slow_log", "ttfb_timings"]


# The manifest of a bundle: which files it has, and how it was made.


class BundleFile(PublishedValue, frozen=True):
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


class BundleRun(PublishedValue, frozen=True):
    """The run that made the bundle."""

    bundle_id: str
    collected_at: str
    correlation_id: str


class Manifest(PublishedValue, frozen=True):
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
        with open_own(place) as stream:
            content = stream.read(_MAX_MANIFEST_BYTES)
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


@dataclass(frozen=True, slots=True)
class CollectRequest:
    """What to collect; paths are readable and have their links resolved."""

    plan: ProbePlan
    spx_folders: tuple[Path, ...]
    slow_log: Path | None
    correlation_id: str
    is_raw: bool = False
    """Whether the slow log and the metadata of SPX are copied without redaction."""
    output_dir: str | None = None
    retention: Retention = field(default_factory=Retention)
    copy_max_bytes: int = COPY_MAX_BYTES
    most_spx_files: int = MAX_SPX_FILES


@dataclass(slots=True)
class Copier:
    """Copies files into the folder of a bundle; `warnings` lists what it left out."""

    bundle: Path
    job: Job
    wanted: CollectRequest
    warnings: list[str]

    def copy_all(self) -> list[BundleFile]:
        files: list[BundleFile] = []
        for number, folder in enumerate(dict.fromkeys(self.wanted.spx_folders), 1):
            files += self.spx_folder(number, folder)
        if self.wanted.slow_log:
            files.append(self.slow_log(self.wanted.slow_log))
        return files

    def spx_folder(self, number: int, folder: Path) -> list[BundleFile]:
        files: list[BundleFile] = []
        names = self._newest(folder)
        for name in self.job.each(names, "SPX files"):
            try:
                file = self._spx_file(folder / name, f"spx/{number}/{name}")
            except BenchpinError as error:
                self.warnings.append(f"{folder / name} was left out: {error.message}")
            else:
                files += [file] if file else []
        if not files:
            self.warnings.append(f"no SPX file was found in {folder}")
        return files

    def slow_log(self, place: Path) -> BundleFile:
        """Copy a slow log, with its literals redacted unless raw copies are wanted."""
        with _opened(place) as source:
            if not validate(source.file, place.name).ok and source.size_bytes:
                self.warnings.append(f"{place} does not look like a slow log")
            source.file.seek(0)
            change = None if self.wanted.is_raw else redact_log
            return self._copy("mysql_slow_log", source, place, "slow.log", change)

    def _newest(self, folder: Path) -> list[str]:
        """Return names of files, newest report first, with both halves of a report together."""
        found: dict[str, list[tuple[str, int]]] = {}
        with (
            path_errors(PurePosixPath(folder)),
            folder_beneath(Path(folder.anchor), _inside(folder)) as descriptor,
            os.scandir(descriptor) as entries,
        ):
            for entry in entries:
                ending = next((it for it in _ENDINGS if entry.name.endswith(it)), None)
                if ending and entry.is_file(follow_symlinks=False):
                    changed = entry.stat(follow_symlinks=False).st_mtime_ns
                    found.setdefault(entry.name.removesuffix(ending), []).append(
                        (entry.name, changed)
                    )
        order = sorted(found, key=lambda it: (-max(at for _, at in found[it]), it))
        names = [name for stem in order for name, _ in sorted(found[stem])]
        if len(names) > self.wanted.most_spx_files:
            left = len(names) - self.wanted.most_spx_files
            self.warnings.append(f"{left} older files in {folder} were left out")
        return names[: self.wanted.most_spx_files]

    def _spx_file(self, place: Path, target: str) -> BundleFile | None:
        with _opened(place) as source:
            found = validate(source.file, place.name)
            if found.detected_type != "spx":
                return None
            source.file.seek(0)
            if not found.is_spx_metadata:
                return self._copy("spx_text", source, place, target, None)
            if self.wanted.is_raw or source.size_bytes > self.wanted.copy_max_bytes:
                return self._copy("spx_metadata", source, place, target, None)
            redacted = redacted_metadata(source.file.read(source.size_bytes))
            if redacted is None:
                self.warnings.append(f"{place} was left out: it is damaged, and may hold secrets")
                return None
            return self._copy("spx_metadata", source, place, target, lambda _: iter(redacted))

    def _copy(
        self, kind: FileKind, source: OpenFile, place: Path, target: str, change: _Redact | None
    ) -> BundleFile:
        """Copy a file that is small enough; the manifest refers to larger ones."""
        is_copied = source.size_bytes <= self.wanted.copy_max_bytes
        pieces = self._pieces(source.file, source.size_bytes)
        if is_copied:
            sha256: str | None
            sha256, written = write_new(self.bundle / target, change(pieces) if change else pieces)
        else:
            mib = self.wanted.copy_max_bytes / (1 << 20)
            self.warnings.append(f"{place} is larger than {mib:g} MiB: referenced, not copied")
            sha256, written = self._hash(pieces, place), source.size_bytes
        return BundleFile(
            kind=kind,
            path=target if is_copied else str(place),
            source=str(place),
            sha256=sha256,
            size_bytes=written,
            is_copied=is_copied,
            is_redacted=is_copied and change is not None,
        )

    def _hash(self, pieces: Iterable[bytes], place: Path) -> str | None:
        digest = hashlib.sha256()
        for piece in pieces:
            if self.job.is_expired:
                self.job.leave_out(f"the hash of {place.name}")
                return None
            digest.update(piece)
        return digest.hexdigest()

    def _pieces(self, file: BinaryIO, size: int) -> Iterator[bytes]:
        """Yield the content up to the size at opening time: a log may still grow."""
        while size > 0 and (piece := file.read(min(size, _PIECE_BYTES))):
            self.job.check()
            size -= len(piece)
            yield piece


def redacted_metadata(content: bytes) -> list[bytes] | None:
    """Remove query values, arguments and custom metadata from SPX metadata; None if damaged."""
    try:
        metadata = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(metadata, dict):
        return None
    for name, change in _METADATA_RULES.items():
        if isinstance(metadata.get(name), str):
            metadata[name] = change(metadata[name])
    return [json.dumps(metadata, indent=1).encode("ascii"), b"\n"]


_METADATA_RULES: dict[str, Callable[[str], str | None]] = {
    "cli_command_line": lambda text: text if text == "n/a" else redact_command(text),
    "custom_metadata_str": lambda _text: None,
    "http_host": redact_url,
    "http_request_uri": redact_url,
}


def write_new(place: Path, pieces: Iterable[bytes]) -> tuple[str, int]:
    """Write a new file that only its owner can read; return its hash and size."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with ExitStack() as undo:
        undo.callback(place.unlink)
        with os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
            file.flush()
            os.fsync(file.fileno())
        undo.pop_all()
    return digest.hexdigest(), size


def _inside(place: Path) -> PurePosixPath:
    return PurePosixPath(place.relative_to(place.anchor).as_posix())


def _opened(place: Path) -> AbstractContextManager[OpenFile]:
    return opened(Path(place.anchor), _inside(place), _MAX_BYTES)
