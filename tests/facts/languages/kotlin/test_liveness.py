import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        (
            "Priv.kt",
            "class Box {\n  private fun it() = 1\n  fun go() = it()\n}\n",
            "class Box {\n  private fun it() = 1\n  fun go() = 2\n}\nval b = Box().go()\n",
        ),
        (
            "Over.kt",
            "class Box : Shape { override fun it() = 1 }\nval b = Box()\n",
            "private fun it() = 1\n",
        ),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
