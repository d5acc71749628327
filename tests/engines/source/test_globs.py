import re

import pytest

from benchpin.engines.source.globs import (
    MAX_VARIANTS,
    Step,
    checks_for,
    fold_case,
    read_name,
    read_path,
)


def fits(pattern: str, name: str) -> bool:
    return any(check(name) for step in read_name(pattern) for check in checks_for([step.glob]))


@pytest.mark.parametrize(
    ("pattern", "name", "is_fit"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("*", "", True),
        ("*.py", "a.py", True),
        ("*.py", ".py", True),
        ("*.py", "a.pyc", False),
        ("a*", "ab", True),
        ("a*c", "abc", True),
        ("a*c", "acb", False),
        ("a*b*c", "aXbYc", True),
        ("a*b*c", "ac", False),
        ("*a*a*b", "aab", True),
        ("*a*a*b", "ab", False),
        ("*.py[co]", "a.pyc", True),
        ("*.py[co]", "a.pyx", False),
        ("a\nb", "a\nb", True),
        ("a?b", "a\nb", True),
        ("a.b", "axb", False),
        ("(a|b)", "(a|b)", True),
        ("a+", "aa", False),
        ("[a-]", "-", True),
        ("[--0]", ".", True),
        ("[\\]]", "]", True),
        ("[!\\]]", "]", False),
        ("[[:space:]]", "\t", True),
        ("[[:alpha:][:digit:]]", "7", True),
        ("[[:alpha:]", "a", False),
        ("", "", False),
    ],
)
def test_a_glob_fits_a_whole_name(pattern: str, name: str, *, is_fit: bool) -> None:
    assert fits(pattern, name) is is_fit


@pytest.mark.parametrize("pattern", ["a[", "a\\", "[[:bad:]]", "a//b", "a/[/b"])
def test_what_can_never_match_has_no_steps(pattern: str) -> None:
    assert read_path(pattern) == ()


def test_two_stars_make_the_next_step_deep() -> None:
    [first, second] = read_path("a/**/b")
    assert (first.is_deep, second.is_deep) == (False, True)
    assert read_path("**/b") == read_name("b")


def test_common_globs_need_no_expression() -> None:
    patterns = ["Makefile", "*.py", "test_*", "*.py[cod]", "[ab]x"]
    kinds = {step.glob.kind for pattern in patterns for step in read_name(pattern)}
    assert "regex" not in kinds
    [wide] = read_name("[a-z]" * 2)
    assert MAX_VARIANTS < 26**2
    assert wide.glob.kind == "regex"


def test_many_endings_are_looked_up_and_few_are_tried() -> None:
    steps: list[Step] = [step for number in range(40) for step in read_name(f"*.e{number}")]
    checks = checks_for(step.glob for step in (*steps, *read_name("*.tar.gz")))
    assert [any(check(name) for check in checks) for name in ("a.e7", "b.tar.gz", "c.gz")] == [
        True,
        True,
        False,
    ]


def test_only_ascii_letters_are_folded() -> None:
    assert fold_case("AZaz[ÉÀ") == "azaz[ÉÀ"


def test_an_expression_takes_time_in_proportion_to_the_name() -> None:
    [step] = read_name("*a" * 30 + "*b")
    [expression] = step.glob.texts
    assert re.match(expression, "a" * 5_000) is None
