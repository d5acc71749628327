"""Copy artefacts into a bundle: regular files only, no links, redacted on the way."""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from benchpin.core import AccessDenied, FileMissing, Job
from benchpin.engines.beneath import folder_beneath, open_beneath
from benchpin.engines.profiles.detect import validate
from benchpin.engines.profiles.redaction import redact_command, redact_url

from .manifest import BundleFile, FileKind

COPY_MAX_BYTES = 10 << 20
MOST_SPX_FILES = 500
"""The newest ones of each folder."""
_PIECE_BYTES = 1 << 20
_ENDINGS = (".json", ".txt.gz", ".txt.zst", ".txt")
_READ = os.O_RDONLY | os.O_NONBLOCK
"""Non-blocking, because opening a pipe without a writer would wait for ever."""

Redact = Callable[[Iterable[bytes]], Iterator[bytes]]


@dataclass(slots=True)
class Copier:
    """Copies files into the folder of a bundle; `warnings` lists what it left out."""

    bundle: Path
    job: Job
    is_raw: bool
    warnings: list[str]
    copy_max_bytes: int = COPY_MAX_BYTES
    most_spx_files: int = MOST_SPX_FILES

    def spx_folder(self, number: int, folder: Path) -> list[BundleFile]:
        """Copy the newest SPX files of a folder.

        Raises:
            FileMissing: when there is no such folder.
            AccessDenied: when it cannot be read.
        """
        items: list[BundleFile] = []
        with _refusals(folder), folder_beneath(Path(folder.anchor), _inside(folder)) as opened:
            names = self._newest(opened, folder)
            for name in self.job.each(names, "SPX files"):
                try:
                    item = self._spx_file(opened, folder / name, f"spx/{number}/{name}")
                except OSError as error:
                    self.warnings.append(f"{folder / name} was left out: {error.strerror}")
                else:
                    items += [item] if item else []
        if not items:
            self.warnings.append(f"no SPX file was found in {folder}")
        return items

    def slow_log(self, place: Path, redact: Redact) -> BundleFile:
        """Copy a slow log, with its literals redacted unless raw copies are wanted.

        Raises:
            FileMissing: when there is no such file.
            AccessDenied: when it cannot be read, or is no regular file.
        """
        with (
            _refusals(place),
            folder_beneath(Path(place.anchor), _inside(place.parent)) as opened,
            _regular_file(opened, place.name) as (file, size),
        ):
            if not validate(file, place.name).ok and size:
                self.warnings.append(f"{place} does not look like a slow log")
            file.seek(0)
            change = None if self.is_raw else redact
            return self._copy("mysql_slow_log", file, size, place, "slow.log", change)

    def _newest(self, opened: int, folder: Path) -> list[str]:
        """Return names of files, newest report first, with both halves of a report together."""
        found: dict[str, list[tuple[str, int]]] = {}
        with os.scandir(opened) as entries:
            for entry in entries:
                ending = next((it for it in _ENDINGS if entry.name.endswith(it)), None)
                if ending and entry.is_file(follow_symlinks=False):
                    changed = entry.stat(follow_symlinks=False).st_mtime_ns
                    found.setdefault(entry.name.removesuffix(ending), []).append(
                        (entry.name, changed)
                    )
        order = sorted(found, key=lambda it: (-max(at for _, at in found[it]), it))
        names = [name for stem in order for name, _ in sorted(found[stem])]
        if len(names) > self.most_spx_files:
            left = len(names) - self.most_spx_files
            self.warnings.append(f"{left} older files in {folder} were left out")
        return names[: self.most_spx_files]

    def _spx_file(self, opened: int, place: Path, target: str) -> BundleFile | None:
        with _regular_file(opened, place.name) as (file, size):
            found = validate(file, place.name)
            if found.detected_type != "spx":
                return None
            file.seek(0)
            if not found.is_spx_metadata:
                return self._copy("spx_text", file, size, place, target, None)
            if self.is_raw or size > self.copy_max_bytes:
                return self._copy("spx_metadata", file, size, place, target, None)
            redacted = redacted_metadata(file.read(size))
            if redacted is None:
                self.warnings.append(f"{place} was left out: it is damaged, and may hold secrets")
                return None
            return self._copy("spx_metadata", file, size, place, target, lambda _: iter(redacted))

    def _copy(
        self,
        kind: FileKind,
        file: BinaryIO,
        size: int,
        place: Path,
        target: str,
        change: Redact | None,
    ) -> BundleFile:
        """Copy a file that is small enough; the manifest refers to larger ones."""
        is_copied = size <= self.copy_max_bytes
        pieces = self._pieces(file, size)
        if is_copied:
            sha256: str | None
            sha256, written = write_new(self.bundle / target, change(pieces) if change else pieces)
        else:
            mib = self.copy_max_bytes / (1 << 20)
            self.warnings.append(f"{place} is larger than {mib:g} MiB: referenced, not copied")
            sha256, written = self._hash(pieces, place), size
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


def _command(text: str) -> str:
    return text if text == "n/a" else redact_command(text)


def _nothing(_text: str) -> None:
    return None


_METADATA_RULES: dict[str, Callable[[str], str | None]] = {
    "cli_command_line": _command,
    "custom_metadata_str": _nothing,
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


@contextmanager
def _regular_file(folder: int, name: str) -> Iterator[tuple[BinaryIO, int]]:
    """Open a file for reading, with its present size."""
    descriptor = open_beneath(folder, PurePosixPath(name), _READ)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(0, "it is no regular file")
        yield file, status.st_size


@contextmanager
def _refusals(place: Path) -> Iterator[None]:
    try:
        yield
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileMissing(
            f"{place} is not there", suggestion="Check the path.", data={"path": str(place)}
        ) from error
    except OSError as error:
        raise AccessDenied(
            f"{place} cannot be copied: {error.strerror}",
            suggestion="Give a regular file or a folder that may be read; links are not followed.",
            data={"path": str(place)},
        ) from error
