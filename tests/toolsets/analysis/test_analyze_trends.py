"""Trends: a project compared with itself a week, a month and a release ago."""

from pathlib import Path
from typing import cast

import pytest

from benchpin.app import Workbench
from benchpin.core.calls import Job, Progress
from benchpin.core.errors import Cancelled
from benchpin.toolsets.analysis.analyze_trends import TrendReport
from benchpin.workspace.git import NotARepository
from repositories import Tree

PLAIN = b"def plain(rows):\n    return [row for row in rows]\n"
TANGLE = b"""\
def tangle(rows, limits):
    found = []
    for row in rows:
        for limit in limits:
            if row and limit or rows:
                while limit > 0:
                    if row > limit:
                        for other in rows:
                            if other == row and limit:
                                found.append(other)
                    limit -= 1
    return found


print(tangle([], []))
"""
UNTANGLED = b"""\
def tangle(rows, limits):
    return [row for row in rows for limit in limits if row > limit]


print(tangle([], []))
"""
YEAR = 400


@pytest.fixture
def tree(workspace: Path) -> Tree:
    """Return a project that a year ago had one tangle, then another one, and then only that."""
    made = Tree(workspace)
    made.commit({"old.py": TANGLE, "plain.py": PLAIN})
    _wait(made, YEAR - 20)
    made.commit({"new.py": TANGLE.replace(b"tangle", b"knot")})
    _wait(made, YEAR - 3)
    made.commit({"old.py": UNTANGLED, "debt.py": b"x = 1  # TODO: remove this hack\n"})
    return made


def _wait(tree: Tree, day: int) -> None:
    tree.commits = day


def report(workspace: Path, job: Job | None = None, **arguments: object) -> TrendReport:
    workbench = Workbench.open(workspace)
    listing = workbench.catalogue.find("analyze_trends")
    call = workbench.prepare(listing, arguments, job=job or Job())
    return cast("TrendReport", call.run())


def changes(found: TrendReport) -> dict[str, tuple[float | None, float | None, float | None]]:
    return {it.name: (it.since_week, it.since_month, it.since_release) for it in found.measures}


def test_what_got_worse_and_better_is_said_for_each_period(workspace: Path, tree: Tree) -> None:
    found = report(workspace)
    assert [it.when for it in found.points][-3:] == ["last month", "last week", "now"]
    assert changes(found)["functions over a limit"] == (-1, 0, None)
    assert changes(found)["debt comments"] == (1, 1, None)
    assert changes(found)["hot spots"] == (0, 1, None)
    assert not any("hours" in line for line in found.to_text().splitlines() if "better:" in line)
    assert found.functions_since == "last month"
    assert [(it.function, it.verdict, it.file) for it in found.functions] == [
        ("knot", "worse", "new.py"),
        ("tangle", "better", "old.py"),
    ]
    text = found.to_text()
    assert "since last week (2027-01-26): better: " in text
    assert "functions over a limit -1" in text
    assert tree.commits


def test_a_past_commit_has_the_measures_that_it_had_when_it_was_checked_out(
    workspace: Path, tree: Tree
) -> None:
    now = report(workspace)
    for point in now.points[:-1]:
        tree.git("checkout", "--quiet", point.commit)
        then = report(workspace).points[-1]
        assert then.commit == point.commit
        for name in ("over_limit", "debt_hours", "debt_comments", "duplicated_percent", "unused"):
            assert getattr(then.measures, name) == getattr(point.measures, name), name
        assert then.measures.code_lines == point.measures.code_lines
        known = dict(then.measures.scores)
        del known["defects"]
        assert known == {name: point.measures.scores[name] for name in known}


def test_the_last_release_is_the_highest_version_where_its_branch_began(
    workspace: Path, tree: Tree
) -> None:
    tree.git("tag", "v1.9", "HEAD~2")
    tree.git("tag", "v2.0rc1", "HEAD~1")
    tree.git("checkout", "--quiet", "-b", "stable", "HEAD~1")
    tree.commit({"plain.py": b"x = 1\n"})
    tree.git("tag", "v1.10.0")
    tree.git("checkout", "--quiet", "main")
    found = report(workspace)
    [release] = [it for it in found.points if it.when == "last release"]
    assert (release.name, release.commit) == (
        "v1.10.0",
        tree.git("rev-parse", "HEAD~1")[:12].decode(),
    )


def test_the_tags_of_packages_count_where_no_tag_is_a_version_of_the_whole(
    workspace: Path, tree: Tree
) -> None:
    tree.git("tag", "core@1.0.0", "HEAD~2")
    tree.git("tag", "cli/v0.3.1", "HEAD~1")
    tree.git("tag", "nightly-7", "HEAD~1")
    found = report(workspace)
    assert [it.name for it in found.points if it.name] == ["cli/v0.3.1"]


def test_uncommitted_work_belongs_to_now(workspace: Path, tree: Tree) -> None:
    tree.write({"knots.py": TANGLE, "old.py": None})
    found = report(workspace)
    assert changes(found)["functions over a limit"] == (0, 1, None)


def test_a_function_that_moved_got_neither_better_nor_worse(workspace: Path, tree: Tree) -> None:
    tree.write({"new.py": None, "inner/newer.py": TANGLE.replace(b"tangle", b"knot")})
    found = report(workspace, commits=2)
    week = next(it for it in found.measures if it.name == "functions over a limit")
    assert week.since_week == -1
    assert [it.function for it in found.functions if it.file.startswith("inner")] == ["knot"]
    tree.commit({})
    _wait(tree, YEAR + 60)
    tree.commit({"inner/newer.py": None, "moved.py": TANGLE.replace(b"tangle", b"knot")})
    assert [it.function for it in report(workspace, commits=1).functions] == []


def test_a_single_commit_has_nothing_to_compare_with(workspace: Path) -> None:
    Tree(workspace).commit({"plain.py": PLAIN})
    found = report(workspace)
    assert [it.when for it in found.points] == ["now"]
    assert "No earlier commit to compare with." in found.to_text()


def test_a_repository_without_commits_has_nothing_to_compare_with(workspace: Path) -> None:
    Tree(workspace).write({"plain.py": PLAIN})
    assert [it.when for it in report(workspace).points] == ["now"]


def test_a_folder_without_history_is_an_error(workspace: Path) -> None:
    (workspace / "plain.py").write_bytes(PLAIN)
    with pytest.raises(NotARepository):
        report(workspace)


def test_a_commit_is_measured_once(workspace: Path, tree: Tree) -> None:
    report(workspace)
    job = Job()
    assert report(workspace, job) == report(workspace)
    assert job.measures["trend"] == "recalled"
    assert tree.commits


def test_a_cancelled_call_keeps_the_commits_that_it_measured(workspace: Path, tree: Tree) -> None:
    def stop(progress: Progress) -> None:
        if progress.message == "past commits" and progress.done == 1:
            job.cancel()

    moments = iter(range(1_000_000))
    job = Job(on_progress=stop, monotonic=lambda: float(next(moments)))
    with pytest.raises(Cancelled):
        report(workspace, job)
    again = Job()
    report(workspace, again, commits=1)
    assert again.measures["trend"] == "recalled"
    assert tree.commits


def test_where_time_runs_out_the_newest_states_are_compared(workspace: Path, tree: Tree) -> None:
    report(workspace, commits=1)
    job = Job(time_limit_s=0.0)
    found = report(workspace, job)
    assert found.partial
    assert tree.commits
