import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        (
            "Priv.java",
            "class Priv { private int it() { return 1; }\n  public int go() { return it(); } }\n",
            "class Priv { private int it() { return 1; }\n  public int go() { return 1; } }\n",
        ),
        (
            "Anno.java",
            "class Anno { @Test private void it() { } }\n",
            "class Anno { @Deprecated private void it() { } }\n",
        ),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
