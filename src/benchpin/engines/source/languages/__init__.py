"""The languages, one table each. A grammar is loaded when its first file is met."""

from importlib import import_module

from benchpin.engines.source.language import Language

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
    """Return the table of a language."""
    table = import_module(f"{__name__}.{name}").LANGUAGE
    if not isinstance(table, Language):
        message = f"{name} has no table"
        raise TypeError(message)
    return table
