import fcntl
import os
import signal
from pathlib import Path, PurePosixPath

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, TimeLimitExceeded
from benchpin.workspace.writing import write_atomically
from benchpin.workspace.writing._locking import locked_folder

HERE = PurePosixPath()


def test_a_writer_waits_no_longer_than_its_job(tmp_path: Path) -> None:
    with locked_folder(tmp_path, HERE, Job()):
        with pytest.raises(TimeLimitExceeded, match="does not finish"):
            write_atomically(tmp_path, PurePosixPath("a"), b"", Job(time_limit_s=0.01))
        job = Job()
        job.cancel()
        with pytest.raises(Cancelled):
            write_atomically(tmp_path, PurePosixPath("a"), b"", job)
    assert write_atomically(tmp_path, PurePosixPath("a"), b"", Job(time_limit_s=0.0))


def test_a_forked_child_does_not_keep_the_lock(tmp_path: Path) -> None:
    with locked_folder(tmp_path, HERE, Job()):
        child = os.fork()
        if child == 0:
            signal.pause()
            os._exit(0)
    try:
        assert write_atomically(tmp_path, PurePosixPath("a"), b"", Job(time_limit_s=0.0))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_a_folder_that_was_replaced_while_waiting_is_locked_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    flock = fcntl.flock

    def replace_once(descriptor: int, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", flock)
        folder.rename(tmp_path / "old")
        folder.mkdir()
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", replace_once)
    with locked_folder(tmp_path, PurePosixPath("folder"), Job()) as held:
        assert os.path.samestat(os.fstat(held), folder.stat())
        with locked_folder(tmp_path, PurePosixPath("old"), Job(time_limit_s=0.0)):
            pass


def test_what_a_killed_writer_left_goes_with_the_next_write(tmp_path: Path) -> None:
    kept = [".b.0123456789ab.tmp", ".a.x.0123456789ab.tmp", ".a.0123456789.tmp"]
    root = tmp_path / "root"
    root.mkdir()
    for name in (".a.0123456789ab.tmp", *kept):
        (root / name).write_text("half")
    write_atomically(root, PurePosixPath("a"), b"", Job())
    assert sorted(place.name for place in root.iterdir()) == sorted([*kept, "a"])
