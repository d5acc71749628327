"""Cut the comments of a file into pieces, and judge each of them."""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from benchpin.facts import Comments, SourceComment

from ._chunks import LOUD_TAGS, TAGS
from ._sentences import Sentence, strip_signs
from ._verdict import MIN_CONFIDENCE, DebtVerdict, judge

# Longer comments are data; only their beginning is read.
_MAX_COMMENT = 20_000
# A licence begins within these lines of a file.
_HEADER_LINES = 10
_LICENCE = re.compile(r"copyright|licen[cs]ed?\b|spdx|all rights reserved", re.IGNORECASE)
_LINE_SIGNS = ("//", "#", "--", ";", "%")
_TAG_LINE = re.compile(
    r"""[^\w\n]{0,10}(?:
        (?:TODO|FIXME|XXX|HACK|BUG|NOTE|STAR|QUESTION)\b
      | (?:todo|fixme|xxx|hack)(?:\(\w+\))?:
      | [A-Z]{3,20}(?:\(\w+\))?:
    )""",
    re.VERBOSE,
)
_LEFT_TO_DO = frozenset(
    {"todo", "tbd", "nyi", "undone", "cleanup", "refactor", "optimise", "optimize", "perf"}
)
_TODO_OR_FIXME = {tag: "TODO" if tag in _LEFT_TO_DO else "FIXME" for tag in TAGS | LOUD_TAGS}
_REMARK = re.compile(r"[\s/*#;!<\-]*@?(NOTE|STAR|QUESTION)\b(?=[(:\-\s]|$)")
_TAG = re.compile(r"\W{0,3}(?:TO[ -]DO|FIX[ -]ME|[A-Za-z]{2,10})\]?(?:\([^)\n]{0,100}\))?\s*+[:-]?")
_SIGNS = re.compile(r"[\s/*#;!<\-]*+")
_MAX_CHARS = 10_000


def judge_comments(
    comments: Iterable[SourceComment],
) -> Iterator[tuple[SourceComment, DebtVerdict | None]]:
    """Yield the pieces of a file's comments, and what is said about debt in each."""
    for piece in cut_comments(comments):
        yield piece, judge(piece.text[:_MAX_COMMENT], is_formal=_is_formal(piece))


def lines_from(text: str, sentence: Sentence) -> list[str]:
    """Return the lines of a comment from a sentence on; the first one without comment signs."""
    first, *rest = text.split("\n")[sentence.line :]
    first = strip_signs(first)
    return [first[_start(first, sentence) :], *rest]


def _start(line: str, sentence: Sentence) -> int:
    """Return where a sentence begins in its first line; 0 if it cannot be located."""
    word = sentence.tag or sentence.words[1]
    before = r"(?:^|\W)" if sentence.tag else r"[.?!]\s+"
    found = re.search(rf"{before}(?=\W?{re.escape(word)}\b)", line, re.IGNORECASE)
    return found.end() if found else 0


def _is_formal(comment: SourceComment) -> bool:
    is_header = comment.line <= _HEADER_LINES
    return comment.is_doc or (is_header and _LICENCE.search(comment.text) is not None)


def cut_comments(comments: Iterable[SourceComment]) -> Iterator[SourceComment]:
    """Yield the pieces of comments: consecutive line comments are one, a line with a tag a new one.

    Inside a block comment, too, each line that begins with a tag starts a new piece.
    """
    for run in _runs(comments):
        yield from _cut(run)


def _runs(comments: Iterable[SourceComment]) -> Iterator[Sequence[SourceComment]]:
    run: list[SourceComment] = []
    for comment in comments:
        if run and _continues(run[-1], comment):
            run.append(comment)
            continue
        if run:
            yield run
        run = [comment]
    if run:
        yield run


def _continues(before: SourceComment, comment: SourceComment) -> bool:
    return (
        comment.line == before.end_line + 1
        and not before.is_trailing
        and not comment.is_trailing
        and before.is_doc == comment.is_doc
        and before.text.startswith(_LINE_SIGNS)
        and comment.text.startswith(_LINE_SIGNS)
    )


def _cut(run: Sequence[SourceComment]) -> Iterator[SourceComment]:
    lines = [line for comment in run for line in comment.text.split("\n")]
    cuts = [number for number, line in enumerate(lines) if number and _TAG_LINE.match(line)]
    if not cuts and len(run) == 1:
        yield run[0]
        return
    first = run[0]
    for start, end in zip([0, *cuts], [*cuts, len(lines)], strict=True):
        text = "\n".join(lines[start:end])
        is_trailing = first.is_trailing and start == 0
        line, end_line = first.line + start, first.line + end - 1
        yield SourceComment(text, line, end_line, first.is_doc, is_trailing)


# Find tagged comments: debt with a tag such as `TODO`, and lines that begin with `NOTE`.
#
# What debt is, `judge_comments` decides here as everywhere. Comments after code on the same line
# are left out.


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
