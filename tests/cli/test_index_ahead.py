"""The index of names that is made ready when a server starts."""

import time
from pathlib import Path

import pytest

from benchpin.app import Workbench, configure
from benchpin.cli import serve as module
from benchpin.cli.serve import has_many_files, prepared
from benchpin.facts import FileSelection
from benchpin.memory import was_kept

SOON_S = 60


def opened(tmp_path: Path, **settings: object) -> Workbench:
    root = tmp_path / "work"
    root.mkdir(exist_ok=True)
    (root / "a.py").write_text("def helper():\n    return 1\n", encoding="utf-8")
    return Workbench(configure(root=root, cache_dir=tmp_path / "cache", **settings))


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
        deadline = time.monotonic() + SOON_S
        while not is_ready(workbench):
            assert time.monotonic() < deadline
            time.sleep(0.05)
    found = workbench.call("find_references", symbol="helper")
    assert found._measures["code index"] == "recalled"


def test_a_small_workspace_or_a_setting_starts_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_DELAY_S", 0.0)
    begun: list[object] = []
    with prepared(opened(tmp_path)):
        time.sleep(0.1)
    monkeypatch.setattr(module, "_prepare", lambda *given: begun.append(given))
    with prepared(opened(tmp_path, index_ahead=False)):
        time.sleep(0.1)
    with prepared(opened(tmp_path, toolsets=("comments",))):
        time.sleep(0.1)
    assert not begun


def test_hidden_folders_are_not_counted(tmp_path: Path) -> None:
    for folder in (".git", "src"):
        (tmp_path / folder).mkdir()
        for at in range(3):
            (tmp_path / folder / f"{at}.py").touch()
    assert has_many_files(tmp_path, 3)
    assert not has_many_files(tmp_path, 4)
