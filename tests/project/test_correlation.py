import pytest

from benchpin.project import Findings
from benchpin.project.scores import correlate
from benchpin.project.scores._correlation import MIN_FILES, spearman
from findings_kit import admitted, changed, churn, covered, debt, duplicates, function, source

PATHS = [f"{number:02}.py" for number in range(30)]


def test_spearman_as_in_the_textbook() -> None:
    # IQ and hours of television: en.wikipedia.org/wiki/Spearman's_rank_correlation_coefficient
    intelligence = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
    hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]
    assert spearman(intelligence, hours) == pytest.approx(-29 / 165)


def test_equal_values_share_their_ranks() -> None:
    assert spearman([1, 1, 2, 3], [1, 1, 2, 3]) == pytest.approx(1)
    assert spearman([1, 2, 2, 3], [3, 2, 2, 1]) == pytest.approx(-1)


def test_nothing_correlates_with_what_is_always_the_same() -> None:
    assert spearman([1, 2, 3], [5, 5, 5]) is None


def project() -> Findings:
    """Return files of which the later are more complex and change more."""
    files = [
        source(path, function("f", number + 1), code_lines=100 - number)
        for number, path in enumerate(PATHS)
    ]
    changes = [changed(path, number, number / 30) for number, path in enumerate(PATHS) if number]
    return Findings(
        files,
        churn=churn(*changes),
        duplicates=duplicates(shares={"29.py": 80, "00.py": 90}),
        debt=debt(admitted("29.py", "Low"), admitted("29.py", "Low"), admitted("28.py", "Low")),
    )


def test_measures_that_agree_and_disagree_are_told_apart() -> None:
    found = correlate(project())
    rho = {(it.first, it.second): it.rho for it in found.correlations}
    assert rho["complexity", "churn"] == 1
    assert rho["size", "churn"] == -1
    assert all(it.files == 30 for it in found.correlations)
    strengths = [abs(it.rho) for it in found.correlations]
    assert strengths == sorted(strengths, reverse=True)


def test_a_file_that_several_measures_point_at_is_named_with_their_values() -> None:
    found = correlate(project())
    assert [(it.file, it.measures) for it in found.pointed_at] == [
        ("29.py", {"complexity": 30, "churn": 29, "duplication": 80, "debt_comments": 2}),
        ("28.py", {"complexity": 29, "churn": 28, "debt_comments": 1}),
    ]


def test_what_was_not_measured_or_is_the_same_everywhere_is_not_compared() -> None:
    files = [source(path) for path in PATHS]
    found = correlate(Findings(files, debt=debt(), reasons={"churn": "no git"}))
    assert found.correlations == []
    assert found.not_compared["churn"] == "no git"
    assert found.not_compared["debt_comments"] == "it is the same for every file"


def test_a_few_files_tell_nothing() -> None:
    found = correlate(Findings([source(path) for path in PATHS[: MIN_FILES - 1]]))
    assert found.not_compared == {"all": "19 files are too few: it takes 20"}


def test_what_is_known_of_few_files_or_follows_from_the_others_is_not_compared() -> None:
    few = dict.fromkeys(PATHS[:5], 0.5)
    risks = {path: number / 30 for number, path in enumerate(PATHS)}
    files = [source(path, function("f", number)) for number, path in enumerate(PATHS)]
    found = correlate(Findings(files, covered=covered(few), defects=risks))
    assert found.not_compared["uncovered"] == "it is known of 5 files only"
    assert found.not_compared["defects"] == "it is predicted from the others"
    assert found.correlations == []
