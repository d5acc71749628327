from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchpin.measures import churn
from benchpin.measures.churn import AuthorShare, CoupledFiles, measure_churn
from benchpin.measures.history import Commit, CommittedFile, History

NOW = datetime(2026, 3, 1, tzinfo=UTC)
Lines = tuple[int | None, int | None]


def commit(files: Mapping[str, Lines], author: str = "Ada", days_ago: float = 1) -> Commit:
    changes = (CommittedFile(path, *lines) for path, lines in sorted(files.items()))
    return Commit("0" * 40, NOW - timedelta(days=days_ago), author, tuple(changes))


def history(*commits: Commit, gone: frozenset[str] = frozenset()) -> History:
    paths = {file.path for it in commits for file in it.files}
    return History(commits, frozenset(paths - gone))


def together(*paths: str, times: int = 1) -> list[Commit]:
    return [commit(dict.fromkeys(paths, (1, 0))) for _ in range(times)]


def test_a_file_has_the_sum_of_its_changes() -> None:
    made = history(
        commit({"a": (10, 2)}, "Ada", 1.5),
        commit({"a": (5, 3)}, "Bob", 4),
        commit({"a": (0, 0)}, "Ada", 9),
    )
    (file,) = measure_churn(made, NOW).files
    assert (file.commit_count, file.additions, file.deletions) == (3, 15, 5)
    assert file.authors == (AuthorShare("Ada", 2, 2 / 3), AuthorShare("Bob", 1, 1 / 3))
    assert file.first_seen == NOW - timedelta(days=9)
    assert file.last_modified == NOW - timedelta(days=1.5)
    assert file.days_since_change == 1


def test_a_commit_from_the_future_was_just_now() -> None:
    (file,) = measure_churn(history(commit({"a": (1, 1)}, days_ago=-3)), NOW).files
    assert file.days_since_change == 0


def test_the_score_weighs_commits_and_lines() -> None:
    made = history(
        commit({"often": (1, 0), "much": (80, 20)}),
        commit({"often": (1, 0)}),
        commit({"often": (1, 0)}),
        commit({"often": (1, 1), "seldom": (4, 1)}),
    )
    scores = {file.path: file.churn_score for file in measure_churn(made, NOW).files}
    assert scores == pytest.approx(
        {
            "often": 0.6 * 4 / 4 + 0.4 * 5 / 100,
            "much": 0.6 * 1 / 4 + 0.4 * 100 / 100,
            "seldom": 0.6 * 1 / 4 + 0.4 * 5 / 100,
        }
    )


def test_a_binary_file_has_no_lines_but_commits() -> None:
    made = history(commit({"a": (None, None), "b": (3, 0)}), commit({"a": (None, None)}))
    first, second = measure_churn(made, NOW).files
    assert (first.path, first.additions, first.deletions) == ("b", 3, 0)
    assert (second.path, second.additions, second.deletions) == ("a", None, None)
    assert second.churn_score == pytest.approx(0.6)


def test_a_file_that_became_binary_keeps_the_lines_that_were_counted() -> None:
    made = history(commit({"a": (None, None)}), commit({"a": (3, 1)}))
    (file,) = measure_churn(made, NOW).files
    assert (file.commit_count, file.additions, file.deletions) == (2, 3, 1)


def test_hotspots_are_the_ten_most_changed_above_one_half() -> None:
    often = [commit({f"hot{at:02}": (10, 0) for at in range(12)}) for _ in range(10)]
    found = measure_churn(history(*often, commit({"cold": (1, 0)})), NOW)
    assert found.summary.hotspot_files == tuple(f"hot{at:02}" for at in range(10))
    assert all(file.churn_score > 0.5 for file in found.files[:10])


def test_stable_files_are_the_ten_least_changed_below_one_tenth() -> None:
    often = [commit({"hot": (100, 0)}) for _ in range(20)]
    once = commit({f"calm{at:02}": (30 - at, 0) for at in range(12)})
    report = measure_churn(history(*often, once), NOW)
    assert report.summary.stable_files == tuple(f"calm{at:02}" for at in range(11, 1, -1))
    assert report.summary.hotspot_files == ("hot",)


