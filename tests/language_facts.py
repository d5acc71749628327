"""Reads fixtures of languages, and puts facts into rows that a test can state."""

from pathlib import Path

from benchpin.facts import Facts, Import
from benchpin.facts.parsing import extract

FIXTURES = Path(__file__).parent / "fixtures" / "languages"

Row = tuple[str, str, int, int, int, int, int]


def facts_of(path: str) -> Facts:
    """Return the facts of a fixture; its folder is the name of its language."""
    return extract((FIXTURES / path).read_bytes(), path.partition("/")[0])


def sample_of(language: str) -> bytes:
    """Return the longest fixture of a language: every language has one."""
    return max((it.read_bytes() for it in (FIXTURES / language).iterdir()), key=len)


def function_rows(facts: Facts) -> list[Row]:
    """Return name, kind, line, cyclomatic, cognitive, nesting and parameters of each function."""
    return [
        (it.name, it.kind, it.line, it.cyclomatic, it.cognitive, it.nesting, it.parameters)
        for it in facts.outline.functions
    ]


def type_rows(facts: Facts) -> list[tuple[str, str, int, tuple[str, ...], bool, bool]]:
    """Return name, kind, line, bases and whether public and documented of each type."""
    return [
        (it.name, it.kind, it.line, it.bases, it.is_public, it.is_documented)
        for it in facts.outline.types
    ]


def import_rows(facts: Facts) -> list[tuple[str, tuple[str, ...], int, int]]:
    """Return module, names, line and level of each import."""
    return [_import_row(it) for it in facts.links.imports]


def _import_row(it: Import) -> tuple[str, tuple[str, ...], int, int]:
    return it.module, it.names, it.line, it.level


def private_names(facts: Facts) -> list[str]:
    """Return the functions that are not public."""
    return [it.name for it in facts.outline.functions if not it.is_public]


def documented_names(facts: Facts) -> list[str]:
    """Return the functions that have documentation."""
    return [it.name for it in facts.outline.functions if it.is_documented]


def decorators(facts: Facts) -> dict[str, tuple[str, ...]]:
    """Return the decorators of the functions that have any."""
    return {it.name: it.decorators for it in facts.outline.functions if it.decorators}


def calls(facts: Facts) -> dict[str, tuple[str, ...]]:
    """Return what each function calls; the code outside any function has no name."""
    names = ["", *(it.name for it in facts.outline.functions)]
    return {name: called for name, called in zip(names, facts.links.calls, strict=True) if called}


def measured(source: str, language: str) -> tuple[int, int]:
    """Return cyclomatic and cognitive complexity of the first function of a source."""
    first = extract(source.encode(), language).outline.functions[0]
    return first.cyclomatic, first.cognitive
