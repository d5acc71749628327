import pytest

from benchpin.facts import FileFacts
from benchpin.facts.parsing import extract
from benchpin.measures.complexity import Thresholds, find_violations, measure, rank_files
from benchpin.measures.complexity._complexity import total_score


def facts(path: str, source: str) -> FileFacts:
    outline = extract(source.encode(), "python").outline
    return FileFacts(path, "python", len(source), {"outline": outline})


def nested(name: str, depth: int) -> str:
    lines = [f"def {name}(x):"]
    lines += [f"{'  ' * (level + 1)}if x > {level}:" for level in range(depth)]
    return "\n".join([*lines, "  " * (depth + 1) + "return x", ""])


def test_the_score_of_the_document() -> None:
    assert total_score(max_cyclomatic=32, avg_cognitive=5.8, function_count=30) == 30.92


@pytest.mark.parametrize(
    ("cyclomatic", "cognitive", "count", "score"),
    [(0, 0, 0, 0), (50, 100, 100, 90), (500, 1000, 1000, 90), (25, 0, 0, 20)],
)
def test_the_score_is_bounded(cyclomatic: int, cognitive: float, count: int, score: float) -> None:
    assert total_score(cyclomatic, cognitive, count) == score


def test_cognitive_complexity_grows_with_nesting() -> None:
    [function] = facts("a.py", nested("deep", 5)).outline.functions
    assert (function.cyclomatic, function.cognitive, function.nesting) == (6, 15, 5)


def test_twice_the_threshold_is_an_error() -> None:
    files = [facts("a.py", nested("six", 5)), facts("b.py", nested("five", 4))]
    found = find_violations(files, Thresholds(cyclomatic=2, cognitive=99))
    assert [(it.function, it.severity) for it in found] == [
        ("six", "error"),
        ("five", "error"),
    ]
    found = find_violations(files, Thresholds(cyclomatic=5, cognitive=99))
    assert [(it.function, it.severity) for it in found] == [("six", "warning")]


def test_files_are_ranked_by_score_then_path() -> None:
    files = [facts("b.py", nested("f", 2)), facts("a.py", nested("f", 2)), facts("c.py", "x = 1\n")]
    ranked = rank_files([*files, facts("d.py", nested("f", 9))], top=9)
    assert [(it.rank, it.file) for it in ranked] == [(1, "d.py"), (2, "a.py"), (3, "b.py")]
    assert rank_files(files, top=1)[0].file == "a.py"
    assert ranked[0].halstead_effort > 0


def test_no_functions_have_no_median() -> None:
    summary = measure([facts("c.py", "x = 1\n")], Thresholds()).summary
    assert (summary.total_files, summary.total_functions) == (1, 0)
    assert summary.median_cyclomatic is summary.p90_cognitive is summary.max_cyclomatic is None
