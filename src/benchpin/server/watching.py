"""Changes of files in the workspace, as they happen."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core import Workspace


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that came, went or changed."""

    path: PurePosixPath
    is_listing: bool
    """Whether it came or went, rather than changed."""


async def watch(workspace: Workspace, stop: asyncio.Event) -> AsyncIterator[list[FileChange]]:
    """Give changes in small groups until told to stop."""
    from watchfiles import Change, awatch

    async for changes in awatch(workspace.root, stop_event=stop, debounce=400):
        found = [
            FileChange(workspace.relative(Path(path)), kind is not Change.modified)
            for kind, path in changes
            if Path(path).is_relative_to(workspace.root)
        ]
        if found:
            yield sorted(found, key=lambda change: change.path)
