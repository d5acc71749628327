"""Find comments that admit debt, with place, category and severity."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchpin.core.calls import Job
from benchpin.core.results import Item
from benchpin.facts import FileFacts, Function, Outline, SourceComment, Type
from benchpin.present import Finding, FindingRule, Level
from benchpin.workspace.walking import is_product_path

from ._categories import CATEGORIES, SEVERITIES, Category, Severity, categorize, rate
from ._pieces import judge_comments, lines_from
from ._sentences import Sentence, strip_signs
from ._verdict import MIN_CONFIDENCE, DebtVerdict

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
    return join_debt(debt_by_file(files, job, min_confidence).values())


def debt_by_file(
    files: Sequence[FileFacts], job: Job, min_confidence: float = MIN_CONFIDENCE
) -> dict[str, Debt]:
    """Return what the comments of each file admit, by path; not of those that are out of time."""
    return {file.path: _debt_in(file, min_confidence) for file in job.each(files, "files")}


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
