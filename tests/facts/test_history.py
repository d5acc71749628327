import re
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchpin.core.calls import Job, Progress
from benchpin.core.errors import Cancelled
from benchpin.measures.history import Commit, CommittedFile, History, read_history
from benchpin.measures.history import _history as module
from benchpin.workspace.git import GitFailed, NotARepository
from benchpin.workspace.git import _command as git
from benchpin.workspace.git_objects import LogEntry
from repositories import ADA, BOB, START, Content, Step, Tree, import_steps

LINES = b"".join(b"line %d\n" % at for at in range(20))


@pytest.fixture
def tree(workspace: Path) -> Tree:
    return Tree(workspace)


def read(
    tree: Tree, folder: str = "", since: datetime | None = None, until: datetime | None = None
) -> History:
    return read_history(tree.root / folder, tree.root, Job(), since=since, until=until)


def changes(history: History) -> list[list[tuple[str, int | None, int | None]]]:
    return [[(it.path, it.added, it.deleted) for it in commit.files] for commit in history.commits]


def test_a_commit_says_when_who_and_what(tree: Tree) -> None:
    first = tree.commit({"a.txt": b"one\n", "b.txt": b"one\ntwo\n"})
    second = tree.commit({"a.txt": b"two\nthree\n", "b.txt": None}, "Two", BOB)
    new, old = read(tree).commits
    assert (old.id, old.time, old.author) == (first, START, "Ada")
    assert (new.id, new.time, new.author) == (second, START + timedelta(days=1), "Bob")
    assert new.files == (CommittedFile("a.txt", 2, 1), CommittedFile("b.txt", 0, 2))


def test_a_commit_has_the_first_line_of_its_message(tree: Tree) -> None:
    tree.commit({"a.txt": b"one\n"}, "Fix the \u00e4rger\n\nAt length.")
    tree.commit({"a.txt": b"two\n"}, "x" * 1000)
    tree.commit({"a.txt": b"three\n"}, "")
    assert [it.subject for it in read(tree).commits] == ["", "x" * 1000, "Fix the \u00e4rger"]


def test_a_first_line_longer_than_anybody_writes_is_cut_and_marked(tree: Tree) -> None:
    tree.commit({"a.txt": b"one\n"}, "x" * 10_000)
    assert [it.subject for it in read(tree).commits] == ["x" * 4_096 + "…"]


def test_paths_of_a_moment_lead_to_the_newest_ones(tree: Tree) -> None:
    tree.commit({"a.txt": LINES, "stays.txt": b"x\n"})
    tree.commit({"a.txt": None, "b.txt": LINES})
    tree.commit({"b.txt": None, "c.txt": LINES})
    days = [START + timedelta(days=at, hours=1) for at in range(-1, 3)]
    moved = read_history(tree.root, tree.root, Job(), moments=days).moved
    assert [moved[day] for day in days] == [{}, {"a.txt": "c.txt"}, {"b.txt": "c.txt"}, {}]


def test_an_empty_repository_has_no_commits(tree: Tree) -> None:
    assert read(tree) == History((), frozenset())


def test_a_detached_head_has_the_history_of_its_commit(tree: Tree) -> None:
    first = tree.commit({"a.txt": b"one\n"})
    tree.commit({"a.txt": b"two\n"})
    tree.git("checkout", "--quiet", first)
    assert [commit.id for commit in read(tree).commits] == [first]


def test_a_folder_that_is_not_under_version_control_is_refused(workspace: Path) -> None:
    with pytest.raises(NotARepository):
        read_history(workspace, workspace, Job())


def test_a_binary_file_has_no_lines(tree: Tree) -> None:
    tree.commit({"a.bin": b"\0\1\2", "b.txt": b"one\n"})
    assert changes(read(tree)) == [[("a.bin", None, None), ("b.txt", 1, 0)]]


def test_a_change_of_mode_is_a_change_without_lines(tree: Tree) -> None:
    tree.commit({"a.sh": b"one\n"})
    (tree.root / "a.sh").chmod(0o755)
    tree.commit()
    assert changes(read(tree))[0] == [("a.sh", 0, 0)]


