"""Changes of files in the workspace, as they happen."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchpin.core import Bench, Operation

logger = logging.getLogger(__name__)

_MOST_FAILURES = 5
_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that came, went or changed."""

    path: PurePosixPath
    is_listing: bool
    """Whether it came or went, rather than changed."""


async def watch(bench: Bench, stop: asyncio.Event) -> AsyncIterator[list[FileChange]]:
    """Give changes in small groups until told to stop.

    The system's watcher stumbles over odd names and links; then watching begins anew, a few times.
    """
    from watchfiles import Change, awatch

    for _ in range(_MOST_FAILURES):
        try:
            async for changes in awatch(bench.workspace.root, stop_event=stop, debounce=400):
                found = [
                    FileChange(path, kind is not Change.modified)
                    for kind, place in changes
                    if (path := _seen_at(place, bench)) is not None
                ]
                if found:
                    yield sorted(found, key=lambda change: change.path)
        except (OSError, RuntimeError, ValueError) as error:
            logger.warning("watching the workspace failed: %s", error)
            await asyncio.sleep(_PAUSE_S)
        if stop.is_set():
            return
    logger.warning("the workspace is not watched any more")


def _seen_at(place: str, bench: Bench) -> PurePosixPath | None:
    """Return the path of a file that may be read and is reached through no link."""
    root, found = bench.workspace.root, Path(place)
    if not found.is_relative_to(root) or found.parent.resolve() != found.parent:
        return None
    path = bench.workspace.relative(found)
    return path if bench.may(str(path), Operation.READ) else None
