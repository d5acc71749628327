"""Generated files, as results have them."""

import hashlib
from collections.abc import Sequence

from benchpin.core import Item
from benchpin.engines.templates import RenderedFile


class GeneratedFile(Item):
    """A file that was made."""

    path: str
    content: str
    size_bytes: int
    sha256: str
    is_executable: bool


def generated(file: RenderedFile) -> GeneratedFile:
    """Return a file as callers see it."""
    content = file.content.encode()
    return GeneratedFile(
        path=str(file.path),
        content=file.content,
        size_bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        is_executable=file.is_executable,
    )


def joined(files: Sequence[GeneratedFile]) -> str:
    """Return the content of one file, or of several under the path of each."""
    if len(files) == 1:
        return files[0].content
    return "\n".join(f"==> {file.path} <==\n{file.content}" for file in files)