def test_a_file_that_moved_has_its_past_under_its_newest_path(tree: Tree) -> None:
    tree.commit({"old/a.txt": LINES})
    tree.commit({"old/a.txt": None, "new/b.txt": LINES + b"more\n"})
    tree.commit({"new/b.txt": None, "c.txt": LINES + b"more\n"})
    assert changes(read(tree)) == [[("c.txt", 0, 0)], [("c.txt", 1, 0)], [("c.txt", 20, 0)]]
    assert read(tree).existing == {"c.txt"}


def test_a_move_after_the_period_names_the_file_all_the_same(tree: Tree) -> None:
    tree.commit({"a.txt": LINES})
    tree.commit({"a.txt": None, "b.txt": LINES})
    early = read(tree, until=START + timedelta(hours=1))
    assert changes(early) == [[("b.txt", 20, 0)]]


def test_a_merge_is_left_out_and_what_it_merges_is_not(tree: Tree) -> None:
    tree.commit({"a.txt": LINES})
    tree.git("checkout", "--quiet", "-b", "side")
    tree.commit({"b.txt": b"one\n"}, "Side", BOB)
    tree.git("checkout", "--quiet", "main")
    tree.commit({"c.txt": b"one\n"})
    tree.git("merge", "--quiet", "--no-ff", "--no-commit", "side")
    tree.commit({"evil.txt": b"only in the merge\n"}, "Merge")
    assert changes(read(tree)) == [[("c.txt", 1, 0)], [("b.txt", 1, 0)], [("a.txt", 20, 0)]]
    assert "evil.txt" in read(tree).existing


def test_a_file_that_moved_beside_a_branch_that_changed_it_is_one_file(tree: Tree) -> None:
    tree.commit({"a.txt": LINES})
    tree.git("checkout", "--quiet", "-b", "side")
    tree.commit({"a.txt": None, "b.txt": LINES})
    tree.git("checkout", "--quiet", "main")
    tree.commit({"a.txt": LINES + b"more\n"})
    tree.git("merge", "--quiet", "--no-ff", "--message=Merge", "side")
    assert {file.path for commit in read(tree).commits for file in commit.files} == {"b.txt"}


def test_the_period_has_a_beginning_and_an_end(tree: Tree) -> None:
    ids = [tree.commit({"a.txt": b"%d\n" % day}) for day in range(5)]
    since, until = START + timedelta(days=1), START + timedelta(days=3)
    found = read(tree, since=since, until=until)
    assert [commit.id for commit in found.commits] == [ids[2], ids[1]]


def test_a_period_before_1970_is_everything(tree: Tree) -> None:
    tree.commit({"a.txt": b"one\n"})
    assert len(read(tree, since=datetime(1900, 1, 1, tzinfo=UTC)).commits) == 1


def test_the_time_is_that_of_the_commit_not_of_the_author(tree: Tree) -> None:
    tree.commit({"a.txt": b"one\n"}, "Old", ADA, "--date=2001-01-01T00:00:00Z")
    assert read(tree).commits[0].time == START


def test_the_mailmap_joins_people(tree: Tree) -> None:
    lines = b"Ada Lovelace <ada@example.org>\nAda Lovelace <ada@example.org> <al@old>\n"
    tree.commit({".mailmap": lines})
    tree.commit({"a.txt": b"one\n"}, "Two", ("al", "al@old"))
    assert {commit.author for commit in read(tree).commits} == {"Ada Lovelace"}


def test_who_has_no_name_goes_by_address(workspace: Path) -> None:
    tree = import_steps(workspace, [Step({b"a": b"x"}, author=("", "ada@example.org"))])
    assert read(tree).commits[0].author == "ada@example.org"


ODD_NAMES = [
    b"{a => b}/c.txt",
    b"a => b",
    b"12\t3\tx",
    b"line\nbreak",
    b'"quoted"',
    b"back\\slash",
    "日本語.txt".encode(),
    b"caf\xe9.txt",
    b"-",
    b"--output=x",
    b":(glob)*",
    b"\x01mark",
    b" ",
]


def test_odd_names_come_back_as_they_are(workspace: Path) -> None:
    tree = import_steps(workspace, [Step(dict.fromkeys(ODD_NAMES, b"one\n"))])
    names = {name.decode("utf-8", "surrogateescape") for name in ODD_NAMES}
    history = read(tree)
    assert {file.path for file in history.commits[0].files} == names
    assert history.existing == names


