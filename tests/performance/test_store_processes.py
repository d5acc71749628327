import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchpin.performance.snapshots import Snapshot, SnapshotStore, build_snapshot
from profile_values import log_reading, query_class, slow_log

pytestmark = pytest.mark.slow

_SAVE = """
import sys
from pathlib import Path
from profile_values import log_reading, query_class, slow_log
from benchpin.performance.snapshots import build_snapshot
from benchpin.performance.snapshots import SnapshotStore

folder, number = Path(sys.argv[1]), int(sys.argv[2])
snapshot = build_snapshot([log_reading(1, slow_log([query_class("A", [number])]))])
print("ready", flush=True)
sys.stdin.readline()
SnapshotStore(folder).save(snapshot, [], number)
"""

_DIE = """
import os, signal

steps = int(sys.argv[3])

def dying(call):
    def wrapped(*arguments, **options):
        global steps
        steps -= 1
        if steps < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments, **options)
    return wrapped

os.fsync, os.rename, os.replace = dying(os.fsync), dying(os.rename), dying(os.replace)
"""


def snapshot(number: int) -> Snapshot:
    return build_snapshot([log_reading(1, slow_log([query_class("A", [number])]))])


def start(script: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def test_ten_processes_at_once_leave_a_complete_index(tmp_path: Path) -> None:
    processes = [start(_SAVE, str(tmp_path), str(number)) for number in range(1, 11)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    index = json.loads((tmp_path / "var/mcp/snapshots/index.json").read_bytes())
    newest_first = [snapshot(number).id for number in range(10, 0, -1)]
    assert [run["id"] for run in index["runs"]] == newest_first
    for each in newest_first:
        SnapshotStore(tmp_path).load(each)


@pytest.mark.parametrize("steps", range(12))
def test_a_process_killed_at_any_step_leaves_no_half_snapshot(tmp_path: Path, steps: int) -> None:
    store = SnapshotStore(tmp_path)
    store.save(snapshot(1), [], 1)
    script = _SAVE.replace("SnapshotStore(folder)", f"{_DIE}\nSnapshotStore(folder)")
    process = start(script, str(tmp_path), "2", str(steps))
    process.communicate(b"\n")
    assert process.returncode in {0, -signal.SIGKILL}
    seen = store.runs()
    assert seen.damaged == ()
    for run in seen.runs:
        store.load(run.id)
    assert snapshot(1).id in {run.id for run in seen.runs}
    store.save(snapshot(3), [], 3)
    left = {place.name for place in (tmp_path / "var/mcp/snapshots").iterdir()}
    stored = {f"snapshot_{run.id}" for run in store.runs().runs}
    assert left == {".lock", "index.json", *stored}


def test_some_of_those_steps_kill_and_one_comes_to_the_end(tmp_path: Path) -> None:
    script = _SAVE.replace("SnapshotStore(folder)", f"{_DIE}\nSnapshotStore(folder)")
    codes = []
    for steps in (0, 100):
        process = start(script, str(tmp_path), "2", str(steps))
        process.communicate(b"\n")
        codes.append(process.returncode)
    assert codes == [-signal.SIGKILL, 0]
