"""Rules of git that are many, odd or above, and walks that are given up."""

import os
import re
from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.workspace.walking import Tree, WalkOptions, walk

FILES = ("a.py", ".hidden.py", "src/d.py", "src/deep/e.py", "src/deep/er/f.py")


@pytest.fixture
def root(workspace: Path) -> Path:
    for name in FILES:
        place = workspace / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch()
    return workspace


def walked(root: Path, start: str = "") -> set[str]:
    return {file.path for file in walk(root, start, WalkOptions(), Job()).files}


@pytest.mark.slow
@pytest.mark.parametrize(
    "template", ["name{}", "name{}*", "*name{}", "x*name{}", "src/name{}", "**/s/n{}"]
)
def test_of_many_rules_few_are_tried_on_a_name(
    root: Path, monkeypatch: pytest.MonkeyPatch, template: str
) -> None:
    tried: list[int] = []
    compile_ = re.compile

    def count(*arguments: object) -> object:
        tried.append(1)
        return compile_(*arguments)  # type: ignore[call-overload]  # handed on as they are

    lines = "\n".join(template.format(number) for number in range(10_000))
    (root / ".gitignore").write_text(f"{lines}\na.py\n", encoding="utf-8")
    monkeypatch.setattr(re, "compile", count)
    found = walked(root)
    assert "a.py" not in found
    assert "src/d.py" in found
    assert len(tried) < 10


class Impatient(Job):
    """A job that is cancelled when it was asked a few times."""

    def __init__(self, patience: int) -> None:
        super().__init__()
        self.patience = patience

    def check(self) -> None:
        self.patience -= 1
        if self.patience < 0:
            self.cancel()
        super().check()


def test_a_walk_is_given_up_inside_a_folder(root: Path) -> None:
    for number in range(1_000):
        (root / f"{number}.txt").touch()
    (root / ".gitignore").write_text("*.txt\n", encoding="utf-8")
    tree = Tree(root, WalkOptions(max_depth=1))
    with pytest.raises(Cancelled):
        tree.refresh(Impatient(5))
    assert {file.path for file in tree.refresh(Job()).files} == {".gitignore", ".hidden.py", "a.py"}


def test_time_that_runs_out_inside_a_folder_leaves_the_rest_for_the_next_walk(root: Path) -> None:
    for number in range(1_000):
        (root / f"{number}.txt").touch()
    ticks = iter(range(100_000))
    job = Job(time_limit_s=7, monotonic=lambda: next(ticks))
    tree = Tree(root, WalkOptions())
    assert len(tree.refresh(job).files) < 1_000
    assert "files of ." in job.missing
    assert len(tree.refresh(Job()).files) > 1_000


@pytest.mark.parametrize("has_repository", [False, True])
def test_rules_above_the_start_hold_with_and_without_a_repository(
    root: Path, *, has_repository: bool
) -> None:
    if has_repository:
        (root / ".git").mkdir()
        (root / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (root / ".gitignore").write_text("e.py\n/src/d.py\n", encoding="utf-8")
    (root / "src/.gitignore").write_text("deep/er/\n", encoding="utf-8")
    whole = {path for path in walked(root) if path.startswith("src/")}
    assert walked(root, "src") == whole
    assert walked(root, "src/deep") == {it for it in whole if it.startswith("src/deep/")}
    assert not {"src/d.py", "src/deep/e.py", "src/deep/er/f.py"} & whole


def test_rules_above_the_workspace_do_not_hold_without_a_repository(root: Path) -> None:
    (root / ".gitignore").write_text("e.py\n", encoding="utf-8")
    assert "deep/e.py" in walked(root / "src")


@pytest.mark.parametrize("kind", ["pipe", "device", "endless", "huge", "folder", "link to a pipe"])
def test_rules_that_are_no_file_of_reasonable_size_are_not_read(root: Path, kind: str) -> None:
    place = root / ".gitignore"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        place.symlink_to("/dev/zero")
    elif kind == "endless":
        place.symlink_to(".gitignore")
    elif kind == "huge":
        place.write_bytes(b"*.py\n")
        os.truncate(place, 1 << 30)
    elif kind == "folder":
        place.mkdir()
    else:
        os.mkfifo(root / "pipe")
        place.symlink_to("pipe")
    assert "a.py" in walked(root)


@pytest.mark.parametrize(
    "settings", ["[core]\n\texcludesFile = pipe\n", "[include]\n\tpath = ../pipe\n"]
)
def test_settings_that_lead_to_a_pipe_are_not_waited_for(root: Path, settings: str) -> None:
    os.mkfifo(root / "pipe")
    (root / ".git").mkdir()
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    (root / ".git/config").write_text(settings, encoding="utf-8")
    assert "a.py" in walked(root)


def test_changed_git_settings_are_read_again(root: Path) -> None:
    (root / ".git").mkdir()
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    assert "a.py" in walked(root)
    (root / ".git/info").mkdir()
    (root / ".git/info/exclude").write_text("a.py\n", encoding="utf-8")
    assert "a.py" not in walked(root)
    (root / ".git/info/exclude").unlink()
    (root / ".git/config").write_text("[core]\n\texcludesFile = mine\n", encoding="utf-8")
    (root / "mine").write_text("a.py\n", encoding="utf-8")
    assert "a.py" not in walked(root)


@pytest.mark.parametrize(
    ("rules", "left_out"),
    [
        (b"a/" * 2_100 + b"b\n*.x\n", 1),
        (b"# a comment\n\n*.x\n" + b"a\n" * 100_002, 3),
        (b"*.x\n" + b"# long\n" * 200_000, 1),
    ],
)
def test_ignore_rules_over_a_limit_are_counted_as_skipped(
    root: Path, rules: bytes, left_out: int
) -> None:
    (root / ".gitignore").write_bytes(rules)
    found = walk(root, "", WalkOptions(), Job())
    assert found.skipped["ignore rules over a limit"] == left_out


def test_long_exclude_files_and_git_settings_are_counted_as_skipped(root: Path) -> None:
    (root / ".git/info").mkdir(parents=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    for name in ("config", "info/exclude"):
        (root / ".git" / name).write_bytes(b"# long\n" * 200_000)
    found = walk(root, "", WalkOptions(), Job())
    assert found.skipped["ignore rules over a limit"] == 2
