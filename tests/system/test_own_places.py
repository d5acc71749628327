"""Whatever file of our own is something else, every tool ends soon, with its answer or an error.

The files are found, not listed: all that a session leaves in the cache folder, in the workspace and
in the home folder. So a new store is covered when a call here writes it.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from benchpin.app import Workbench, configure
from benchpin.core.errors import BenchpinError
from repositories import Tree
from serving import StdioServer
from waiting import WAIT_S
from wire import call

pytestmark = pytest.mark.slow
CODE = "def old(a):\n    # TODO: later\n    return a\n\n\ndef other():\n    return old(1)\n"
SNAPSHOT = "c9b0754bbdfa845a"
COLLAPSED = "main;one 3\nmain;two 4\n"
# Each with what makes it write or read one of our files.
CALLS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("get_status", {}),
    ("add_comment", {"path": "a.py", "line": 1, "text": "why", "tag": "NOTE"}),
    ("get_file_comments", {"path": "a.py"}),
    ("search_comments", {"query": "why"}),
    ("analyze_complexity", {}),
    ("analyze_duplicates", {}),
    ("pack_repository", {}),
    ("find_references", {"symbol": "a.py::other"}),
    ("ingest_artifacts", {"artifacts": [{"path": "p.collapsed"}]}),
    ("list_runs", {}),
    ("get_run", {"run_id": SNAPSHOT}),
    ("run_analysis", {"normalized_snapshot_id": SNAPSHOT}),
    ("scaffold_project", {"toolchain": "go", "templates": ["readme"], "write": True,
                          "parameters": {"project_name": "shop", "author": "A", "year": 2026},
                          "target": "shop", "overwrite": True}),
    ("update_project", {"path": "shop"}),
    ("quality_gate", {"baseline": "baseline.json", "update_baseline": True}),
    ("quality_gate", {"baseline": "baseline.json"}),
    ("measure_fleet", {}),
    ("query_fleet", {"question": "repositories"}),
    ("execute_command", {"command": "true"}),
    ("search_files", {"pattern": "x" * 3, "path": "."}),
    ("rename_symbol", {"symbol": "a.py::old", "new_name": "newer"}),
)  # fmt: skip


def prepare(folder: Path) -> None:
    work = folder / "work"
    work.mkdir(parents=True)
    (folder / "home").mkdir()
    (work / "a.py").write_text(CODE, encoding="utf-8")
    (work / "p.collapsed").write_text(COLLAPSED, encoding="utf-8")
    Tree(work / "repository").commit({"c.py": CODE.encode().replace(b"old", b"had")})
    (work / "b.py").write_text("x = '''" + "word\n" * 40_000 + "'''\n", encoding="utf-8")


def use(folder: Path) -> dict[str, str]:
    """Make all calls; return how each ended. Only errors that are declared are caught."""
    ended = {}
    bench = Workbench(
        configure(
            root=folder / "work",
            cache_dir=folder / "cache",
            allow="write,execute",
        )
    )
    try:
        for name, arguments in CALLS:
            try:
                bench.call(name, **arguments)
            except BenchpinError as error:
                ended[name] = f"{error.kind}: {error}"
            else:
                ended[name] = "done"
    finally:
        bench.close()
    return ended


def own_places(folder: Path) -> list[Path]:
    """Return all files that the calls left, but for sources."""
    found = [it.relative_to(folder) for it in folder.rglob("*") if it.is_file()]
    ours = (it for it in found if it.suffix not in {".py", ".collapsed"})
    return sorted(it for it in ours if ".git" not in it.parts)


def _socket(place: Path) -> None:
    here = Path.cwd()
    os.chdir(place.parent)  # the address of a socket is short
    try:
        with closing(socket.socket(socket.AF_UNIX)) as it:
            it.bind(place.name)
    finally:
        os.chdir(here)


def _folder(place: Path) -> None:
    place.mkdir()
    (place / "kept").write_text("kept", encoding="utf-8")


ODD: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "socket": _socket,
    "device": lambda place: place.symlink_to("/dev/zero"),
    "folder": _folder,
    "noise": lambda place: place.write_bytes(bytes(range(256)) * 64),
    "nothing": lambda place: place.write_bytes(b""),
    "deep": lambda place: place.write_bytes(b"[" * 100_000),
}


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which all calls were made twice, as by two processes."""
    folder = tmp_path_factory.mktemp("used")
    prepare(folder)
    use(folder)
    assert set(use(folder).values()) == {"done"}
    return folder


def copied(used: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(used, tmp_path / "it", symlinks=True))


def replace(place: Path, kind: str) -> None:
    place.unlink()
    ODD[kind](place)


@pytest.mark.timeout(240)
def test_one_odd_file_at_a_time(used: Path, tmp_path: Path) -> None:
    places = own_places(used)
    assert len(places) > 8, places
    for number, place in enumerate(places):
        folder = copied(used, tmp_path / str(number))
        replace(folder / place, "pipe")
        for name, ended in use(folder).items():
            assert "internal" not in ended, f"{place}: {name}: {ended}"


@pytest.mark.timeout(120)
@pytest.mark.parametrize("kind", ODD)
def test_all_files_odd_at_once(used: Path, tmp_path: Path, kind: str) -> None:
    folder = copied(used, tmp_path)
    for place in own_places(used):
        replace(folder / place, kind)
    ended = use(folder)
    assert {it for it in ended.values() if "internal" in it} == set()
    # What does not need them works.
    for name in ("get_status", "analyze_complexity", "find_references", "pack_repository"):
        assert ended[name] == "done"
    if kind == "folder":
        kept = len(list(folder.rglob("kept")))
        assert kept >= len([it for it in own_places(used) if "work" in it.parts])


def test_a_server_with_pipes_everywhere_answers_and_obeys_a_signal(
    used: Path, tmp_path: Path, benchpin: str
) -> None:
    folder = copied(used, tmp_path)
    for place in own_places(used):
        replace(folder / place, "pipe")
    with subprocess.Popen(
        [benchpin, "serve", "--root", str(folder / "work"), "--allow", "write"],
        env={**os.environ, "BENCHPIN_CACHE_DIR": str(folder / "cache")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        server = StdioServer(process)
        for number, (name, arguments) in enumerate(CALLS[:6]):
            assert server.ask(call(name, number, **arguments))["id"] == number
        process.terminate()
        assert process.wait(WAIT_S) == 0
