import pytest

from dead_code_kit import assert_only_first_alive


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        ("a.tf", 'variable "it" {}\noutput "a" {\n  value = var.it\n}\n', 'variable "it" {}\n'),
        (
            "a.tf",
            'variable "it" {}\nmodule "a" {\n  it = 1\n}\n',
            'variable "it" {}\nresource "a" "b" {\n  it = 1\n}\n',
        ),
        ("a.tf", 'output "it" {}\n', 'variable "it" {}\n'),
        (
            "a.tf",
            'locals {\n  it = 1\n  b  = local.it\n}\noutput "a" {\n  value = local.b\n}\n',
            "locals {\n  it = 1\n}\n",
        ),
    ],
)
def test_only_variables_and_locals_without_a_use_are_dead(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)
