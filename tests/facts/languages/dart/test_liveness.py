import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        ("a.dart", "void _it() {}\nfinal a = _it();\n", "void _it() {}\n"),
        ("a.dart", "void main() {}\n", "void _it() {}\n"),
        (
            "a.dart",
            "class A extends B { @override void _it() {} }\nfinal a = A();\n",
            "void _it() {}\n",
        ),
        ("a.dart", "@riverpod\nvoid _it() {}\n", "@deprecated\nvoid _it() {}\n"),
        ("a.dart", "extension _It on String {}\n", "class _It {}\n"),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
