import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        (
            "priv.php",
            "<?php\nclass A { private function it() {}\n function go() { $this->it(); } }\n",
            "<?php\nclass A { private function it() {}\n function go() {} }\n(new A())->go();\n",
        ),
        (
            "magic.php",
            "<?php\nclass A { private function __clone() {} }\n$a = new A();\n",
            "<?php\nclass A { private function it() {} }\n$a = new A();\n",
        ),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
