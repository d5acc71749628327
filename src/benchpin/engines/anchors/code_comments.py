"""Find tagged comments in code: `TODO`, `FIXME` and others at the start of a line of their own.

Comments after code on the same line, and tags in the middle of a sentence, are ignored.
"""

import re
from collections.abc import Iterator

import msgspec

from benchpin.engines.source.facts import Comments

_TAGS = {
    "TODO": "TODO",
    "FIXME": "FIXME",
    "BUG": "FIXME",
    "XXX": "FIXME",
    "HACK": "FIXME",
    "NOTE": "NOTE",
    "STAR": "STAR",
    "QUESTION": "QUESTION",
}
_TAGGED = re.compile(
    rf"[\s/*#;!<\-]*@?({'|'.join(_TAGS)})\b(?:\(([^)\n]{{0,100}})\))?\s*(?::|-|\s|$)\s*(.*)"
)
_SIGNS = re.compile(r"[\s/*#;!<\-]*+")
_MAX_CHARS = 10_000


class CodeComment(msgspec.Struct, frozen=True):
    """A tagged comment in the code."""

    line: int
    tag: str
    """One of the tags of the comment protocol."""
    text: str
    source: str
    """The text on one line, by which an imported comment is recognised."""


def find_code_comments(comments: Comments) -> Iterator[CodeComment]:
    """Yield the tagged comments of a file, in order.

    A comment continues over the comment lines directly below it, until the next tag.
    """
    parts: list[str] = []
    first, word, last = 0, "", 0
    for line, text in _lines(comments):
        tagged = _TAGGED.match(text)
        if parts and (tagged is not None or line != last + 1):
            yield _comment(first, word, parts)
            parts = []
        if tagged is not None:
            first, word, said = line, tagged[1], _plain(tagged[3])
            parts = [f"{word}: {said}" if said else word]
        elif parts:
            parts.append(_plain(text))
        last = line
    if parts:
        yield _comment(first, word, parts)


def _lines(comments: Comments) -> Iterator[tuple[int, str]]:
    """Yield the comment lines that have no code before them."""
    for comment in comments.comments:
        if not comment.is_trailing:
            yield from enumerate(comment.text.split("\n"), start=comment.line)


def _plain(text: str) -> str:
    said = _SIGNS.sub("", text, count=1).rstrip()
    return said.removesuffix("*/" if said.endswith("*/") else "-->").rstrip()


def _comment(line: int, word: str, parts: list[str]) -> CodeComment:
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    text = "\n".join(parts)[:_MAX_CHARS]
    return CodeComment(line, _TAGS[word], text, " ".join(text.split())[:500])
