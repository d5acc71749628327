import math
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from benchpin.core.calls import Job
from benchpin.core.errors import Cancelled
from benchpin.project.defects import _knowledge as module
from benchpin.project.defects import _learning as learning
from benchpin.project.defects import _past_trees as past_module
from benchpin.project.defects import know, newest_moment
from benchpin.project.defects._knowledge import Knowledge
from benchpin.project.defects._learning import LEARNED_EVERY, learning_day
from benchpin.workspace.git import find_repository
from defect_kit import BUGGIEST, COLD, HOT, is_learned, three_years
from repositories import START, Step, Tree, import_steps
from selections import select_all


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return three_years(tmp_path_factory.mktemp("made") / "workspace")


def learn(tree: Tree, cache: Path, job: Job | None = None) -> Knowledge:
    return know(select_all(tree.root, cache, job))


def test_a_repository_with_enough_fixes_is_learnt_from_itself(made: Tree, tmp_path: Path) -> None:
    known = learn(made, tmp_path)
    model = known.model
    assert (model.source, model.reason) == ("own", "")
    assert [(it.files, it.fixed) for it in model.trained_on] == [(HOT + COLD, HOT)] * 2
    assert model.score is not None
    assert (model.score.files, model.score.fixed) == (HOT + COLD, HOT)
    assert model.score.auc == 1
    assert model.score.brier < 0.1
    assert known.past is not None
    fixes = {path: it.bug_fixes for path, it in known.past.activity.items() if "test" not in path}
    assert max(fixes, key=lambda path: fixes[path]) == BUGGIEST


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


