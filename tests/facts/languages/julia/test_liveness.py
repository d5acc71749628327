import pytest

from dead_code_kit import confidences


@pytest.mark.parametrize(
    "alive",
    [
        "_it(x) = x\n_it(1)\n",
        "Base._it(x) = x\n",
        "macro _it(x)\n  x\nend\n@_it 1\n",
        "_it(x) = x\nmap(_it, [1])\n",
    ],
)
def test_what_is_called_or_extends_another_module_is_used(alive: str) -> None:
    assert not {name for name, it in confidences({"a.jl": alive}).items() if it >= 0.8}


def test_methods_of_a_function_do_not_use_one_another() -> None:
    found = confidences({"a.jl": "_it(x) = x\n_it(x, y) = y\nfunction _it()\n  1\nend\n"})
    assert {name: it >= 0.8 for name, it in found.items()} == {"_it": True}
