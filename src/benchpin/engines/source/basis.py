"""What something was made of, to tell later whether it would be made the same again."""

import hashlib
from collections.abc import Sequence
from operator import is_

from .index import AnySection, FileFacts
from .resolve import Reader


class Basis:
    """The outlines and links of files, and the manifests that were read besides."""

    def __init__(self, files: Sequence[FileFacts]) -> None:
        self._paths = [file.path for file in files]
        self._facts = _facts(files)
        self._looked_up: dict[str, bytes | None] = {}

    def noting(self, read: Reader) -> Reader:
        """Return a reader that takes down what it was asked for."""

        def noting(path: str) -> bytes | None:
            data = read(path)
            self._looked_up[path] = _digest(data)
            return data

        return noting

    def holds(self, files: Sequence[FileFacts], read: Reader) -> bool:
        """Whether nothing changed since."""
        facts = _facts(files)
        return (
            len(facts) == len(self._facts)
            and all(map(is_, facts, self._facts))
            and [file.path for file in files] == self._paths
            and all(_digest(read(path)) == known for path, known in self._looked_up.items())
        )


def _facts(files: Sequence[FileFacts]) -> list[AnySection]:
    """Return what the index keeps as long as a file does not change."""
    return [section for file in files for section in (file.outline, file.links)]


def _digest(data: bytes | None) -> bytes | None:
    return None if data is None else hashlib.blake2b(data, digest_size=16).digest()
