"""How names of Python are found."""

import builtins
import keyword
from collections.abc import Sequence

from benchpin.facts.code import (
    CallRules,
    Interfaces,
    NamedTest,
    Navigation,
    Span,
    TestWords,
    TokenStream,
    quoted,
    quoted_files,
)

# Tests that a command names one by one; more are run by file.
_MAX_NAMED = 40


def _pytest(tests: Sequence[NamedTest]) -> str:
    if len(tests) > _MAX_NAMED:
        return f"pytest {quoted_files(tests)}"
    names = (f"{it.file}::{it.name.replace('.', '::')}" if it.name else it.file for it in tests)
    return f"pytest {' '.join(map(quoted, names))}"


def _registered(stream: TokenStream, at: int) -> Span | None:
    """Return the class in `Base.register(Class)`, which makes it a subclass of Base."""
    words = stream.words
    if words[at + 1 : at + 4] != [".", "register", "("]:
        return None
    return at + 4, stream.closing(at + 3, len(stream))


# A method that runs in other ways too, such as `__eq__` and `__hash__`, is not here.
_OPERATORS = """
    __lt__ < > __le__ <= >= __gt__ > < __ge__ >= <= __ne__ != __or__ | |= __ror__ | __and__ & &=
    __rand__ & __xor__ ^ ^= __invert__ ~ __neg__ - __add__ + += sum __radd__ + sum __iadd__ +=
    __sub__ - -= __mul__ * *= __truediv__ / /= __floordiv__ // //= __mod__ % %= __pow__ ** pow
    __matmul__ @ @= __lshift__ << <<= __rshift__ >> >>= __contains__ in
    __len__ len if elif while assert not and or bool
    __repr__ repr str print format caplog capsys
    __delitem__ del __abs__ abs __reversed__ reversed __enter__ with __aenter__ with
"""


def _operators() -> dict[str, frozenset[str]]:
    """Return the words for each method: those up to the next name of a method."""
    found: dict[str, set[str]] = {}
    words = found.setdefault("", set())
    for word in _OPERATORS.split():
        if word.startswith("__"):
            words = found.setdefault(word, set())
        else:
            words.add(word)
    return {name: frozenset(it) for name, it in found.items() if name}


NAVIGATION = Navigation(
    operators=_operators(),
    declares_for=lambda declarations, file: declarations == f"{file}i",
    interfaces=Interfaces(
        marks=frozenset({"Protocol"}),
        outside=dict.fromkeys(("Generic", "typing.Generic", "abc.ABC"), frozenset[str]()),
    ),
    implementing=_registered,
    implements_by="register",
    takes_named=True,
    has_receiver_parameter=True,
    has_plain_results=True,
    has_docstrings=True,
    package_file="__init__.py",
    has_named_bases=True,
    has_unchecked_names=True,
    reexports_imports=True,
    makes_names=frozenset(
        {"__getattr__", "__getattribute__", "globals", "locals", "setattr", "exec"}
    ),
    mappings=frozenset(
        {
            *("dict", "Dict", "defaultdict", "DefaultDict", "OrderedDict", "Mapping"),
            *("MutableMapping", "WeakValueDictionary"),
        }
    ),
    field_decorators=frozenset({"dataclass", "define", "frozen", "mutable"}),
    field_bases=frozenset({"NamedTuple", "BaseModel", "Struct"}),
    iterates_keys=True,
    of_mappings={
        **dict.fromkeys(("values", "items"), "values"),
        **dict.fromkeys(("get", "pop", "setdefault"), "value"),
    },
    wrappers=frozenset(
        {"Optional", "ClassVar", "Final", "Annotated", "Required", "NotRequired", "InitVar"}
    ),
    class_objects=frozenset({"type", "Type"}),
    keywords=frozenset(keyword.kwlist),
    predeclared=frozenset(dir(builtins)),
    globals=frozenset({"__file__", "__path__", "__class__", "reveal_type", "WindowsError", "_"}),
    standard_members=frozenset(it for kind in (str, list, dict, set) for it in dir(kind)),
    calls=CallRules(has_starred_rest=True, has_angles=False),
    tests=TestWords(
        skips=frozenset({"skip", "skipif", "skipIf", "skipUnless", "skipTest", "xfail"}),
        asserts=("assert", "expect", "raises", "fail"),
        equals=frozenset({"==", "is", "in", "assertEqual", "assertIs", "assertIn"}),
        partial=frozenset(
            {
                *("in", "assertIn", "<", "<=", ">", ">=", "startswith", "endswith"),
                *("assertGreater", "assertGreaterEqual", "assertLess", "assertLessEqual"),
                *("assertRegex", "assertContains"),
            }
        ),
        weak=frozenset({"assertTrue", "assertIsNotNone", "assertFalse", "assertIsInstance"}),
        closeness=frozenset({"abs", "rel", "delta", "approx", "isclose", "atol", "rtol"}),
        digits=frozenset({"places", "assertAlmostEqual"}),
    ),
    silencers=(
        *("# noqa", "# type: ignore", "# pylint: disable", "# pragma: no cover", "# nosec"),
        *("# pyright: ignore", "# mypy: ignore", "# ruff: noqa", "# flake8: noqa", "# ty: ignore"),
    ),
    test_command=_pytest,
    collects_tests=True,
    shared_fixtures="conftest.py",
)
