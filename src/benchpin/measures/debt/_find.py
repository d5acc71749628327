"""Find comments that admit debt, with place, category and severity.

The comments of a file are cut into pieces, such as one for each tag, and each is judged.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.facts import Comments, FileFacts, Function, Outline, SourceComment, Type
from benchpin.facts.derived import FileFact
from benchpin.present import Finding, FindingRule, Level
from benchpin.workspace.walking import is_product_path

from ._cues import CATEGORIES, SEVERITIES, Category, Severity, categorize, rate
from ._sentences import LOUD_TAGS, TAGS, Sentence, strip_signs
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


RULES = tuple(
    FindingRule(f"debt-{name.lower()}", f"{name}Debt", f"A comment admits {name.lower()} debt.")
    for name in CATEGORIES
)
_LEVELS: dict[Severity, Level] = {
    "Critical": "error",
    "High": "warning",
    "Medium": "warning",
    "Low": "note",
}
# How much of a comment a result quotes.
_MAX_TEXT = 240


class DebtItem(Item):
    """A comment that admits debt."""

    file: str
    line: int
    """Where the sentence that admits debt begins."""
    end_line: int
    text: str
    category: Category
    severity: Severity
    confidence: float
    """The share of comments with such words that people label as debt."""
    tag: str | None
    """TODO, FIXME and the like; None if there is none."""
    context: str | None
    """The function or type that contains it or follows it; None at the top level."""
    is_test_code: bool
    """Whether it is in a test or a sample."""
    reason: str
    """The words that indicate debt, and what they mean."""


def as_finding(item: DebtItem) -> Finding:
    """Return a comment as SARIF and JUnit show it."""
    properties: dict[str, object] = {
        "severity": item.severity,
        "category": item.category,
        "confidence": item.confidence,
        "context": item.context,
        "reason": item.reason,
    }
    rule, level = f"debt-{item.category.lower()}", _LEVELS[item.severity]
    return Finding(rule, level, item.text, item.file, item.line, item.end_line, properties)


class FileDebt(Item):
    """A file and the number of its comments that admit debt."""

    file: str
    items: int


class DebtSummary(Item):
    """Totals."""

    total_files: int
    """The files whose comments were read."""
    files_with_debt: int
    total_comments: int
    total_items: int
    by_category: dict[Category, int]
    by_severity: dict[Severity, int]
    by_file: list[FileDebt]
    """The files with the most, most first."""


@dataclass(frozen=True, slots=True)
class Debt:
    """Comments that admit debt, most severe first, and how many were read."""

    items: list[DebtItem]
    total_files: int
    total_comments: int


def find_debt(files: Sequence[FileFacts], job: Job, min_confidence: float = MIN_CONFIDENCE) -> Debt:
    """Find the comments of files that admit debt; the files need their comments."""
    return join_debt(_debt_in(file, min_confidence) for file in job.each(files, "files"))


def join_debt(found: Iterable[Debt]) -> Debt:
    """Return the debt of all files together."""
    parts = list(found)
    return Debt(
        sorted((item for it in parts for item in it.items), key=_order),
        sum(it.total_files for it in parts),
        sum(it.total_comments for it in parts),
    )


def _debt_in(file: FileFacts, min_confidence: float) -> Debt:
    items: list[DebtItem] = []
    comments = 0
    for comment, verdict in judge_comments(file.comments.comments):
        comments += 1
        if verdict is not None and verdict.confidence >= min_confidence:
            items.append(_item(file, comment, verdict))
    return Debt(items, 1, comments)


# With the path: a comment in a test is less severe.
FILE_DEBT = FileFact[float, Debt](
    f"{__name__}:FILE_DEBT", Debt, _debt_in, ("outline", "comments"), float, has_path=True
)


def summarize(found: Debt, items: Sequence[DebtItem], top_files: int) -> DebtSummary:
    """Return the totals of some of the items that were found."""
    categories = Counter(item.category for item in items)
    severities = Counter(item.severity for item in items)
    files = Counter(item.file for item in items)
    ranked = sorted(files.items(), key=lambda it: (-it[1], it[0]))
    return DebtSummary(
        total_files=found.total_files,
        files_with_debt=len(files),
        total_comments=found.total_comments,
        total_items=len(items),
        by_category={name: categories[name] for name in CATEGORIES if categories[name]},
        by_severity={name: severities[name] for name in SEVERITIES if severities[name]},
        by_file=[FileDebt(file=file, items=count) for file, count in ranked[:top_files]],
    )


def _item(file: FileFacts, comment: SourceComment, verdict: DebtVerdict) -> DebtItem:
    words = verdict.sentence.words
    category = categorize(words)
    is_test_code = not is_product_path(file.path)
    return DebtItem(
        file=file.path,
        line=comment.line + verdict.sentence.line,
        end_line=comment.end_line,
        text=_shown(comment.text, verdict.sentence),
        category=category,
        severity=rate(category, words, is_plain=verdict.is_plain, is_test_code=is_test_code),
        confidence=round(verdict.confidence, 3),
        tag=verdict.sentence.tag.upper() or None,
        context=_context(file.outline, comment),
        is_test_code=is_test_code,
        reason=verdict.reason,
    )


def _shown(text: str, sentence: Sentence) -> str:
    """Return a comment on one line, from the sentence that admits debt."""
    shown = " ".join(" ".join(map(strip_signs, lines_from(text, sentence))).split())
    return shown if len(shown) <= _MAX_TEXT else shown[: _MAX_TEXT - 1] + "…"


def _context(outline: Outline, comment: SourceComment) -> str | None:
    """Return the innermost function or type around a comment, or the one right below it."""
    places: list[Function | Type] = [*outline.functions, *outline.types]
    around = [it for it in places if it.line <= comment.line <= it.end_line]
    if around:
        return min(around, key=lambda it: it.end_line - it.line).name
    below = [it for it in places if it.line == comment.end_line + 1]
    return below[0].name if below else None


def _order(item: DebtItem) -> tuple[int, float, str, int]:
    return (SEVERITIES.index(item.severity), -item.confidence, item.file, item.line)
