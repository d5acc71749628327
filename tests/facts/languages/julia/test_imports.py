import pytest

from benchpin.facts import Import
from language_facts import facts_of, import_rows
from made_sources import import_outcome, made


def test_imports_are_read() -> None:
    assert import_rows(facts_of("julia/shop.jl")) == [
        ("Base", ("show",), 6, 0),
        ("..Other", ("*",), 7, 0),
        ("Third", ("*",), 7, 0),
        ("JSON", (), 8, 0),
        ("LinearAlgebra", ("norm", "dot"), 9, 0),
        ("parts.jl", (), 11, 1),
        ("Test", ("*",), 77, 0),
    ]


@pytest.mark.parametrize(
    ("module", "level", "expected"),
    [
        ("parts.jl", 1, ("src/parts.jl",)),
        ("gone.jl", 1, "unresolved"),
        ("..Other", 0, ("src/Other.jl",)),
        ("JSON", 0, "external JSON"),
    ],
)
def test_an_import_leads_to(module: str, level: int, expected: str | tuple[str, ...]) -> None:
    files = [made(it, "julia") for it in ("src/Shop.jl", "src/parts.jl", "src/Other.jl")]
    imported = Import(module, (), 1, level)
    assert import_outcome(files, "src/Shop.jl", "julia", imported) == expected
