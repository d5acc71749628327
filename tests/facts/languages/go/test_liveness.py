import pytest

from dead_code_kit import assert_only_first_alive, surely_dead


@pytest.mark.parametrize(
    ("path", "alive", "dead"),
    [
        (
            "pkg/low.go",
            "package pkg\nfunc it() int { return 1 }\nvar A = it()\n",
            "package pkg\nfunc it() int { return it() }\nvar A = 1\n",
        ),
        (
            "cmd/main.go",
            "package main\nfunc main() {}\nfunc init() {}\n",
            "package main\nfunc main() {}\nfunc it() {}\n",
        ),
        (
            "pkg/api.go",
            "package pkg\nfunc It() int { return 1 }\n",
            "package main\nfunc It() int { return 1 }\n",
        ),
        (
            "pkg/iface.go",
            "package p\ntype S interface{ it() }\ntype B int\nfunc (b B) it() {}\nvar A S = B(1)\n",
            "package p\ntype B int\nfunc (b B) it() {}\nvar A = B(1)\n",
        ),
    ],
)
def test_code_is_alive_only_with_what_its_rule_looks_for(path: str, alive: str, dead: str) -> None:
    assert_only_first_alive(path, alive, dead)


def test_mage_runs_the_exported_functions_of_its_files() -> None:
    text = "package main\n\nfunc Build() {}\n\nfunc old() {}\n"
    assert surely_dead({"magefile.go": text}) == {"old"}
    assert surely_dead({"tool.go": text}) == {"Build", "old"}


def test_a_file_named_spec_is_no_test_in_go() -> None:
    files = {
        "area.go": "package area\n\nfunc size() int { return 1 }\n",
        "area_spec.go": "package area\n\nvar Size = size()\n",
    }
    assert surely_dead(files) == set()
