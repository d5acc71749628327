import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    rule,
    run_state_machine_as_test,
)

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled, FileMissing, PathOutsideWorkspace
from benchpin.workspace.files import _reading as opening
from benchpin.workspace.walking import FolderListings, Tree, WalkOptions, WalkResult, walk
from listings import note_listings

FILES = (
    *("a.py", "b.txt", ".hidden.py", ".config/c.py", "src/d.py", "src/deep/e.py"),
    *("src/deep/er/f.py", "node_modules/g.js", "src/h_pb2.py", "docs/i.md", "docs/src/j.py"),
)


@pytest.fixture
def root(workspace: Path) -> Path:
    for name in FILES:
        place = workspace / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(name, encoding="utf-8")
    return workspace


def seen(root: Path, start: str = "", **options: object) -> WalkResult:
    return walk(root, start, WalkOptions(**options), Job())  # type: ignore[arg-type]  # a test's shorthand


def paths(found: WalkResult) -> set[str]:
    return {file.path for file in found.files}


def test_vendored_folders_and_generated_files_are_left_out_and_counted(root: Path) -> None:
    found = seen(root)
    assert paths(found) == set(FILES) - {"node_modules/g.js", "src/h_pb2.py"}
    assert found.skipped == {"generated": 1, "vendored": 1}
    assert paths(seen(root, include_vendored=True)) == set(FILES)


def test_what_a_job_has_seen_is_not_looked_at_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {it.path: it for it in walk(root, "", WalkOptions(), Job()).files}
    del known["b.txt"]
    looked_at: list[str] = []
    lstat = os.lstat

    def noting(path: str | Path) -> os.stat_result:
        looked_at.append(str(path).removeprefix(f"{root}/"))
        return lstat(path)

    monkeypatch.setattr(os, "lstat", noting)
    again = Tree(root, WalkOptions()).refresh(Job(), known)
    monkeypatch.undo()
    assert [it for it in looked_at if it in FILES] == ["b.txt"]
    assert again == walk(root, "", WalkOptions(), Job())


def test_hidden_names_are_left_out_on_demand(root: Path) -> None:
    found = seen(root, include_hidden=False)
    assert not {".hidden.py", ".config/c.py"} & paths(found)
    assert found.skipped["hidden"] == 2


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (("*.md",), {"docs/i.md"}),
        (("src",), {"src/d.py", "src/deep/e.py", "src/deep/er/f.py", "docs/src/j.py"}),
        (("/src",), {"src/d.py", "src/deep/e.py", "src/deep/er/f.py"}),
        (("./src/*.py",), {"src/d.py"}),
        (("src/**/*.py",), {"src/d.py", "src/deep/e.py", "src/deep/er/f.py"}),
        (("src/deep/",), {"src/deep/e.py", "src/deep/er/f.py"}),
        (("a.py/",), set()),
        (("a.py", "*.md"), {"a.py", "docs/i.md"}),
        (("nothing/*",), set()),
    ],
)
def test_only_what_is_included_is_found(
    root: Path, patterns: tuple[str, ...], expected: set[str]
) -> None:
    assert paths(seen(root, include_patterns=patterns)) == expected


@pytest.mark.parametrize(
    ("patterns", "gone"),
    [
        (("*.md",), {"docs/i.md"}),
        (("src/",), {"src/d.py", "src/deep/e.py", "src/deep/er/f.py", "docs/src/j.py"}),
        (("src/deep/**",), {"src/deep/e.py", "src/deep/er/f.py"}),
        (("**/deep/*.py",), {"src/deep/e.py"}),
    ],
)
def test_what_is_excluded_is_not_found(
    root: Path, patterns: tuple[str, ...], gone: set[str]
) -> None:
    assert paths(seen(root)) - paths(seen(root, exclude_patterns=patterns)) == gone


def test_an_exclusion_wins_over_an_inclusion(root: Path) -> None:
    found = seen(root, include_patterns=("src",), exclude_patterns=("deep",))
    assert paths(found) == {"src/d.py", "docs/src/j.py"}


@pytest.mark.parametrize(
    ("depth", "start", "expected"),
    [
        (1, "", {"a.py", "b.txt", ".hidden.py"}),
        (1, "src", {"src/d.py"}),
        (2, "src", {"src/d.py", "src/deep/e.py"}),
    ],
)
def test_depth_is_counted_from_the_start(
    root: Path, depth: int, start: str, expected: set[str]
) -> None:
    found = seen(root, start, max_depth=depth)
    assert paths(found) == expected
    assert found.skipped["too deep"] > 0


