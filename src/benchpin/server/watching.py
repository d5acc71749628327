"""Changes of files in the workspace, as they happen.

The system's watcher, told to watch a tree, follows links out of it. So where folders are watched
one by one anyway, on Linux, it is given the folders themselves, and a new list when one came.
"""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from benchpin.core import Bench, Operation

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

logger = logging.getLogger(__name__)

_MOST_FAILURES = 5
_PAUSE_S = 1.0
_DEBOUNCE_MS = 400
_STEP_MS = 50
_LOOK_UP_MS = 1_000
_POLL_MS = 300
_FOLLOWS_LINKS = sys.platform == "linux"

Told = set[tuple[int, str]]
"""What the system says: what happened, and where."""


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
    from watchfiles import Change, DefaultFilter

    is_of_interest = DefaultFilter()
    for _ in range(_MOST_FAILURES):
        try:
            async for told in system_changes(bench.workspace.root, stop):
                found = [
                    FileChange(path, kind != Change.modified)
                    for kind, place in told
                    if is_of_interest(Change(kind), place)
                    and (path := _seen_at(place, bench)) is not None
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


async def system_changes(root: Path, stop: asyncio.Event) -> AsyncIterator[Told]:
    """Give what the system says of a folder and those in it until told to stop."""
    watcher = await asyncio.to_thread(start_watcher, root)
    try:
        while True:
            told = await asyncio.to_thread(watcher.watch, _DEBOUNCE_MS, _STEP_MS, _LOOK_UP_MS, stop)
            if told == "timeout":
                continue
            if isinstance(told, str):
                return
            came = _folders_among(told) if _FOLLOWS_LINKS else []
            if came:
                watcher, before = await asyncio.to_thread(start_watcher, root), watcher
                told |= await asyncio.to_thread(_rest, before)
                told |= await asyncio.to_thread(_files_in, came)
            yield told
    finally:
        watcher.close()


def start_watcher(root: Path) -> "RustNotify":
    """Have the system watch a folder and those in it, and nothing else."""
    from watchfiles._rust_notify import RustNotify

    places = folders_beneath(str(root)) if _FOLLOWS_LINKS else [str(root)]
    is_polling = bool(os.environ.get("WATCHFILES_FORCE_POLLING"))
    return RustNotify(places, False, is_polling, _POLL_MS, not _FOLLOWS_LINKS, True)


def _rest(watcher: "RustNotify") -> Told:
    """End a watcher, and return what it has not told yet."""
    told = watcher.watch(_STEP_MS, 1, _STEP_MS, None)
    watcher.close()
    return set() if isinstance(told, str) else told


def folders_beneath(place: str) -> list[str]:
    """Return a folder and those in it, through no link; without those that nobody asks about."""
    from watchfiles import DefaultFilter

    found = []
    for folder, inner, _files in os.walk(place):
        found.append(folder)
        inner[:] = [name for name in inner if name not in DefaultFilter.ignore_dirs]
    return found


def _folders_among(told: Told) -> list[str]:
    from watchfiles import Change

    came = (place for kind, place in told if kind == Change.added)
    return [place for place in came if Path(place).is_dir() and not Path(place).is_symlink()]


def _files_in(folders: Iterable[str]) -> Told:
    """Return what came into new folders before anybody watched them."""
    from watchfiles import Change

    found: Told = set()
    for folder in (inner for place in folders for inner in folders_beneath(place)):
        with suppress(OSError), os.scandir(folder) as entries:
            found.update((int(Change.added), entry.path) for entry in entries if entry.is_file())
    return found
