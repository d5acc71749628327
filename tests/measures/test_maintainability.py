import pytest

from benchpin.facts.parsing import extract
from benchpin.measures.complexity import measure_file
from benchpin.measures.complexity._outline import maintainability


@pytest.mark.parametrize(
    ("volume", "cyclomatic", "lines", "share", "low", "high"),
    [(0, 1, 0, 0, 100, 100), (10, 1, 2, 0, 80, 100), (1e6, 500, 5000, 0, 0, 0)],
)
def test_maintainability_is_from_0_to_100(
    volume: float, cyclomatic: int, lines: int, share: float, low: float, high: float
) -> None:
    assert low <= maintainability(volume, cyclomatic, lines, share) <= high


def test_comments_help() -> None:
    assert maintainability(500, 5, 50, 0.3) > maintainability(500, 5, 50, 0)


def test_the_measures_of_a_file_are_of_its_functions_and_of_the_code_outside_them() -> None:
    source = b"def f(x):\n    # Twice.\n    return 2 * x if x else 0\n\nif f(1):\n    f(2)\n"
    outline = extract(source, "python").outline
    found = measure_file(outline)
    assert found.cyclomatic == outline.cyclomatic + 2
    assert found.maintainability_index == maintainability(
        found.halstead.volume, found.cyclomatic, outline.code_lines, 1 / 6
    )
