"""The supported languages, one package each; AGENTS.md shows what a package contains.

Nothing of a language is imported before a file in it, or in a language of its family, is met.
"""

import difflib
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Literal

from benchpin.core.errors import InvalidParams
from benchpin.facts.parsing import Language, NameScope

NAMES: tuple[str, ...] = (
    "bash",
    "c",
    "cpp",
    "csharp",
    "dart",
    "elixir",
    "go",
    "hcl",
    "java",
    "javascript",
    "julia",
    "kotlin",
    "lua",
    "php",
    "python",
    "ruby",
    "rust",
    "scala",
    "sql",
    "svelte",
    "swift",
    "tsx",
    "typescript",
    "vue",
    "zig",
)


def load(name: str) -> Language:
    """Return the grammar table of a language."""
    table = import_module(f"{__package__}.{name}.grammar").LANGUAGE
    if not isinstance(table, Language):
        message = f"{name} has no table"
        raise TypeError(message)
    return table


@cache
def table_of(name: str) -> Language:
    """Return the grammar table of a language; one without rules for an unknown one."""
    return load(name) if name in NAMES else Language(name=name, grammar="", title=name)


def family_of(name: str) -> str:
    """Return the language whose package has the imports and liveness of a language."""
    return table_of(name).family or name


def name_scope_of(name: str) -> NameScope:
    """Return how far the names of a file are visible; those of an unknown language are not."""
    return table_of(name).name_scope


def kin_of(name: str) -> str:
    """Return the language that a dialect is one of; any other is its own."""
    table = table_of(name)
    return table.family if table.is_dialect else name


@cache
def unit_of(name: str) -> NameScope:
    """Return what is compiled as one in a language; a file alone in an unknown one."""
    return load(name).unit if name in NAMES else "file"


@cache
def family_module(
    name: str, part: Literal["imports", "liveness", "variables", "navigation", "reader"]
) -> ModuleType | None:
    """Return a module of a language, or of its family; None if there is none.

    The languages of a family share imports and liveness; only its dialects share the rest.
    """
    if name not in NAMES:
        return None
    shared = family_of(name) if part in {"imports", "liveness"} else kin_of(name)
    for owner in dict.fromkeys((name, shared)):
        if find_spec(f"{__package__}.{owner}.{part}") is not None:
            return import_module(f"{__package__}.{owner}.{part}")
    return None


def languages_of(toolchain: str | None) -> frozenset[str] | None:
    """Return the languages of a toolchain, or the language of that name; None means all.

    Raises:
        InvalidParams: when there is neither; the suggestion has the nearest name.
    """
    if toolchain is None:
        return None
    tables = [load(it) for it in NAMES]
    found = frozenset(it.name for it in tables if toolchain in {*it.toolchains, it.name})
    if found:
        return found
    known = sorted({name for it in tables for name in (*it.toolchains, it.name)})
    [nearest] = difflib.get_close_matches(toolchain, known, n=1, cutoff=0.0)
    raise InvalidParams(
        f"No toolchain or language is called {toolchain!r}",
        suggestion=f"The nearest is {nearest!r}. Known: {', '.join(known)}. Leave it out for all.",
        data={"toolchain": toolchain},
    )