def test_a_file_on_the_line_is_neither_hot_nor_stable() -> None:
    often = [commit({"hot": (0, 0)}) for _ in range(6)]
    report = measure_churn(history(*often, *together("five", times=5), *together("one")), NOW)
    scores = {file.path: file.churn_score for file in report.files}
    assert scores["one"] == 0.1 + 0.4 / 5
    assert report.summary.stable_files == ()


def test_files_that_are_gone_are_counted_and_left_out() -> None:
    made = history(
        commit({"a": (1, 0)}), commit({"gone": (500, 9)}, "Bob"), gone=frozenset({"gone"})
    )
    report = measure_churn(made, NOW)
    assert [file.path for file in report.files] == ["a"]
    assert report.files[0].churn_score == 1
    summary = report.summary
    assert (summary.total_commits, summary.removed_files) == (2, 1)
    assert (summary.additions, summary.deletions) == (1, 0)


def test_only_what_is_selected_counts() -> None:
    made = history(
        commit({"a.py": (1, 0), "b.md": (50, 0)}), commit({"b.md": (1, 0)}, "Bob"), commit({})
    )
    report = measure_churn(made, NOW, lambda path: path.endswith(".py"))
    assert [file.path for file in report.files] == ["a.py"]
    assert report.summary.total_commits == 1
    assert report.summary.author_contributions == (AuthorShare("Ada", 1, 1.0),)


def test_no_changes_are_no_failure() -> None:
    report = measure_churn(history(), NOW)
    assert (report.files, report.coupling) == ((), ())
    assert report.summary == churn.ChurnSummary(0, 0, 0, 0, 0, 0, (), (), ())


def test_files_that_change_together_are_coupled() -> None:
    made = [*together("a", "b", times=4), *together("a", "c", times=2), *together("a", times=2)]
    assert churn.coupled_files(made, {"a", "b", "c"}) == (CoupledFiles("a", "b", 4, 4 / 6),)
    files = measure_churn(history(*made), NOW).files
    assert {file.path: file.coupled_files for file in files} == {"a": 1, "b": 1, "c": 0}


def test_a_commit_of_everything_couples_nothing() -> None:
    made = together(*(f"{at:02}" for at in range(51)), times=5)
    assert churn.coupled_files(made, {file.path for file in made[0].files}) == ()
    made = together(*(f"{at:02}" for at in range(50)), times=3)
    assert len(churn.coupled_files(made, {file.path for file in made[0].files})) == 50 * 49 / 2


COMMITS = st.lists(
    st.builds(
        commit,
        st.dictionaries(
            st.sampled_from("abcdef"),
            st.tuples(st.integers(0, 99), st.integers(0, 99)) | st.just((None, None)),
            max_size=4,
        ),
        st.sampled_from(["Ada", "Bob", "Eve"]),
        st.integers(0, 30),
    ),
    max_size=25,
)


@given(commits=COMMITS)
def test_pairs_are_those_that_counting_every_pair_finds(commits: list[Commit]) -> None:
    shared = Counter(
        pair for it in commits for pair in combinations([file.path for file in it.files], 2)
    )
    single = Counter(file.path for it in commits for file in it.files)
    degrees = {
        pair: times / ((single[pair[0]] + single[pair[1]]) / 2) for pair, times in shared.items()
    }
    found = churn.coupled_files(commits, set("abcdef"))
    assert {(it.first, it.second): (it.shared_commits, it.degree) for it in found} == {
        pair: (times, degrees[pair])
        for pair, times in shared.items()
        if times >= 3 and degrees[pair] >= 0.5
    }
    assert [it.shared_commits for it in found] == sorted(
        (it.shared_commits for it in found), reverse=True
    )


@given(commits=COMMITS)
def test_the_parts_add_up(commits: list[Commit]) -> None:
    report = measure_churn(history(*commits), NOW)
    assert sum(file.commit_count for file in report.files) == sum(len(it.files) for it in commits)
    assert report.summary.total_commits == sum(bool(it.files) for it in commits)
    for file in report.files:
        assert 0 < file.churn_score <= 1
        assert file.first_seen <= file.last_modified
        assert sum(it.commits for it in file.authors) == file.commit_count
        assert sum(it.share for it in file.authors) == pytest.approx(1)
    if report.files:
        assert report.summary.hotspot_files[0] == report.files[0].path
    scores = [file.churn_score for file in report.files]
    assert scores == sorted(scores, reverse=True)
