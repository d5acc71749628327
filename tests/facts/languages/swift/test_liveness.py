import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        (
            "Priv.swift",
            "class A { private func it() {}\n  func go() { it() } }\nlet a = A()\na.go()\n",
            "class A { private func it() {}\n  func go() { } }\nlet a = A()\na.go()\n",
        ),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
