from pathlib import Path

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.project.defects import _knowledge as module
from benchpin.project.defects import know
from benchpin.project.defects._knowledge import Knowledge
from defect_kit import BUGGIEST, COLD, HOT, three_years
from repositories import Step, Tree, import_steps
from selections import select_all


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return three_years(tmp_path_factory.mktemp("made") / "workspace")


def learn(tree: Tree, cache: Path, job: Job | None = None) -> Knowledge:
    return know(select_all(tree.root, cache, job))


def test_lines_and_commits_are_weighed_and_the_file_fixed_most_often_is_known(
    made: Tree, tmp_path: Path
) -> None:
    known = learn(made, tmp_path)
    assert known.model.reason == ""
    assert known.model.weights.columns.keys() == {"code_lines", "commits"}
    assert known.past is not None
    assert known.past.files == HOT + COLD
    fixes = {path: it.bug_fixes for path, it in known.past.activity.items() if "test" not in path}
    assert max(fixes, key=lambda path: fixes[path]) == BUGGIEST


def test_what_was_read_is_not_read_again_until_that_is_asked_for(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = learn(made, tmp_path)
    monkeypatch.delattr(module, "_read_past")
    assert learn(made, tmp_path) == first
    with pytest.raises(NameError):
        know(select_all(made.root, tmp_path, is_fresh=True))


def test_when_time_is_up_the_code_alone_counts_and_nothing_is_kept(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(module, "_SHARE_OF_TIME", 0)
        job = Job(time_limit_s=1000)
        assert learn(made, tmp_path, job).past is None
        assert job.missing == ["how often each file changed"]
    assert learn(made, tmp_path).past is not None


def test_what_was_learnt_is_the_same_from_a_warm_a_cold_and_no_cache(
    made: Tree, tmp_path: Path
) -> None:
    first = learn(made, tmp_path / "one")
    assert learn(made, tmp_path / "one") == first
    assert learn(made, tmp_path / "two") == first
    (kept,) = (tmp_path / "one" / "source").glob("reductions-*.sqlite")
    kept.write_bytes(b"damaged")
    assert learn(made, tmp_path / "one") == first
    blocked = tmp_path / "three"
    blocked.mkdir()
    (blocked / "source").write_bytes(b"in the way")
    assert learn(made, blocked) == first


def test_a_new_commit_is_learnt_anew(tmp_path: Path) -> None:
    tree = three_years(tmp_path / "workspace")
    first = learn(tree, tmp_path / "cache")
    tree.commits = 1_200
    tree.commit({"lib/cold00.py": b"x = 1\n"}, "Fix crash")
    second = learn(tree, tmp_path / "cache")
    assert second.key != first.key
    assert second.past is not None
    assert second.past.activity["lib/cold00.py"].bug_fixes == pytest.approx(1, abs=0.01)


def test_a_folder_without_git_has_the_static_model(tmp_path: Path) -> None:
    known = know(select_all(tmp_path, tmp_path / "cache"))
    assert known.past is None
    assert "No git repository contains" in known.model.reason
    assert known.model.weights.columns.keys() == {"code_lines"}


def test_without_git_installed_the_static_model_serves(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    known = learn(made, tmp_path / "cache")
    assert (known.past, known.model.reason) == (None, "git is not installed, or not on PATH")


def test_a_history_outside_the_workspace_is_not_read(made: Tree, tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / ".git").symlink_to(made.root / ".git")
    known = learn(Tree(tmp_path / "workspace", is_new=False), tmp_path / "cache")
    assert known.past is None
    assert "is kept outside the workspace" in known.model.reason


def test_a_repository_without_commits_has_the_static_model(tmp_path: Path) -> None:
    known = learn(Tree(tmp_path / "workspace"), tmp_path / "cache")
    assert (known.past, known.model.reason) == (None, "the repository has no commits")


def test_names_that_are_not_utf_8_do_not_stand_in_the_way(tmp_path: Path) -> None:
    steps = [
        Step({b"a\xff.py": b"%d\n" % at, b"b.py": b"%d\n" % at}, (at - 1,) if at else ())
        for at in range(400)
    ]
    tree = import_steps(tmp_path / "workspace", steps)
    known = learn(tree, tmp_path / "cache")
    assert known.past is not None
    assert list(known.past.activity) == ["b.py"]
    assert learn(tree, tmp_path / "cache") == known


def test_cancelling_stops_the_learning(made: Tree, tmp_path: Path) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        learn(made, tmp_path, job)


def test_a_commit_at_the_end_of_time_is_no_trouble(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "workspace")
    tree.write({"a.py": b"x = 1\n"})
    tree.git("add", "--all")
    late = {"GIT_COMMITTER_DATE": "@253402300799 +0000"}
    tree.git("commit", "--quiet", "--message", "Change", environment=late)
    known = learn(tree, tmp_path / "cache")
    assert known.past is not None
    assert known.past.activity == {}
