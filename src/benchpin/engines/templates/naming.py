"""Names in the spellings that languages use; all are safe without quotes."""

import re

from .quoting import Bare

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
