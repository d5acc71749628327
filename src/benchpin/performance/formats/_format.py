"""An entry of the registry: how one format is recognised and read."""

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, NamedTuple

from benchpin.performance.reading import MAX_DOCUMENT_BYTES, ArtifactSource, Unpacker, outline
from benchpin.performance.values import ArtifactType, Profile, SlowLog, Timings

from ._plan_steps import Plans

Content = Profile | SlowLog | Timings | Plans
ContentClass = type[Content]
HEAD_BYTES = 64 << 10
_SUFFIXES: Mapping[str, str] = {"gzip": "-gz", "zstd": "-zst", "plain": ""}
# How far to look beyond the head: a log may begin inside a long statement.
_SEARCHED_BYTES = 16 << 20
_WINDOW_BYTES = 1 << 20
# More than a line that marks a format is long.
_OVERLAP_BYTES = 512


class FileHead:
    """The unpacked beginning of a file."""

    def __init__(self, file: BinaryIO) -> None:
        packed = file.read(HEAD_BYTES)
        self.is_empty = not packed
        unpacker = Unpacker(io.BytesIO(packed), HEAD_BYTES)
        self.packing = unpacker.packing
        self.content = b"".join(unpacker.chunks())
        self._file = file

    @cached_property
    def text(self) -> str:
        return self.content.decode("utf-8-sig", "replace").lstrip()

    @cached_property
    def members(self) -> Mapping[str, int]:
        """The positions of the members of a JSON object in the text, up to its damage."""
        return outline(self.text) if self.text.startswith("{") else {}

    def windows(self) -> Iterator[bytes]:
        """Yield up to 16 MiB of a plain file in pieces that overlap, so that no line is cut."""
        yield self.content
        read, rest = len(self.content), self.content[-_OVERLAP_BYTES:]
        while read < _SEARCHED_BYTES and (piece := self._file.read(_WINDOW_BYTES)):
            read += len(piece)
            yield rest + piece
            rest = piece[-_OVERLAP_BYTES:]


class Problem(NamedTuple):
    """Why a file of a format cannot be used."""

    text: str
    is_readable: bool = False
    """Whether it is read all the same, as far as it is intact."""


@dataclass(frozen=True, slots=True)
class ArtifactFormat:
    """A format of files that are read."""

    name: str
    """Its version in results; `{packing}` stands for `-gz` or `-zst`."""
    type: ArtifactType
    fits: Callable[[FileHead], bool | Problem]
    read: Callable[[ArtifactSource], Content | None]
    content: ContentClass
    max_document_bytes: int | None = MAX_DOCUMENT_BYTES
    """A file is decoded whole, in a process of its own; None where it is read in pieces."""
    is_packable: bool = True
    """Whether it is also read from gzip and zstd."""

    def version(self, packing: str) -> str:
        return self.name.format(packing=_SUFFIXES[packing])

    def versions(self) -> set[str]:
        return set(map(self.version, _SUFFIXES))
