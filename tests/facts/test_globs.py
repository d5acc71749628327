import re

import pytest

from benchpin.workspace.walking._globs import (
    MAX_VARIANTS,
    GlobIndex,
    fold_case,
    read_name,
    read_path,
)


def fits(pattern: str, name: str) -> bool:
    return any(GlobIndex([(step.glob, step)]).find(name) for step in read_name(pattern))


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


@pytest.mark.parametrize(
    "template", ["n{}", "n{}*", "*n{}", "*n{}*", "a*n{}", "n{}?[0-9]z", "?n{}*same*"]
)
def test_a_glob_is_found_among_many_of_its_kind(template: str) -> None:
    globs = [read_name(template.format(number))[0].glob for number in range(1_000, 1_100)]
    index = GlobIndex((glob, number) for number, glob in enumerate(globs))
    names = [f"{before}n{number}{after}" for number in (999, 1_007) for before, after in AROUND]
    for name in names:
        alone = [at for at, glob in enumerate(globs) if GlobIndex([(glob, at)]).find(name)]
        assert sorted(index.find(name)) == alone
    assert any(index.find(name) for name in names)


AROUND = [("", ""), ("a", ""), ("", "b"), ("x", "same"), ("", "_7z"), ("aa", "bb"), ("a", "same7")]


def test_an_expression_is_tried_only_where_its_rarest_text_is_found() -> None:
    globs = [read_name(f"same?{number}[!a]")[0].glob for number in range(1_000, 1_100)]
    assert {glob.kind for glob in globs} == {"regex"}
    assert [glob.literals for glob in globs[:2]] == [("same", "1000"), ("same", "1001")]
    index = GlobIndex((glob, at) for at, glob in enumerate(globs))
    assert index.find("same_1042b") == [42]
    assert index.find("same_9999b") == []


def test_only_ascii_letters_are_folded() -> None:
    assert fold_case("AZaz[ÉÀ") == "azaz[ÉÀ"


def test_an_expression_takes_time_in_proportion_to_the_name() -> None:
    [step] = read_name("*a" * 30 + "*b")
    [expression] = step.glob.texts
    assert re.match(expression, "a" * 5_000) is None
