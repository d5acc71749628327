"""Watch the files of the workspace.

On Linux a recursive watcher follows symbolic links out of the workspace. So there it gets the list
of folders instead, which costs the same (inotify watches single folders anyway), and it is
restarted with a new list when a folder appears.
"""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from benchpin.core.calls import Bench, Operation

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

logger = logging.getLogger(__name__)
_MAX_FAILURES = 5
_PAUSE_S = 1.0
_DEBOUNCE_MS = 400
_STEP_MS = 50
_LOOK_UP_MS = 1_000
_POLL_MS = 300
# Whether a recursive watcher would follow symbolic links.
_FOLLOWS_LINKS = sys.platform == "linux"
# The kind of each change and its path, as watchfiles reports them.
RawChanges = set[tuple[int, str]]
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class WatchedChange:
    """A file that was added, removed or modified."""

    path: PurePosixPath
    is_listing: bool
    """Whether it was added or removed, so that lists of files change."""


async def watch(bench: Bench, stop: asyncio.Event) -> AsyncIterator[list[WatchedChange]]:
    """Yield groups of changes until `stop` is set.

    The watcher fails on some file names and links; it is then restarted, at most five times.
    """
    from watchfiles import Change, DefaultFilter

    is_of_interest = DefaultFilter()
    for _ in range(_MAX_FAILURES):
        try:
            async for changes in system_changes(bench.workspace.root, stop):
                found = [
                    WatchedChange(path, kind != Change.modified)
                    for kind, place in changes
                    if is_of_interest(Change(kind), place)
                    and (path := _visible_path(place, bench)) is not None
                ]
                if found:
                    yield sorted(found, key=lambda change: change.path)
        except (OSError, RuntimeError, ValueError) as error:
            logger.warning("watching the workspace failed: %s", error)
            await asyncio.sleep(_PAUSE_S)
        if stop.is_set():
            return
    logger.warning("the workspace is no longer watched")


def _visible_path(place: str, bench: Bench) -> PurePosixPath | None:
    """Return the path of a file that may be read and is not behind a link, else None."""
    root, found = bench.workspace.root, Path(place)
    if not found.is_relative_to(root) or found.parent.resolve() != found.parent:
        return None
    path = bench.workspace.relative(found)
    return path if bench.may(str(path), Operation.READ) else None


async def system_changes(root: Path, stop: asyncio.Event) -> AsyncIterator[RawChanges]:
    """Yield the changes beneath a folder until `stop` is set."""
    watcher = await asyncio.to_thread(start_watcher, root)
    try:
        while True:
            found = await asyncio.to_thread(
                watcher.watch, _DEBOUNCE_MS, _STEP_MS, _LOOK_UP_MS, stop
            )
            if found == "timeout":
                continue
            if isinstance(found, str):
                return
            new_folders = _folders_among(found) if _FOLLOWS_LINKS else []
            if new_folders:
                watcher, before = await asyncio.to_thread(start_watcher, root), watcher
                found |= await asyncio.to_thread(_remaining, before)
                found |= await asyncio.to_thread(_files_in, new_folders)
            yield found
    finally:
        watcher.close()


def start_watcher(root: Path) -> "RustNotify":
    """Start watching a folder and its subfolders."""
    from watchfiles._rust_notify import RustNotify

    places = folders_beneath(str(root)) if _FOLLOWS_LINKS else [str(root)]
    is_polling = bool(os.environ.get("WATCHFILES_FORCE_POLLING"))
    return RustNotify(places, False, is_polling, _POLL_MS, not _FOLLOWS_LINKS, True)


def _remaining(watcher: "RustNotify") -> RawChanges:
    """Close a watcher and return the changes it has not reported yet."""
    found = watcher.watch(_STEP_MS, 1, _STEP_MS, None)
    watcher.close()
    return set() if isinstance(found, str) else found


def folders_beneath(place: str) -> list[str]:
    """Return a folder and its subfolders, except links and folders such as `.git`."""
    from watchfiles import DefaultFilter

    found = []
    for folder, inner, _files in os.walk(place):
        found.append(folder)
        inner[:] = [name for name in inner if name not in DefaultFilter.ignore_dirs]
    return found


def _folders_among(changes: RawChanges) -> list[str]:
    from watchfiles import Change

    added = (place for kind, place in changes if kind == Change.added)
    return [place for place in added if Path(place).is_dir() and not Path(place).is_symlink()]


def _files_in(folders: Iterable[str]) -> RawChanges:
    """Return the files of new folders, which may have been added before the watcher was."""
    from watchfiles import Change

    found: RawChanges = set()
    for folder in (inner for place in folders for inner in folders_beneath(place)):
        with suppress(OSError), os.scandir(folder) as entries:
            found.update((int(Change.added), entry.path) for entry in entries if entry.is_file())
    return found


@contextmanager
def on_signals(act: Callable[[], None]) -> Iterator[None]:
    """Call `act` on the loop for SIGINT and SIGTERM inside the block."""
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows: Ctrl-C ends the process
        for number in _SIGNALS:
            loop.add_signal_handler(number, act)
    try:
        yield
    finally:
        with suppress(NotImplementedError):
            for number in _SIGNALS:
                loop.remove_signal_handler(number)
