"""What one program leaves in the workspace does not keep the next one from running."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Permissions
from benchpin.run.sandbox import ExecutionReport
from benchpin.run.sandbox import _workspace_mounts as mounts

Run = Callable[..., ExecutionReport]
COUNT = 60


@pytest.fixture(autouse=True)
def _small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mounts, "MAX_COVERED", 20)
    monkeypatch.setattr(mounts, "MAX_MOUNTS", 80)
    monkeypatch.setattr(mounts, "MAX_HARD_LINKED", 5)


def _folders(folder: Path) -> None:
    for number in range(COUNT):
        (folder / f".env.{number}").mkdir()


def _files(folder: Path) -> None:
    for number in range(COUNT):
        (folder / f".env.{number}").write_text("hunter2", encoding="utf-8")


def _pipes(folder: Path) -> None:
    for number in range(COUNT):
        os.mkfifo(folder / f"pipe{number}")


def _hard_links(folder: Path) -> None:
    outside = folder.parent.parent / "outside"
    outside.mkdir(exist_ok=True)
    for number in range(COUNT):
        (outside / str(number)).touch()
        (folder / f"linked{number}").hardlink_to(outside / str(number))


@pytest.mark.parametrize(
    ("litter", "place"),
    [
        *((litter, place) for litter in (_folders, _files, _pipes) for place in (".", "source")),
        (_hard_links, "."),  # in another folder, they make the whole folder read-only
    ],
)
def test_thousands_of_denied_files_do_not_disable_execution(
    run: Run, workspace: Path, litter: Callable[[Path], None], place: str
) -> None:
    folder = workspace / place
    folder.mkdir(exist_ok=True)
    (folder / "main.txt").write_text("shown\n", encoding="utf-8")
    (folder / "inner").mkdir()
    (folder / "link").symlink_to("main.txt")
    litter(folder)
    outcome = run(
        f"cd {place}; cat main.txt link .env.* pipe*; echo more >>main.txt; echo new >inner/new;"
        "rm .env.1 || mv .env.1 moved; echo pwned >linked1",
        may_write=True,
    )
    assert outcome.stdout == "shown\nshown\n"
    assert (folder / "main.txt").read_text(encoding="utf-8") == "shown\nmore\n"
    assert (folder / "inner" / "new").exists()
    assert len(list(folder.iterdir())) == COUNT + 3
    assert not any(it.stat().st_size for it in folder.glob("linked*"))


def test_new_names_do_not_push_old_ones_out_of_a_replaced_folder(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "MAX_SHOWN", 30)
    old = workspace / "z-old"
    old.write_text("old\n", encoding="utf-8")
    _files(workspace)
    while (workspace / ".env.0").stat().st_ctime_ns == old.stat().st_ctime_ns:
        (workspace / ".env.0").touch()  # until the clock of the file system has moved
    for number in range(COUNT):
        (workspace / f"a-new{number}").touch()
    outcome = run("cat z-old; ls | wc -l", may_write=True)
    assert outcome.stdout.split() == ["old", "30"]


def test_a_replaced_folder_is_named_and_read_only(run: Run, workspace: Path) -> None:
    _files(workspace)
    found = mounts.workspace_mounts(workspace, Permissions(), Job(), may_write=True)
    assert found.replaced == [""]
    outcome = run("echo new >new; ls -A", may_write=True)
    assert outcome.stdout == ""
    assert "Read-only file system" in outcome.stderr


def test_denied_files_at_every_level_of_a_deep_folder_are_hidden(run: Run, workspace: Path) -> None:
    folder = workspace
    for _ in range(mounts.MAX_DEPTH + 20):
        folder /= "d"
        folder.mkdir()
        (folder / ".env").write_text("hunter2", encoding="utf-8")
    (workspace / "main.txt").write_text("shown\n", encoding="utf-8")
    outcome = run("cat main.txt; find d -name .env -exec cat {} +", may_write=True)
    assert outcome.stdout == "shown\n"


def test_folders_count_for_more_than_files_in_the_limit_of_a_scan(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "MAX_ENTRIES", 100)
    for name in ("a", "b", "c"):
        for number in range(20):
            (workspace / name / str(number)).mkdir(parents=True)
    found = mounts.workspace_mounts(workspace, Permissions(), Job(), may_write=True)
    assert {"a", "b", "c"} & set(found.unscanned)
