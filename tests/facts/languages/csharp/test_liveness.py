import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        (
            "Priv.cs",
            "class Priv { private int it() { return 1; }\n  public int Go() { return it(); } }\n",
            "class Priv { private int it() { return 1; }\n  public int Go() { return 1; } }\n",
        ),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
