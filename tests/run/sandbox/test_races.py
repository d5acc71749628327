"""One program exchanges folders, files and links while the workspace of another is mounted."""

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from benchpin.core.calls import Job, Permissions
from benchpin.core.errors import Cancelled
from benchpin.run.sandbox import Execution, ExecutionReport, run_confined
from benchpin.run.sandbox._process import WorkspaceChanged
from benchpin.run.sandbox._sandbox import Sandbox
from benchpin.run.sandbox._workspace_mounts import workspace_mounts
from waiting import WAIT_S

Run = Callable[..., ExecutionReport]
TRIES = 15

ATTACK = """
import ctypes, os, sys
outside = {outside!r}
exchange = ctypes.CDLL(None).renameat2
os.makedirs("play/deep/folder/inner")
os.makedirs("play/linked")
os.chdir("play")
for path in (".env", "deep/folder/inner/.env", "linked/one", "one", "deep/folder/.env", "plain"):
    open(path, "w").close()
for one, two in (("linked/one", "linked/two"), ("one", "two"), ("plain", "hard")):
    os.link(one, two)
pairs = [
    ("deep", "a"), ("deep/folder", "deep/b"), ("linked", "c"), ("one", "d"), (".env", "e"),
    ("deep/folder/.env", "deep/folder/f"), ("linked/two", "linked/g"),
    ("hard", "linked"), ("plain", "../kept/linked"), ("../kept", "deep"), ("../kept/.env", "one"),
]
for number, (_, link) in enumerate(pairs[:7]):
    os.symlink(outside if number < 3 else outside + "/secret", link)
print("ready", flush=True)
while True:
    for pair in pairs:
        exchange(-100, os.fsencode(pair[0]), -100, os.fsencode(pair[1]), 2)
"""
VICTIM = """
cat .env kept/.env; echo pwned >>kept/linked
find play -name 'secret*' | xargs cat; cat play/* play/*/* play/*/*/*
for it in play play/* play/*/*; do echo pwned >$it/pwned; mkdir $it/folder; done
for it in play/* play/*/* play/*/*/*; do echo pwned >$it; done
"""


@pytest.fixture
def outside(workspace: Path, tmp_path: Path) -> Path:
    """Return a folder outside with a secret; the workspace has denied files and a hard link."""
    folder = tmp_path / "outside"
    (workspace / "kept").mkdir()
    folder.mkdir()
    for path in (folder / "secret", workspace / ".env", workspace / "kept" / ".env"):
        path.write_text("hunter2", encoding="utf-8")
    (workspace / "kept" / "linked").hardlink_to(folder / "secret")
    return folder


def test_a_race_leads_neither_out_nor_to_denied_files(
    run: Run, workspace: Path, outside: Path, sandbox: Sandbox
) -> None:
    is_running = threading.Event()
    job = Job(on_progress=lambda _it: is_running.set())
    code = Execution(
        ("/usr/bin/env", "python3", "-I"), str(workspace), ATTACK.format(outside=str(outside))
    )
    view = workspace_mounts(workspace, Permissions(), Job(), may_write=True)

    def attack() -> None:
        with suppress(Cancelled):
            run_confined(code, view, sandbox, 60, job)

    attacker = threading.Thread(target=attack)
    attacker.start()
    try:
        assert is_running.wait(WAIT_S)
        for _ in range(TRIES):
            with suppress(WorkspaceChanged):
                assert "hunter2" not in run(VICTIM, may_write=True).stdout
    finally:
        job.cancel()
        attacker.join()
    assert [it.name for it in outside.iterdir()] == ["secret"]
    assert (outside / "secret").read_text(encoding="utf-8") == "hunter2"


@pytest.mark.parametrize(
    ("place", "link_to"),
    [
        ("folder", "outside"),
        ("folder/inner", "outside"),
        ("folder/inner/.env", "outside/secret"),
        ("folder/linked", "outside/secret"),
        ("folder", "workspace/kept"),
        ("kept/.env", "outside/secret"),
        ("", "outside"),
    ],
)
def test_what_was_exchanged_for_a_link_since_the_scan_is_not_mounted(
    workspace: Path, outside: Path, sandbox: Sandbox, place: str, link_to: str
) -> None:
    (workspace / "folder" / "inner").mkdir(parents=True)
    (workspace / "folder" / "inner" / ".env").write_text("x", encoding="utf-8")
    (workspace / "folder" / "linked").hardlink_to(outside / "secret")
    view = workspace_mounts(workspace, Permissions(), Job(), may_write=True)
    (workspace / place).rename(workspace.parent / "moved")
    (workspace / place).symlink_to(workspace.parent / link_to)
    before = sorted(outside.parent.rglob("*"))
    program = Execution(("/bin/sh", "-c", VICTIM), str(workspace))
    with pytest.raises(WorkspaceChanged):
        run_confined(program, view, sandbox, 30, Job())
    assert sorted(outside.parent.rglob("*")) == before


def test_a_folder_that_was_exchanged_for_another_is_not_mounted(
    workspace: Path, outside: Path, sandbox: Sandbox
) -> None:
    view = workspace_mounts(workspace, Permissions(), Job(), may_write=True)
    (workspace / "kept").rename(workspace / "moved")
    (workspace / "kept").mkdir()
    (workspace / "kept" / ".env").touch()
    program = Execution(("/bin/sh", "-c", "cat moved/.env"), str(workspace))
    with pytest.raises(WorkspaceChanged):
        run_confined(program, view, sandbox, 30, Job())
    assert (outside / "secret").exists()


def test_what_leads_to_a_protected_file_cannot_be_renamed(
    run: Run, workspace: Path, outside: Path
) -> None:
    """Otherwise another scan could miss the file."""
    # Not mv, which copies what it cannot rename.
    rename = """for it in kept kept/linked kept/.env .env; do
        python3 -c "import os; os.rename('$it', 'moved')" || echo refused
    done"""
    assert run(rename, may_write=True).stdout.split() == ["refused"] * 4
    assert sorted(it.name for it in workspace.iterdir()) == [".env", "kept"]
    assert (outside / "secret").read_text(encoding="utf-8") == "hunter2"
