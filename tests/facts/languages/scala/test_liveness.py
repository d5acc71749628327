import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        (
            "Priv.scala",
            "class A { private def it = 1\n  def go = it }\n",
            "class A { private def it = 1\n  def go = 2 }\nobject B { val a = new A().go }\n",
        ),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
