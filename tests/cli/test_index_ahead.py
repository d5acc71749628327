"""The index of names that is made ready when a server starts."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

from benchpin.app import Workbench, configure
from benchpin.cli import serve as module
from benchpin.cli.serve import has_many_files, prepared
from benchpin.facts import FileSelection
from benchpin.memory import was_kept
from benchpin.project import side_process
from waiting import WAIT_S


def opened(tmp_path: Path, **settings: object) -> Workbench:
    root = tmp_path / "work"
    root.mkdir(exist_ok=True)
    (root / "a.py").write_text("def helper():\n    return 1\n", encoding="utf-8")
    return Workbench(configure(root=root, cache_dir=tmp_path / "cache", **settings))


def wait_for(is_done: Callable[[], bool]) -> None:
    """Wait for what another thread or process does; the time-out of a test ends one that hangs."""
    while not is_done():
        time.sleep(0.02)


def is_ready(workbench: Workbench) -> bool:
    bench = workbench.bench
    query = FileSelection(bench.session, bench.permissions, bench.job).workspace().query
    return was_kept(bench.session, "code index", query)


@pytest.mark.slow
def test_a_question_finds_the_index_that_was_made_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DELAY_S", 0.0)
    monkeypatch.setattr(module, "_MANY_FILES", 1)
    workbench = opened(tmp_path)
    with prepared(workbench):
        wait_for(lambda: is_ready(workbench))
    found = workbench.call("find_references", symbol="helper")
    assert found._measures["code index"] == "recalled"


class Recorded:
    """Stands for the process that makes the index, and says when it began and ended."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.said: list[str] = []
        monkeypatch.setattr(module, "_DELAY_S", 0.0)
        monkeypatch.setattr(side_process, "SideMeasures", self.made)

    @contextmanager
    def made(self, *_given: object, **_more: object) -> Iterator[None]:
        self.said.append("begun")
        yield
        self.said.append("ended")


def test_many_files_start_a_process_that_ends_with_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = Recorded(monkeypatch)
    monkeypatch.setattr(module, "_MANY_FILES", 1)
    workbench = opened(tmp_path)
    with prepared(workbench):
        wait_for(lambda: bool(recorded.said))
        assert recorded.said == ["begun"]
    assert recorded.said == ["begun", "ended"]


def test_a_server_that_ends_at_once_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorded = Recorded(monkeypatch)
    looking = Event()

    def looks_long(_root: Path, _most: int) -> bool:
        looking.set()
        time.sleep(0.2)
        return True

    monkeypatch.setattr(module, "has_many_files", looks_long)
    with prepared(opened(tmp_path)):
        assert looking.wait(WAIT_S)
    assert recorded.said == ["begun", "ended"]


@pytest.mark.parametrize(
    ("files", "settings"),
    [(1_000, {}), (1, {"index_ahead": False}), (1, {"toolsets": ("comments",)})],
    ids=["few files", "switched off", "no tool that needs it"],
)
def test_nothing_is_started_without_need(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: int,
    settings: Mapping[str, object],
) -> None:
    recorded = Recorded(monkeypatch)
    monkeypatch.setattr(module, "_MANY_FILES", files)
    with prepared(opened(tmp_path, **settings)):
        time.sleep(0.1)
    assert not recorded.said


def test_hidden_folders_are_not_counted(tmp_path: Path) -> None:
    for folder in (".git", "src"):
        (tmp_path / folder).mkdir()
        for at in range(3):
            (tmp_path / folder / f"{at}.py").touch()
    assert has_many_files(tmp_path, 3)
    assert not has_many_files(tmp_path, 4)
