"""No acknowledged edit is lost: several writers, in one server and in several, and killed ones."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchpin.app import Workbench
from benchpin.toolsets.workspace.edit_file import FileEditParams, edit_file

_EDITS = 25
_WRITERS = ("w0", "w1", "w2", "w3")
_SERVER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from benchpin.app._workbench import Workbench
from benchpin.toolsets.workspace.edit_file import FileEditParams, edit_file

root, edits, *writers = sys.argv[1:]
shop = Workbench.open(Path(root), allow=("write",))

def write(writer):
    for number in range(int(edits)):
        change = {"old_text": f"<{writer}>", "new_text": f"{writer}:{number} <{writer}>"}
        params = FileEditParams.model_validate({"path": "shared.txt", "edits": [change]})
        assert shop.run(edit_file, params).is_written
        sys.stdout.write(f"{writer}:{number}\\n")
        sys.stdout.flush()

with ThreadPoolExecutor(len(writers)) as pool:
    list(pool.map(write, writers))
"""


def _start(workspace: Path, edits: int, writers: Sequence[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(workspace), str(edits), *writers],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


def _shared(workspace: Path) -> Path:
    file = workspace / "shared.txt"
    file.write_text("".join(f"<{writer}>\n" for writer in _WRITERS))
    return file


def _edit(shop: Workbench, writer: str, number: int) -> str:
    change = {"old_text": f"<{writer}>", "new_text": f"{writer}:{number} <{writer}>"}
    params = FileEditParams.model_validate({"path": "shared.txt", "edits": [change]})
    assert shop.run(edit_file, params).is_written
    return f"{writer}:{number}"


def _edits_in(file: Path) -> Counter[str]:
    return Counter(re.findall(r"\w+:\d+(?= )", file.read_text()))


def test_threads_of_one_server_lose_no_edit(shop: Workbench, workspace: Path) -> None:
    file = _shared(workspace)

    def write(writer: str) -> list[str]:
        return [_edit(shop, writer, number) for number in range(_EDITS)]

    with ThreadPoolExecutor(len(_WRITERS)) as pool:
        acknowledged = Counter(each for done in pool.map(write, _WRITERS) for each in done)
    assert _edits_in(file) == acknowledged
    assert list(workspace.iterdir()) == [file]


@pytest.mark.slow
def test_two_servers_lose_no_edit(workspace: Path) -> None:
    file = _shared(workspace)
    servers = [_start(workspace, _EDITS, half) for half in (_WRITERS[::2], _WRITERS[1::2])]
    outputs = [server.communicate()[0] for server in servers]
    acknowledged = Counter(b"".join(outputs).decode().split())
    assert acknowledged.total() == len(_WRITERS) * _EDITS
    assert _edits_in(file) == acknowledged
    assert list(workspace.iterdir()) == [file]


@pytest.mark.slow
def test_a_killed_server_loses_no_acknowledged_edit_and_leaves_no_lock(
    shop: Workbench, workspace: Path
) -> None:
    file = _shared(workspace)
    acknowledged: Counter[str] = Counter()
    for round_number in range(5):
        writers = _WRITERS[round_number % 2 :: 2]
        with _start(workspace, 10_000, writers) as server:
            assert server.stdout is not None
            lines = [server.stdout.readline() for _ in range(5 + 3 * round_number)]
            server.kill()
            acknowledged.update(b"".join([*lines, server.stdout.read()]).decode().split())
        found = _edits_in(file)
        assert acknowledged - found == Counter()
        # A writer may be killed between its write and its answer; it does at most one edit then.
        assert sum(found.values()) <= acknowledged.total() + 2 * (round_number + 1)
        assert [re.findall(r"<\w+>", line) for line in file.read_text().splitlines()] == [
            [f"<{writer}>"] for writer in _WRITERS
        ]
    _edit(shop, _WRITERS[0], 99_999)
    assert list(workspace.iterdir()) == [file]