def test_patterns_hold_from_the_root_and_from_the_start(root: Path) -> None:
    assert paths(seen(root, "src", include_patterns=("src/deep/*.py",))) == {"src/deep/e.py"}
    assert paths(seen(root, "src", include_patterns=("deep/*.py",))) == {"src/deep/e.py"}


def test_files_come_in_the_order_of_their_paths_with_what_the_system_says_of_them(
    root: Path,
) -> None:
    files = seen(root).files
    assert [file.path for file in files] == sorted(file.path for file in files)
    status = (root / "a.py").stat()
    [first] = [file for file in files if file.path == "a.py"]
    stamp = (first.size_bytes, first.mtime_ns, first.ctime_ns)
    assert stamp == (status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def test_a_file_that_is_named_is_found_whatever_the_rules_say(root: Path) -> None:
    (root / ".gitignore").write_text("*\n", encoding="utf-8")
    assert paths(seen(root, "src/d.py")) == {"src/d.py"}
    assert paths(seen(root)) == set()


@pytest.mark.parametrize("start", ["nothing", "a.py/b", "src/none.py", "link/d.py", "a\0b"])
def test_a_start_that_is_not_there_is_refused(root: Path, start: str) -> None:
    (root / "link").symlink_to("src")
    with pytest.raises(FileMissing):
        seen(root, start)


@pytest.mark.parametrize("start", ["..", "src/../../x", "/etc"])
def test_a_start_outside_the_root_is_refused(root: Path, start: str) -> None:
    with pytest.raises(PathOutsideWorkspace):
        seen(root, start)


def test_links_and_pipes_are_counted_and_never_followed(root: Path) -> None:
    (root / "loop").symlink_to(".")
    (root / "src/up").symlink_to("..")
    (root / "outside").symlink_to("/")
    (root / "broken").symlink_to("nowhere")
    os.mkfifo(root / "pipe.py")
    found = seen(root)
    assert found.skipped["symbolic link"] == 4
    assert found.skipped["not a regular file"] == 1
    assert not any("loop" in path or "up/" in path for path in paths(found))


def test_a_start_that_is_a_pipe_or_a_link_is_no_file(root: Path) -> None:
    os.mkfifo(root / "pipe.py")
    (root / "link.py").symlink_to("a.py")
    assert seen(root, "pipe.py") == WalkResult([], {"not a regular file": 1})
    assert seen(root, "link.py") == WalkResult([], {"symbolic link": 1})


def test_a_folder_that_may_not_be_read_is_counted_and_the_rest_found(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir = os.scandir

    def refuse(place: str) -> Iterator[os.DirEntry[str]]:
        if str(place).endswith("/deep"):
            raise PermissionError(13, "Permission denied")
        return scandir(place)

    monkeypatch.setattr(os, "scandir", refuse)
    found = seen(root)
    assert found.skipped["unreadable"] == 1
    assert found.closed == ("src/deep/",)
    assert "src/d.py" in paths(found)
    assert "src/deep/e.py" not in paths(found)


def test_names_that_are_not_utf8_are_found(workspace: Path) -> None:
    (workspace / os.fsdecode(b"\xff.py")).touch()
    assert paths(seen(workspace)) == {os.fsdecode(b"\xff.py")}


def test_a_tree_finds_only_the_names_it_wants(root: Path) -> None:
    tree = Tree(root, WalkOptions(), wants=lambda name: name.endswith(".md"))
    assert paths(tree.refresh(Job())) == {"docs/i.md"}


def test_a_cancelled_walk_stops(root: Path) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        walk(root, "", WalkOptions(), job)


def test_a_walk_whose_time_is_up_says_what_it_left_out(root: Path) -> None:
    job = Job(time_limit_s=0)
    assert walk(root, "", WalkOptions(), job).files == []
    assert job.missing != []


def test_who_waits_for_another_walk_can_be_cancelled_and_can_run_out_of_time(root: Path) -> None:
    tree = Tree(root, WalkOptions())
    late = Job(time_limit_s=0)
    with tree._lock:
        assert tree.refresh(late).files == []
        waiting = Job()
        threading.Timer(0.01, waiting.cancel).start()
        with pytest.raises(Cancelled):
            tree.refresh(waiting)
    assert late.missing != []
    assert paths(tree.refresh(Job())) == paths(seen(root))


def test_a_tree_forgets_files_that_are_gone(root: Path) -> None:
    tree = Tree(root, WalkOptions())
    tree.refresh(Job())
    shutil.rmtree(root / "src")
    found = tree.refresh(Job())
    assert set(tree._files) == paths(found)


_NAMES = st.sampled_from(("a.py", "b.py", "x", "y", "x/a.py", "x/b", "y/a.py", "x/z/a.py", "x/z"))
_RULES = st.sampled_from((b"", b"*.py\n", b"x/\n", b"/x/z\n", b"!a.py\n*.py\n", b"a.py\n!/a.py\n"))
_RULE_FILES = st.sampled_from((".gitignore", "x/.gitignore", ".git/info/exclude"))


class Changes(RuleBasedStateMachine):
    """A tree that is looked at after each change finds what a walk from scratch finds."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.root = Path(self.folder)
        self.later_s = 0
        self.patches = pytest.MonkeyPatch()
        self.patches.setattr(time, "time_ns", lambda: int((time.time() + self.later_s) * 1e9))
        self.written = b""
        self.trees = [
            Tree(self.root, WalkOptions()),
            Tree(self.root, WalkOptions(exclude_patterns=("x/b",), max_depth=2)),
        ]

    def teardown(self) -> None:
        self.patches.undo()
        shutil.rmtree(self.folder)

    @rule(name=_NAMES, content=st.sampled_from((b"", b"1", b"22")))
    def write(self, name: str, content: bytes) -> None:
        place = self.root / name
        if not place.is_dir() and not any(parent.is_file() for parent in place.parents):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)

    @rule(name=_NAMES)
    def remove(self, name: str) -> None:
        place = self.root / name
        if place.is_dir():
            shutil.rmtree(place)
        elif place.is_file():
            place.unlink()

    @rule(old=_NAMES, new=_NAMES)
    def rename(self, old: str, new: str) -> None:
        source, target = self.root / old, self.root / new
        is_free = not target.exists() and target.parent.is_dir()
        if source.exists() and is_free and not target.is_relative_to(source):
            source.rename(target)

    @rule(name=_RULE_FILES, content=_RULES)
    def write_rules(self, name: str, content: bytes) -> None:
        if (self.root / name).parent.is_dir():
            (self.root / name).write_bytes(content)

    @rule(name=_RULE_FILES)
    def remove_rules(self, name: str) -> None:
        if (self.root / name).parent.is_dir():
            (self.root / name).unlink(missing_ok=True)

    @rule()
    def make_repository(self) -> None:
        (self.root / ".git/info").mkdir(parents=True, exist_ok=True)
        (self.root / ".git/HEAD").write_bytes(b"ref: refs/heads/main\n")

    @rule(age_s=st.sampled_from((5, 100)))
    def let_time_pass(self, age_s: int) -> None:
        self.later_s += age_s
        for folder, names, files in os.walk(self.root):
            for name in (*names, *files, "."):
                status = os.lstat(os.path.join(folder, name))  # noqa: PTH118 - what os.walk gives
                old = status.st_mtime_ns - age_s * 1_000_000_000
                os.utime(os.path.join(folder, name), ns=(old, old))  # noqa: PTH118

    @invariant()
    def each_tree_is_as_a_fresh_walk(self) -> None:
        for tree in self.trees:
            assert tree.refresh(Job()) == walk(self.root, "", tree._options, Job())

    @invariant()
    def what_was_written_down_is_as_a_fresh_walk(self) -> None:
        listings = FolderListings(self.written)
        tree = Tree(self.root, WalkOptions(), listings=listings)
        assert tree.refresh(Job()) == walk(self.root, "", tree._options, Job())
        self.written = listings.to_bytes()


def test_a_tree_that_is_looked_at_again_is_as_a_fresh_walk() -> None:
    bounds = settings(max_examples=40, stateful_step_count=15, derandomize=True)
    run_state_machine_as_test(Changes, settings=bounds)


def test_a_folder_that_did_not_change_is_not_listed_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "RACY_NS", 0)
    tree = Tree(root, WalkOptions())
    before = tree.refresh(Job())
    listed = note_listings(monkeypatch)
    assert tree.refresh(Job()) == before
    assert listed == []
    (root / "docs/new.md").touch()
    assert paths(tree.refresh(Job())) == paths(before) | {"docs/new.md"}
    assert listed == ["docs"]
