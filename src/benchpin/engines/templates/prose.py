"""Free text outside string literals: comments, docstrings, URLs."""

import re
from urllib.parse import quote

from .quoting import Bare

_RISKY_QUOTE = re.compile(r'"(?="|$)')
_BLOCK = ("*/",)
_UNWELCOME: dict[str, tuple[str, ...]] = {
    "c": ("*/", "??"),
    "go": _BLOCK,
    "java": _BLOCK,
    "javascript": _BLOCK,
    "php": ("*/", "?>"),
    "rust": ("*/", "/*"),
    "xml": ("--",),
}
"""What would end a comment, or start a trigraph in C."""
_CONTINUED_BY_BACKSLASH = frozenset({"c", "dockerfile", "java", "make"})
"""A backslash at the end continues a comment line; in Java, \\u000a breaks it."""


def comment(text: str, name: str) -> Bare:
    """Make text safe in a one-line comment: a blank breaks up what would end it."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    for mark in _UNWELCOME.get(name, ()):
        while mark in line:
            line = line.replace(mark, f"{mark[0]} {mark[1]}")
    if name in _CONTINUED_BY_BACKSLASH:
        line = line.replace("\\", "/")
    if name == "xml":
        line = line.rstrip("-")
    return Bare(line)


def docstring(text: str) -> Bare:
    """Return a Python docstring."""
    visible = "".join(char if char.isprintable() else " " for char in text)
    escaped = _RISKY_QUOTE.sub(r"\"", visible.replace("\\", "\\\\"))
    return Bare(f'"""{escaped}"""')


def percent(text: str) -> Bare:
    """Return a URL or path with other characters percent-encoded."""
    return Bare(quote(text, safe="/:@.-_~"))
