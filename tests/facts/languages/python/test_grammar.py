import pytest

from benchpin.facts.parsing import extract
from language_facts import (
    calls,
    decorators,
    documented_names,
    facts_of,
    function_rows,
    import_rows,
    measured,
    private_names,
    type_rows,
)

FACTS = facts_of("python/shelf.py.txt")


def test_functions_are_found_and_measured() -> None:
    assert function_rows(FACTS) == [
        ("Shelf.__init__", "method", 18, 1, 1, 0, 5),
        ("Shelf.size", "method", 24, 4, 1, 0, 1),
        ("Shelf._sort", "method", 27, 9, 12, 3, 3),
        ("Shelf.Row.width", "method", 41, 2, 1, 1, 1),
        ("find", "function", 46, 7, 8, 1, 3),
        ("find.matches", "function", 49, 3, 2, 1, 1),
        ("retry", "function", 72, 1, 1, 0, 1),
        ("retry.wrapper", "function", 74, 2, 1, 1, 1),
    ]


def test_what_is_private_documented_and_decorated_is_known() -> None:
    assert private_names(FACTS) == ["Shelf._sort"]
    assert documented_names(FACTS) == ["Shelf.__init__", "find"]
    assert decorators(FACTS) == {
        "Shelf.size": ("property", "functools.lru_cache"),
        "retry.wrapper": ("functools.wraps",),
    }


def test_types_have_kinds_and_bases() -> None:
    assert type_rows(FACTS) == [
        ("Shelf", "class", 13, ("Base", "models.Named"), True, True),
        ("Shelf.Row", "class", 40, (), True, False),
    ]


def test_imports_and_exports_are_read_as_written() -> None:
    assert import_rows(FACTS) == [
        ("os.path", (), 3, 0),
        ("json", (), 4, 0),
        ("re", (), 4, 0),
        ("", ("models",), 5, 1),
        ("store", ("Store", "open_store"), 6, 2),
        ("typing", ("*",), 7, 0),
    ]
    assert FACTS.links.exports == ("Shelf", "find", "load")


def test_calls_keep_their_receivers() -> None:
    assert calls(FACTS) == {
        "": ("find", "functools.lru_cache"),
        "Shelf.size": ("len",),
        "Shelf._sort": ("key.next",),
        "find": ("codec.dumps", "matches", "open_store", "os.path.exists"),
        "retry": ("functools.wraps",),
        "retry.wrapper": ("function", "getattr", 'getattr(function, "fallback")'),
    }


@pytest.mark.parametrize(
    ("body", "cyclomatic", "cognitive"),
    [
        ("if a:\n  pass\n elif b:\n  pass\n else:\n  pass", 3, 3),
        ("for a in b:\n  pass\n else:\n  pass", 3, 2),
        ("try:\n  pass\n except E:\n  pass\n else:\n  pass", 3, 2),
        ("return [a for b in c for a in b if a and b]", 5, 1),
        ("assert a and b", 2, 1),
        ("match a:\n  case 1:\n   pass\n  case 2 if b:\n   pass\n  case _:\n   pass", 3, 1),
        ("match a:\n  case 1:\n   pass\n  case (b):\n   pass", 2, 1),
        ("match a:\n  case b if b:\n   pass\n  case _:\n   pass", 2, 1),
        ("match a:\n  case None:\n   pass\n  case b, c:\n   pass\n  case d,:\n   pass", 4, 1),
        ("match a:\n  case b():\n   pass\n  case ((c)):\n   pass", 2, 1),
        ("return a and b or c and d", 4, 3),
        ("return a and (b and c)", 3, 2),
        ("return lambda x: x if x else None", 2, 1),
    ],
)
def test_measures_are_those_of_radon_and_sonar(body: str, cyclomatic: int, cognitive: int) -> None:
    """Cyclomatic as radon 6 prints it; cognitive by SonarSource's rules."""
    assert measured(f"def f(d=a or b):\n {body}\n", "python") == (cyclomatic, cognitive + 1)


def test_a_decorator_and_its_wrapper_are_one() -> None:
    source = "def outer(f):\n def inner():\n  if a:\n   pass\n return inner\n"
    assert measured(source, "python") == (1, 1)
    assert measured(source.replace(" return inner", " return inner()"), "python") == (1, 2)


def test_a_class_in_a_function_starts_at_nesting_zero() -> None:
    source = "def f():\n if a:\n  class B:\n   def c(self):\n    if d:\n     pass\n"
    outline = extract(source.encode(), "python").outline
    assert [(it.name, it.cyclomatic, it.cognitive) for it in outline.functions] == [
        ("f", 2, 2),
        ("f.B.c", 2, 1),
    ]
