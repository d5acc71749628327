"""Jinja2 filters whose result needs no quotes: spellings of names, comments, docstrings, URLs."""

import re
from collections.abc import Callable
from urllib.parse import quote

from ._quoting import Bare

_RISKY_QUOTE = re.compile(r'"(?="|$)')
_BLOCK = ("*/",)
# What would end a comment, or start a trigraph in C.
_UNWELCOME: dict[str, tuple[str, ...]] = {
    "c": ("*/", "??"),
    "go": _BLOCK,
    "java": _BLOCK,
    "javascript": _BLOCK,
    "php": ("*/", "?>"),
    "rust": ("*/", "/*"),
    "xml": ("--",),
}
# A backslash at the end continues a comment line; in Java, \u000a breaks it.
_CONTINUED_BY_BACKSLASH = frozenset({"c", "dockerfile", "java", "make"})
_WORDS = re.compile(r"[A-Za-z0-9]+")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def _words(text: str) -> list[str]:
    return _WORDS.findall(text)


def kebab(text: str) -> Bare:
    """Spell it `like-this`."""
    return Bare("-".join(_words(text)).lower())


def snake(text: str) -> Bare:
    """Spell it `like_this`."""
    return Bare("_".join(_words(text)).lower())


def shout(text: str) -> Bare:
    """Spell it `LIKE_THIS`."""
    return Bare("_".join(_words(text)).upper())


def flat(text: str) -> Bare:
    """Spell it `likethis`."""
    return Bare("".join(_words(text)).lower())


def pascal(text: str) -> Bare:
    """Spell it `LikeThis`."""
    return Bare("".join(word[0].upper() + word[1:] for word in _words(text)))


def camel(text: str) -> Bare:
    """Spell it `likeThis`."""
    spelled = pascal(text)
    return Bare(spelled[:1].lower() + spelled[1:])


def word(value: object) -> Bare:
    """Return a version or a name unchanged.

    Raises:
        ValueError: when it has characters other than letters, digits and `._+-`.
    """
    text = str(value)
    if not _WORD.fullmatch(text):
        message = f"{text!r} is not one plain word; quote it, or give its parameter a pattern"
        raise ValueError(message)
    return Bare(text)


def folders(text: str) -> Bare:
    """Spell a dotted name as a path: `org/stars`."""
    return Bare("/".join(_words(text)))


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


# Filters whose result is written without quotes; `comment` is replaced for each format.
FILTERS: dict[str, Callable[[str], Bare]] = {
    "camel": camel,
    "comment": lambda text: comment(text, "text"),
    "docstring": docstring,
    "flat": flat,
    "folders": folders,
    "kebab": kebab,
    "pascal": pascal,
    "shout": shout,
    "snake": snake,
    "url": percent,
    "word": word,
}
