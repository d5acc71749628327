"""The supported languages, one package each; AGENTS.md shows what a package contains.

Nothing of a language is imported before a file in it, or in a language of its family, is met.
"""

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Literal

from benchpin.facts.parsing import Language, NameScope

NAMES = (
    "bash",
    "c",
    "cpp",
    "csharp",
    "go",
    "java",
    "javascript",
    "kotlin",
    "php",
    "python",
    "ruby",
    "rust",
    "scala",
    "swift",
    "tsx",
    "typescript",
)


def load(name: str) -> Language:
    """Return the grammar table of a language."""
    table = import_module(f"{__package__}.{name}.grammar").LANGUAGE
    if not isinstance(table, Language):
        message = f"{name} has no table"
        raise TypeError(message)
    return table


@cache
def family_of(name: str) -> str:
    """Return the language whose package has the imports and liveness of a language."""
    return load(name).family or name if name in NAMES else name


@cache
def name_scope_of(name: str) -> NameScope:
    """Return how far the names of a file are visible; those of an unknown language are not."""
    return load(name).name_scope if name in NAMES else "file"


@cache
def unit_of(name: str) -> NameScope:
    """Return what is compiled as one in a language; a file alone in an unknown one."""
    return load(name).unit if name in NAMES else "file"


@cache
def family_module(
    name: str, part: Literal["imports", "liveness", "variables"]
) -> ModuleType | None:
    """Return a module that the languages of a family share; None for an unknown language."""
    if name not in NAMES or (part == "variables" and name not in _WITH_VARIABLES):
        return None
    return import_module(f"{__package__}.{family_of(name)}.{part}")


# Languages of which the variables and their types are read.
_WITH_VARIABLES = frozenset({"go", "java", "javascript", "python", "rust", "tsx", "typescript"})
