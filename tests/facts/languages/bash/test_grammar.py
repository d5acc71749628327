import pytest

from benchpin.facts.parsing import extract
from language_facts import (
    calls,
    documented_names,
    facts_of,
    function_rows,
    import_rows,
    measured,
    private_names,
)

FACTS = facts_of("bash/basket.sh")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("price", "function", 11, 4, 11, 3, 0),
        ("describe", "function", 25, 3, 1, 1, 0),
        ("_fallback", "function", 33, 5, 6, 2, 0),
        ("_fallback.cleanup", "function", 44, 1, 0, 0, 0),
    ]


def test_what_is_private_or_documented_is_known() -> None:
    assert private_names(FACTS) == ["_fallback"]
    assert documented_names(FACTS) == ["price"]


def test_imports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("lib/money.sh", (), 4, 0),
        ("./tax.sh", (), 5, 0),
    ]


def test_exported_functions_are_known() -> None:
    assert FACTS.links.exports == ("price", "describe")


def test_calls_are_found() -> None:
    assert calls(FACTS) == {
        "": (".", "describe", "exit", "price", "set", "source"),
        "price": ("add", "continue", "echo", "is_open", "printf", "read"),
        "describe": ("_fallback", "echo"),
        "_fallback": ("cat", "count", "order", "ready", "sleep", "trap"),
        "_fallback.cleanup": ("rm",),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if a; then b; elif c; then d; else e; fi", 3, 3),
        ("for x in y; do while a; do until b; do c; done; done; done", 4, 6),
        ("for ((i = 0; i < 3; i++)); do a; done", 2, 1),
        ("case $x in a | b) c ;; d) e ;; *) f ;; esac", 3, 1),
        ("a && b && c || d", 1, 2),
        ("[[ $a == 1 && $b == 2 || -z $c ]]", 1, 2),
        ("x=$(if a; then b; fi)", 2, 1),
    ],
)
def test_measures_are_those_of_shellmetrics(body: str, cyclomatic: int, cognitive: int) -> None:
    """Cyclomatic as ShellMetrics prints it; cognitive by SonarSource's definition."""
    assert measured(f"f() {{ {body}; }}", "bash") == (cyclomatic, cognitive)


def test_code_outside_functions_is_measured() -> None:
    assert (FACTS.outline.cyclomatic, FACTS.outline.cognitive) == (2, 3)


def test_a_broken_file_still_has_its_functions() -> None:
    outline = extract(b"a() { :; }\n\nb=( ) )\n\nc() { :; }\n", "bash").outline
    assert outline.error_line == 3
    assert [it.name for it in outline.functions] == ["a", "c"]
