import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import watchfiles
from watchfiles import Change

from benchpin.app import Workbench
from benchpin.server import watching
from benchpin.server.watching import FileChange, watch

Changes = set[tuple[Change, str]]


async def collected(workspace: Path, groups: int) -> list[list[FileChange]]:
    stop = asyncio.Event()
    found: list[list[FileChange]] = []
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

    async def told(*_arguments: object, **_options: object) -> AsyncIterator[Changes]:
        yield {(Change.modified, f"{workspace}/{name}") for name in names}

    monkeypatch.setattr(watchfiles, "awatch", told)
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

    monkeypatch.setattr(watchfiles, "awatch", stumbling)
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

    monkeypatch.setattr(watchfiles, "awatch", failing)
    monkeypatch.setattr(watching, "_PAUSE_S", 0.0)
    assert await collected(workspace, groups=1) == []
