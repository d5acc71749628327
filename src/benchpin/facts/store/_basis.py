"""The content that a result was computed from, to decide later whether it is still current."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from operator import is_

from benchpin.facts import FileFacts
from benchpin.facts.imports import ReadFile
from benchpin.workspace.walking import SourceFile

from ._on_demand import AnySection


def content_digest(files: Iterable[FileFacts]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        digest.update(os.fsencode(file.path) + b"\0" + file.key)
    return digest.digest()


def stamps_digest(files: Iterable[SourceFile]) -> bytes:
    """Return a digest of the paths, sizes and times of files that are not parsed."""
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        stamp = f"\0{file.size_bytes} {file.mtime_ns} {file.ctime_ns}\0"
        digest.update(os.fsencode(file.path) + stamp.encode())
    return digest.digest()


class ManifestReads:
    """Reads manifests and records what each contained."""

    def __init__(self, read: ReadFile) -> None:
        self._read = read
        self.digests: dict[str, bytes | None] = {}

    def __call__(self, path: str) -> bytes | None:
        """Return the content of a manifest; None if there is none."""
        data = self._read(path)
        self.digests[path] = manifest_digest(data)
        return data

    def is_current(self, read: ReadFile) -> bool:
        """Whether every manifest that was read still has the same content."""
        return are_current(self.digests, read)


def are_current(digests: Mapping[str, bytes | None], read: ReadFile) -> bool:
    """Whether manifests still have the content that these are the digests of."""
    return all(manifest_digest(read(path)) == known for path, known in digests.items())


class Basis:
    """The facts of files, and the manifests that were read besides."""

    def __init__(self, files: Sequence[FileFacts]) -> None:
        self._paths = [file.path for file in files]
        self._facts = _facts(files)
        self._reads: ManifestReads | None = None

    def noting(self, read: ReadFile) -> ReadFile:
        """Return a reader that records what it returns."""
        self._reads = ManifestReads(read)
        return self._reads

    def holds(self, files: Sequence[FileFacts], read: ReadFile) -> bool:
        facts = _facts(files)
        return (
            len(facts) == len(self._facts)
            and all(map(is_, facts, self._facts))
            and [file.path for file in files] == self._paths
            and (self._reads is None or self._reads.is_current(read))
        )


def _facts(files: Sequence[FileFacts]) -> list[AnySection]:
    """Return the facts; the index keeps the same objects as long as a file does not change."""
    return [section for file in files for section in (file.outline, file.links)]


def manifest_digest(data: bytes | None) -> bytes | None:
    return None if data is None else hashlib.blake2b(data, digest_size=16).digest()