def test_a_workspace_in_a_repository_shows_only_itself(tree: Tree) -> None:
    tree.commit({"in/a.txt": LINES, "out/b.txt": b"one\n"})
    tree.commit({"out/b.txt": b"two\n"})
    tree.commit({"in/a.txt": None, "out/a.txt": LINES})
    inside = read_history(tree.root / "in", tree.root / "in", Job())
    assert changes(inside) == [[("a.txt", 0, 20)], [("a.txt", 20, 0)]]
    assert inside.existing == frozenset()


def test_a_repository_in_a_workspace_is_named_from_there(tree: Tree) -> None:
    tree.commit({"a.txt": b"one\n"})
    outside = read_history(tree.root, tree.root.parent, Job())
    assert changes(outside) == [[("workspace/a.txt", 1, 0)]]
    assert outside.existing == {"workspace/a.txt"}


def test_git_compares_nothing_for_the_oldest_commits_of_a_shallow_clone(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [tree.commit({"a.txt": b"%d\n" % day}) for day in range(4)]
    tree.git("clone", "--quiet", "--depth=3", f"file://{tree.root}", str(tmp_path / "clone"))
    compared: list[tuple[str, ...]] = []
    run = git.stream

    def note(*given: Any) -> Any:
        if "--numstat" in given[2]:
            compared.append(tuple(given[3]))
        return run(*given)

    monkeypatch.setattr(module, "stream", note)
    history = read(Tree(tmp_path / "clone", is_new=False))
    assert [it.id for it in history.commits] == ids[:0:-1]
    assert changes(history) == [[("a.txt", 1, 1)], [("a.txt", 1, 1)], []]
    assert compared == [(ids[3], f"^{ids[1]}")]


def test_a_shallow_clone_says_so_and_invents_no_changes(tree: Tree, tmp_path: Path) -> None:
    for day in range(4):
        tree.commit({"a.txt": b"%d\n" % day, f"{day}.txt": b"one\n"})
    tree.git("clone", "--quiet", "--depth=2", f"file://{tree.root}", str(tmp_path / "clone"))
    clone = Tree(tmp_path / "clone", is_new=False)
    history = read(clone)
    assert history.is_shallow
    assert changes(history) == [[("3.txt", 1, 0), ("a.txt", 1, 1)], []]
    whole = START + timedelta(days=2, hours=1)
    assert not read(clone, since=whole).is_shallow


def blobless(tree: Tree, place: Path) -> Tree:
    tree.git("config", "uploadpack.allowFilter", "true")
    tree.git("clone", "--quiet", "--filter=blob:none", f"file://{tree.root}", str(place))
    return Tree(place, is_new=False)


def test_without_the_contents_of_files_trees_say_which_files_changed(
    tree: Tree, tmp_path: Path
) -> None:
    tree.commit({"a.txt": LINES, "gone.txt": b"one\n"})
    tree.commit({"a.txt": None, "b.txt": LINES, "gone.txt": b"two\n"})
    tree.commit({"b.txt": LINES + b"more\n", "gone.txt": None})
    clone = blobless(tree, tmp_path / "clone")
    job = Job()
    history = read_history(clone.root, clone.root, job)
    assert changes(history) == [
        [("b.txt", None, None), ("gone.txt", None, None)],
        [("b.txt", None, None), ("gone.txt", None, None)],
        [("b.txt", None, None), ("gone.txt", None, None)],
    ]
    assert history.lacks_lines
    assert not job.missing
    assert not read(tree).lacks_lines


def many(root: Path, commits: int) -> Tree:
    steps = (
        Step({b"%d.txt" % (at % 7): b"%d\n" % at}, (at - 1,) if at else ()) for at in range(commits)
    )
    return import_steps(root, steps)


def test_a_long_history_is_reported_on_while_it_is_read(workspace: Path) -> None:
    seen: list[Progress] = []
    ticks = iter(range(10**6))
    job = Job(on_progress=seen.append, monotonic=lambda: next(ticks))
    history = read_history(many(workspace, 300).root, workspace, job)
    assert len(history.commits) == 300
    assert [it.done for it in seen] == list(range(300))
    assert {it.message for it in seen} == {"commits"}


def test_a_long_history_ends_when_the_caller_loses_interest(workspace: Path) -> None:
    seen: list[float] = []
    ticks = iter(range(10**6))

    def cancel_at(progress: Progress) -> None:
        seen.append(progress.done)
        if progress.done == 100:
            job.cancel()

    job = Job(on_progress=cancel_at, monotonic=lambda: next(ticks))
    with pytest.raises(Cancelled):
        read_history(many(workspace, 3000).root, workspace, job)
    assert len(seen) < 3000


def test_when_time_is_up_the_newest_commits_remain(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = many(workspace, 3000)
    clock = [0.0]
    job = Job(time_limit_s=1, monotonic=lambda: clock[0])
    taken = module.HistoryReader._take

    def take(reader: "module.HistoryReader", entry: LogEntry) -> None:
        taken(reader, entry)
        clock[0] = 2.0 if len(reader.pending) == 100 else clock[0]

    monkeypatch.setattr(module.HistoryReader, "_take", take)
    history = read_history(tree.root, tree.root, job)
    assert 100 <= len(history.commits) < 3000
    oldest = history.commits[-1].time
    assert job.missing == [f"commits before {oldest:%Y-%m-%d %H:%M:%S} UTC"]


def test_more_history_than_fits_is_cut_and_said(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(5):
        tree.commit({"a.txt": b"%d\n" % day})
    monkeypatch.setattr(module, "MAX_CHANGES", 6)
    job = Job()
    assert len(read_history(tree.root, tree.root, job).commits) == 3
    assert job.missing == [
        "commits before 2026-01-03 12:00:00 UTC (over 6 commits and changes)",
    ]


def test_a_head_that_is_lost_is_a_failure_not_an_empty_history(tree: Tree) -> None:
    head = tree.commit({"a.txt": b"one\n"})
    (tree.root / ".git" / "objects" / head[:2] / head[2:]).unlink()
    with pytest.raises(GitFailed):
        read(tree)


def test_a_damaged_history_gives_what_can_be_read(tree: Tree) -> None:
    for day in range(9):
        tree.commit({"a.txt": b"%d\n" % day})
    oldest = tree.git("rev-parse", "HEAD~8").decode()
    (tree.root / ".git" / "objects" / oldest[:2] / oldest[2:]).unlink()
    job = Job()
    history = read_history(tree.root, tree.root, job)
    assert 5 < len(history.commits) < 9
    assert job.missing
    assert "git failed" in job.missing[0]


NAMES = st.sampled_from([b"a", b"b/c", b"b/d e", b"{x => y}", b"\xff"])
CONTENTS = st.lists(st.sampled_from([b"x\n", b"y\n", b"z\n"]), max_size=6).map(b"".join)


@st.composite
def steps(draw: st.DrawFn) -> list[Step]:
    made: list[Step] = []
    for at in range(draw(st.integers(1, 6))):
        parents = draw(st.lists(st.integers(0, at - 1), unique=True, max_size=2)) if at else []
        files: dict[bytes, Content] = dict(draw(st.dictionaries(NAMES, CONTENTS, max_size=3)))
        made.append(Step(files, tuple(parents), draw(st.sampled_from([ADA, BOB]))))
    return made


@settings(max_examples=25)
@given(made=steps())
def test_the_lines_of_every_commit_are_those_of_plain_git(
    made: list[Step], tmp_path_factory: pytest.TempPathFactory
) -> None:
    tree = import_steps(tmp_path_factory.mktemp("tree") / "root", made)
    plain = tree.git("log", "--no-merges", "--shortstat", "--format=@%H %an").decode()
    assert [
        (commit.id, commit.author, sum_of("added", commit), sum_of("deleted", commit))
        for commit in read(tree).commits
    ] == [
        (words[0], words[1], number_before("insertion", block), number_before("deletion", block))
        for block in plain.split("@")[1:]
        if (words := block.split())
    ]


def sum_of(kind: str, commit: Commit) -> int:
    return sum(getattr(file, kind) for file in commit.files)


def number_before(word: str, block: str) -> int:
    found = re.search(rf"(\d+) {word}", block)
    return int(found[1]) if found else 0


def test_git_is_the_only_program_that_runs(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.commit({"a.txt": b"one\n"})
    started: list[str] = []
    popen = subprocess.Popen

    def start(arguments: list[str], **options: object) -> object:
        started.append(Path(arguments[0]).name)
        return popen(arguments, **options)  # type: ignore[call-overload] # passed on as they are

    monkeypatch.setattr(subprocess, "Popen", start)
    read(tree)
    assert started == ["git", "git", "git"]
