import asyncio
import sys
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path

import pytest
from watchfiles import Change

from benchpin.app import Workbench, watch
from benchpin.app import _watching as watching
from benchpin.app._watching import WatchedChange, folders_beneath, start_watcher
from benchpin.server import Kernel
from benchpin.server import _subscriptions as subscriptions
from waiting import WAIT_S
from wire import Wire, request

Changes = set[tuple[int, str]]


async def collected(workspace: Path, groups: int) -> list[list[WatchedChange]]:
    stop = asyncio.Event()
    found: list[list[WatchedChange]] = []
    async for changes in watch(Workbench.open(workspace).bench, stop):
        found.append(changes)
        if len(found) == groups:
            stop.set()
    return found


async def test_what_is_denied_or_behind_a_link_is_not_told(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside").mkdir()
    (workspace / "link").symlink_to(tmp_path / "outside")
    names = ("a.txt", ".env", "link/secret.txt", "../outside/secret.txt")

    async def reported(*_arguments: object, **_options: object) -> AsyncIterator[Changes]:
        yield {(Change.modified, f"{workspace}/{name}") for name in names}

    monkeypatch.setattr(watching, "system_changes", reported)
    [[change]] = await collected(workspace, groups=1)
    assert str(change.path) == "a.txt"


async def test_a_watcher_that_stumbles_begins_anew(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[int] = []

    async def stumbling(*_arguments: object, **_options: object) -> AsyncIterator[Changes]:
        attempts.append(1)
        if len(attempts) < 3:
            raise RuntimeError("an odd name")
        yield {(Change.added, f"{workspace}/a.txt")}

    monkeypatch.setattr(watching, "system_changes", stumbling)
    monkeypatch.setattr(watching, "_PAUSE_S", 0.0)
    [[change]] = await collected(workspace, groups=1)
    assert change.is_listing


async def test_a_watcher_that_always_fails_is_given_up(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*_arguments: object, **_options: object) -> AsyncIterator[Changes]:
        if workspace.exists():
            raise RuntimeError("never")
        yield set()

    monkeypatch.setattr(watching, "system_changes", failing)
    monkeypatch.setattr(watching, "_PAUSE_S", 0.0)
    assert await collected(workspace, groups=1) == []


def test_folders_behind_links_and_of_git_are_not_watched(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "outside" / "deep").mkdir(parents=True)
    (workspace / "src" / "inner").mkdir(parents=True)
    (workspace / ".git" / "objects").mkdir(parents=True)
    (workspace / "link").symlink_to(tmp_path / "outside")
    (workspace / "src" / "up").symlink_to(workspace)
    found = [str(Path(place).relative_to(workspace)) for place in folders_beneath(str(workspace))]
    assert sorted(found) == [".", "src", "src/inner"]


@pytest.mark.skipif(sys.platform != "linux", reason="inotify")
def test_the_system_watches_no_more_than_these_folders(workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "outside" / "deep").mkdir(parents=True)
    (workspace / "src").mkdir()
    (workspace / "link").symlink_to(tmp_path / "outside")
    before = inotify_watches()
    watcher = start_watcher(workspace)
    during = inotify_watches()
    watcher.close()
    assert during - before == len(folders_beneath(str(workspace))) == 2


def inotify_watches() -> int:
    return sum(
        place.read_text(encoding="ascii").count("inotify wd:")
        for place in Path("/proc/self/fdinfo").iterdir()
        if place.exists()
    )


async def test_what_comes_into_a_new_folder_is_told(workspace: Path) -> None:
    stop = asyncio.Event()
    seen: set[str] = set()

    async def listen() -> None:
        async for changes in watch(Workbench.open(workspace).bench, stop):
            seen.update(str(change.path) for change in changes)
            if "new/deep/second.txt" in seen:
                stop.set()

    listening = asyncio.ensure_future(listen())
    for attempt in count():
        folder = workspace / "new" / "deep"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "first.txt").write_text(str(attempt), encoding="utf-8")
        if "new/deep/first.txt" in seen:
            (folder / "second.txt").write_text(str(attempt), encoding="utf-8")
        await asyncio.wait({listening}, timeout=0.2)
        if listening.done():
            break
    await asyncio.wait_for(listening, WAIT_S)
    assert {"new/deep/first.txt", "new/deep/second.txt"} <= seen


async def test_nothing_is_watched_until_somebody_subscribes(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[str] = []

    async def begin(*_arguments: object) -> AsyncIterator[list[WatchedChange]]:
        began.append("watching")
        yield []

    monkeypatch.setattr(subscriptions, "watch", begin)
    (workspace / "a.txt").write_text("x", encoding="utf-8")
    wire = Wire(Kernel(Workbench.open(workspace)))
    await wire.handshake()
    await wire.call("read_file", path="a.txt")
    await wire.ask(request("resources/read", uri="file://a.txt"))
    assert began == []
    await wire.ask(request("resources/subscribe", uri="file://a.txt"))
    await wire.ask(request("ping"))
    assert began == ["watching"]
    await wire.close()
