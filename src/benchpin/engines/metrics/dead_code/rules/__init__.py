"""What is particular about languages and frameworks, one table for each family."""

from functools import cache
from importlib import import_module

from .table import Rules

FAMILIES = ("c", "dotnet", "go", "jvm", "php", "python", "ruby", "rust", "shell", "swift", "web")


@cache
def rules_of(language: str) -> Rules:
    """Return the rules of a language; plain ones when it has none of its own."""
    for family in FAMILIES:
        rules = import_module(f"{__name__}.{family}").RULES
        if isinstance(rules, Rules) and language in rules.languages:
            return rules
    return Rules(languages=frozenset({language}))
