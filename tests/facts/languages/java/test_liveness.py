import pytest

from benchpin.measures.unused import SURE_FROM
from dead_code_kit import assert_only_first_alive, dead_code_in


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


def test_a_private_method_is_not_called_by_a_base_class() -> None:
    text = """
        package a;
        class Shop extends Elsewhere implements Cloneable {{
            private int helper() {{ return 1; }}
            {access} int opened() {{ return 2; }}
        }}
        """
    found = {
        access: {
            it.name: it.confidence
            for it in dead_code_in(
                {"a/Shop.java": text.format(access=access)}, is_folded=False
            ).items
        }
        for access in ("private", "protected")
    }
    assert found["private"]["Shop.helper"] == found["private"]["Shop.opened"] == 0.95
    assert found["protected"].get("Shop.opened", 0.0) < SURE_FROM