def test_what_is_known_is_not_learnt_again(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = learn(made, tmp_path)
    monkeypatch.delattr(module, "_learn")
    assert learn(made, tmp_path) == first


def test_without_learning_the_shipped_model_serves_until_one_was_learnt(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.delattr(learning, "read_periods")
        shipped = know(select_all(made.root, tmp_path), learns=False)
    assert shipped.model.source == "shipped"
    assert shipped.model.reason == learning.NOT_LEARNED
    learnt = learn(made, tmp_path)
    assert learnt.past == shipped.past
    assert learnt.model.source == "own"
    assert know(select_all(made.root, tmp_path), learns=False) == learnt
    assert know(select_all(made.root, tmp_path, is_fresh=True), learns=False).model == learnt.model


def test_it_is_learnt_anew_when_that_is_asked_for(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = learn(made, tmp_path)
    learnt: list[Knowledge] = []
    real = module._learn

    def noted(*args: Any, **options: Any) -> Knowledge:
        learnt.append(real(*args, **options))
        return learnt[-1]

    monkeypatch.setattr(module, "_learn", noted)
    assert know(select_all(made.root, tmp_path, is_fresh=True)) == first
    assert len(learnt) == 1


def test_nothing_of_the_past_is_left_on_disk(made: Tree, tmp_path: Path) -> None:
    learn(made, tmp_path)
    assert not list((tmp_path / "insight").iterdir())


def test_a_new_commit_is_learnt_anew(tmp_path: Path) -> None:
    tree = three_years(tmp_path / "workspace")
    first = learn(tree, tmp_path / "cache")
    tree.commits = 1_200
    tree.commit({"lib/cold00.py": b"x = 1\n"}, "Fix crash")
    second = learn(tree, tmp_path / "cache")
    assert second.key != first.key
    assert second.past is not None
    assert "lib/cold00.py" in second.past.fixed


def test_a_model_is_learnt_again_when_history_has_grown_by_its_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = three_years(tmp_path / "workspace")
    tree.git("checkout", "--quiet", "--force", "main")
    start = learning_day(newest_moment(find_repository(tree.root, tree.root), Job()))
    tree.commits = (start - START).days + 2
    tree.commits += math.ceil(LEARNED_EVERY / timedelta(days=1))
    tree.commit({"lib/cold00.py": b"x = 1\n"}, "Fix crash")
    first = learn(tree, tmp_path / "cache")
    tree.commit({"lib/cold01.py": b"x = 1\n"}, "Fix crash")
    with monkeypatch.context() as patched:
        patched.delattr(learning, "read_periods")
        second = learn(tree, tmp_path / "cache")
    assert second.model == first.model
    assert second.past is not None
    assert "lib/cold01.py" in second.past.fixed
    assert second == learn(tree, tmp_path / "empty")
    tree.commits += math.ceil(LEARNED_EVERY / timedelta(days=1))
    tree.commit({"lib/cold02.py": b"x = 1\n"}, "Fix crash")
    third = learn(tree, tmp_path / "cache")
    assert third.model.trained_on[-1].until > second.model.trained_on[-1].until
    assert third == learn(tree, tmp_path / "empty")


def test_files_that_may_not_be_read_are_not_learnt_from(made: Tree, tmp_path: Path) -> None:
    known = know(select_all(made.root, tmp_path, denied=("**/cold0*",)))
    assert {it.files for it in known.model.trained_on} == {HOT + COLD - 10}


def test_a_folder_without_git_has_the_static_model(tmp_path: Path) -> None:
    known = know(select_all(tmp_path, tmp_path / "cache"))
    assert known.past is None
    assert known.model.source == "shipped"
    assert "No git repository contains" in known.model.reason
    assert known.model.weights.columns["commits"] == 0


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


def test_two_quiet_years_are_too_little(tmp_path: Path) -> None:
    steps = [Step({b"a.py": b"x = %d\n" % at}, (at - 1,) if at else ()) for at in range(800)]
    tree = import_steps(tmp_path / "workspace", steps)
    known = learn(tree, tmp_path / "cache")
    assert known.model.source == "shipped"
    assert known.model.reason.startswith("0 of 1 and 0 of 1 files were fixed in the last two")
    assert known.model.score is None


def test_when_time_is_up_shipped_weights_serve_and_nothing_is_kept(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SHARE_OF_TIME", 0)
    job = Job(time_limit_s=1000)
    known = learn(made, tmp_path, job)
    assert known.model.source == "shipped"
    assert job.missing == ["a model of the repository's own history"]
    assert not is_learned(select_all(made.root, tmp_path))


def test_a_past_that_is_too_big_is_not_measured(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_module, "MAX_BYTES", 1000)
    model = learn(made, tmp_path).model
    assert (model.source, model.score) == ("shipped", None)
    assert model.reason == "the code of the past: over 0 MiB of code"


def test_without_a_place_for_the_past_shipped_weights_serve(made: Tree, tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"no folder")
    model = learn(made, tmp_path / "cache").model
    assert model.source == "shipped"
    assert model.reason.startswith("the code of the past: cannot be written down")


def test_calls_that_come_together_learn_once(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learnt = []
    original = module._learn

    def count(*arguments: Any, **options: Any) -> Knowledge:
        learnt.append(original(*arguments, **options))
        return learnt[-1]

    monkeypatch.setattr(module, "_learn", count)
    selected = select_all(made.root, tmp_path)
    with ThreadPoolExecutor(4) as threads:
        known = list(threads.map(lambda _: know(replace(selected, job=Job())), range(4)))
    assert len(learnt) == 1
    assert all(it == known[0] for it in known)


def test_who_waits_in_vain_for_another_to_learn_goes_on_with_shipped_weights(
    made: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(time_limit_s=1)
    selected = select_all(made.root, tmp_path, job)
    exclusive = selected.session.exclusive
    with exclusive(Job(), "taken"):
        monkeypatch.setattr(
            selected.session, "exclusive", lambda job, _key: exclusive(job, "taken")
        )
        assert know(selected).model.source == "shipped"
        assert job.missing == ["a model of the repository's own history"]


def test_cancelling_stops_the_learning(made: Tree, tmp_path: Path) -> None:
    job = Job()
    job.cancel()
    with pytest.raises(Cancelled):
        learn(made, tmp_path, job)


def test_a_file_that_was_moved_keeps_its_past_in_the_model(tmp_path: Path) -> None:
    tree = three_years(tmp_path / "workspace")
    tree.commits = 1_101
    tree.git("mv", "src", "core")
    tree.commit({}, "Move")
    model = learn(tree, tmp_path / "cache").model
    assert (model.source, [it.fixed for it in model.trained_on]) == ("own", [HOT, HOT])


def test_hostile_names_in_a_tree_of_the_past_lead_nowhere(tmp_path: Path) -> None:
    tree = three_years(tmp_path / "workspace")
    blob = tree.git("hash-object", "-w", "--stdin", stdin=b"x = 1\n").decode()
    inner = tree.git("mktree", stdin=f"100644 blob {blob}\tescaped.py\n".encode()).decode()
    top = tree.git("mktree", stdin=f"040000 tree {inner}\t..\n".encode()).decode()
    commit = tree.git("commit-tree", top, "-m", "Fix crash").decode()
    tree.git("update-ref", "HEAD", commit)
    learn(tree, tmp_path / "cache")
    assert not list(tmp_path.rglob("escaped.py"))
    shutil.rmtree(tmp_path / "cache")


def test_a_commit_at_the_end_of_time_is_no_trouble(tmp_path: Path) -> None:
    tree = Tree(tmp_path / "workspace")
    tree.write({"a.py": b"x = 1\n"})
    tree.git("add", "--all")
    late = {"GIT_COMMITTER_DATE": "@253402300799 +0000"}
    tree.git("commit", "--quiet", "--message", "Change", environment=late)
    assert learn(tree, tmp_path / "cache").model.source == "shipped"
