"""Free text where no string can stand: comments, docstrings, addresses."""

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
"""What ends a comment, or begins a trigraph."""
_CONTINUED_BY_BACKSLASH = frozenset({"c", "dockerfile", "java", "make"})
"""Or, in Java, \\u000a is a line break even in a comment."""


def comment(text: str, name: str) -> Bare:
    """Make text harmless in a line of comment; what would end the comment gets a blank in it."""
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
    """Write a docstring of Python."""
    visible = "".join(char if char.isprintable() else " " for char in text)
    escaped = _RISKY_QUOTE.sub(r"\"", visible.replace("\\", "\\\\"))
    return Bare(f'"""{escaped}"""')


def percent(text: str) -> Bare:
    """Write an address; what may not stand in one is percent-encoded."""
    return Bare(quote(text, safe="/:@.-_~"))
