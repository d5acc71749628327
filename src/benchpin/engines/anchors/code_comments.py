"""Find tagged comments in code: `TODO`, `FIXME` and the like at the start of a line of their own.

A comment behind code on the same line, and a tag in the middle of a sentence, are left alone.
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
_GOES_ON = re.compile(r"[\s/*#;!<\-]*(.*?)(?:\*/|-->)?\s*$")
_MAX_CHARS = 10_000


class CodeComment(msgspec.Struct, frozen=True):
    """A tagged comment in the code."""

    line: int
    tag: str
    """One of the tags that comments have."""
    text: str
    source: str
    """The words by which it is known again, without white space at their ends."""


def find_code_comments(comments: Comments) -> Iterator[CodeComment]:
    """Give the tagged comments of a file, in order.

    One goes on over the lines of comment right below it, until the next tag.
    """
    begun: list[str] = []
    first, word, last = 0, "", 0
    for line, text in _lines(comments):
        tagged = _TAGGED.match(text)
        if begun and (tagged is not None or line != last + 1):
            yield _finished(first, word, begun)
            begun = []
        if tagged is not None:
            first, word, said = line, tagged[1], _plain(tagged[3])
            begun = [f"{word}: {said}" if said else word]
        elif begun:
            begun.append(_plain(text))
        last = line
    if begun:
        yield _finished(first, word, begun)


def _lines(comments: Comments) -> Iterator[tuple[int, str]]:
    """Give the lines of comments that have no code before them."""
    for comment in comments.comments:
        if not comment.is_trailing:
            yield from enumerate(comment.text.split("\n"), start=comment.line)


def _plain(text: str) -> str:
    found = _GOES_ON.match(text)
    return found[1].strip() if found is not None else text.strip()


def _finished(line: int, word: str, parts: list[str]) -> CodeComment:
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    text = "\n".join(parts)[:_MAX_CHARS]
    return CodeComment(line, _TAGS[word], text, " ".join(text.split())[:500])
