import pytest

from dead_code_kit import assert_only_first_alive, surely_dead


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        ("run.sh", "_it() { echo 1; }\n_it\n", "_it() { echo 1; }\necho 2\n"),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)


def test_a_shell_calls_the_functions_of_a_file_with_completions() -> None:
    text = "_area_completion() {\n  echo 1\n}\n"
    assert surely_dead({"area.bash": text}) == {"_area_completion"}
    assert surely_dead({"area.bash": f"{text}complete -F _other area\n"}) == set()
