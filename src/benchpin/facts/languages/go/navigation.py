"""How names of Go are found."""

import re
from collections.abc import Sequence

from benchpin.facts.code import CallRules, NamedTest, Navigation, last_names, quoted

_PREDECLARED = """
    Error String any append bool byte cap clear close comparable complex copy delete error float64
    int int64 len make max min new nil panic print println real recover rune string
"""
_KEYWORDS = """
    break case chan const continue default defer else fallthrough for func go goto if import
    interface map package range return select struct switch type var
"""
_STANDARD_MEMBERS = "Close Error Len Less Read String Swap Unwrap Write"
_VERSION = re.compile(r"v\d+")


def _whole_import(module: str) -> tuple[str, str]:
    parts = [it for it in module.split("/") if not _VERSION.fullmatch(it)]
    return (parts[-1] if parts else module), ""


def _go_test(tests: Sequence[NamedTest]) -> str:
    folders = sorted({f"./{it.file.rpartition('/')[0]}".rstrip("/") for it in tests})
    names = "|".join(last_names(tests))
    chosen = f" -run '^({names})$'" if names and all(it.name for it in tests) else ""
    return f"go test{chosen} {' '.join(map(quoted, folders))}"


NAVIGATION = Navigation(
    whole_import=_whole_import,
    methods="package",
    shares_variables=True,
    has_structural_interfaces=True,
    keywords=frozenset(_KEYWORDS.split()),
    keyed_types=frozenset({"map", "["}),
    predeclared=frozenset(_PREDECLARED.split()),
    standard_members=frozenset(_STANDARD_MEMBERS.split()),
    calls=CallRules(),
    test_command=_go_test,
    test_file="_test.go",
    test_names=("Test", "Benchmark", "Example", "Fuzz"),
)
