"""Find tagged comments: debt with a tag such as `TODO`, and lines that begin with `NOTE`.

What debt is, `judge_comments` decides here as everywhere. Comments after code on the same line are
left out.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from benchpin.facts import Comments

from ._chunks import LOUD_TAGS, TAGS
from ._pieces import judge_comments, lines_from
from ._verdict import MIN_CONFIDENCE

_LEFT_TO_DO = frozenset(
    {"todo", "tbd", "nyi", "undone", "cleanup", "refactor", "optimise", "optimize", "perf"}
)
_TODO_OR_FIXME = {tag: "TODO" if tag in _LEFT_TO_DO else "FIXME" for tag in TAGS | LOUD_TAGS}
_REMARK = re.compile(r"[\s/*#;!<\-]*@?(NOTE|STAR|QUESTION)\b(?=[(:\-\s]|$)")
_TAG = re.compile(r"\W{0,3}(?:TO[ -]DO|FIX[ -]ME|[A-Za-z]{2,10})\]?(?:\([^)\n]{0,100}\))?\s*+[:-]?")
_SIGNS = re.compile(r"[\s/*#;!<\-]*+")
_MAX_CHARS = 10_000


class TaggedComment(msgspec.Struct, frozen=True):
    """A tagged comment in the code."""

    line: int
    tag: str
    """One of the tags of the comment protocol."""
    text: str
    source: str
    """The text on one line, by which an imported comment is recognised."""


def find_tagged(comments: Comments) -> Iterator[TaggedComment]:
    """Yield the tagged comments of a file, in order.

    A comment continues to its end, over the line comments directly below it, until the next tag.
    """
    for piece, verdict in judge_comments(comments.comments):
        if piece.is_trailing:
            continue
        remark = _REMARK.match(piece.text)
        if remark is not None:
            lines = piece.text[remark.start(1) :].split("\n")
            yield _comment(piece.line, remark[1], remark[1], lines)
        if verdict is None or verdict.confidence < MIN_CONFIDENCE:
            continue
        sentence = verdict.sentence
        if sentence.tag:
            tag, word = _TODO_OR_FIXME[sentence.tag], sentence.tag.upper()
            lines = lines_from(piece.text, sentence)
            yield _comment(piece.line + sentence.line, tag, word, lines)


def _comment(line: int, tag: str, word: str, lines: Sequence[str]) -> TaggedComment:
    first, *rest = lines
    tagged = _TAG.match(first)
    said = _plain(first[tagged.end() :] if tagged else first)
    parts = [f"{word}: {said}" if said else word, *map(_plain, rest)]
    while len(parts) > 1 and not parts[-1]:
        parts.pop()
    text = "\n".join(parts)[:_MAX_CHARS]
    return TaggedComment(line, tag, text, " ".join(text.split())[:500])


def _plain(text: str) -> str:
    said = _SIGNS.sub("", text, count=1).rstrip()
    return said.removesuffix("*/" if said.endswith("*/") else "-->").rstrip()
