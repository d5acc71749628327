"""A function inside another one counts once in what is added up."""

from textwrap import dedent

import pytest

from benchpin.measures.complexity import (
    Thresholds,
    find_violations,
    hours_to_fix,
    simplicity,
    total_cognitive,
)
from dead_code_kit import facts_of
from findings_kit import function, source

BODY = "".join(f"if (x > {at}) {{ if (x) {{ x--; }} }} " for at in range(8))
NESTED = {
    "a.ts": f"export function outer(x) {{ const inner = (x) => {{ {BODY} }}; return inner(x); }}\n"
}
PYTHON = {
    "a.py": dedent(
        """
        def outer(xs):
            def inner(x):
                if x:
                    for y in x:
                        if y:
                            return y
            return [inner(x) for x in xs]
        """
    )
}


@pytest.mark.parametrize("files", [NESTED, PYTHON])
def test_the_total_of_a_file_is_that_of_its_outermost_functions(files: dict[str, str]) -> None:
    [file] = facts_of(files)
    by_name = {it.name: it.cognitive for it in file.outline.functions}
    assert by_name["outer"] >= by_name["outer.inner"] > 0
    assert total_cognitive(file.outline) == by_name["outer"]


def test_hours_are_those_of_the_inner_function_and_of_what_is_left_around_it() -> None:
    [file] = facts_of(NESTED)
    violations = find_violations([file], Thresholds())
    assert {it.function for it in violations} == {"outer", "outer.inner"}
    inner = [it for it in violations if it.function == "outer.inner"]
    assert hours_to_fix(violations) < hours_to_fix(inner) * 1.6


def test_a_function_takes_a_day_at_most_and_counts_once_for_two_thresholds() -> None:
    worst = source("a.py", function("worst", 400, 900))
    assert hours_to_fix(find_violations([worst], Thresholds())) == 8
    both = find_violations([source("a.py", function("both", 12, 19))], Thresholds())
    assert (len(both), hours_to_fix(both)) == (2, 1.0)


def test_lines_of_a_nested_function_weigh_once_in_how_easy_code_is_to_follow() -> None:
    [file] = facts_of(PYTHON)
    outer, inner = sorted(file.outline.functions, key=lambda it: it.line)
    found = simplicity([file.outline.functions])
    alone = [simplicity([[it]]) or 0 for it in (outer, inner)]
    own = outer.code_lines - inner.code_lines
    mean = (alone[0] * own + alone[1] * inner.code_lines) / outer.code_lines
    assert found == pytest.approx(mean)
