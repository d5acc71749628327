"""What the page of a file shows beside its text."""

from collections import defaultdict
from collections.abc import Sequence

from benchpin.comments import PlacedComment
from benchpin.measures.complexity import OutlineSymbol, Thresholds

_THRESHOLDS = Thresholds()


def shown_lines(text: str) -> list[str]:
    """Return the lines of a file; characters that hide or reorder text are shown as escapes."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [_shown(it.removesuffix("\r")) for it in lines]


def _shown(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(
        it if it == "\t" or it.isprintable() else it.encode("unicode_escape").decode()
        for it in line
    )


def level_of(symbol: OutlineSymbol) -> str:
    """Return how hard a function is to follow: bad from twice a threshold on, fair over one."""
    cyclomatic, cognitive = symbol.cyclomatic or 0, symbol.cognitive or 0
    ratio = max(
        cyclomatic / _THRESHOLDS.cyclomatic,
        cognitive / _THRESHOLDS.cognitive,
    )
    return "bad" if ratio >= 2 else "fair" if ratio > 1 else ""  # noqa: PLR2004 - twice


def threads(
    comments: Sequence[PlacedComment],
) -> tuple[list[PlacedComment], dict[str, list[PlacedComment]]]:
    """Return the comments by line, the open ones first, and the answers to each."""
    known = {it.id for it in comments}
    answers = defaultdict[str, list[PlacedComment]](list)
    for comment in comments:
        if comment.reply_to in known:
            answers[_first(comment, {one.id: one for one in comments}).id].append(comment)
    heads = [it for it in comments if it.reply_to not in known]
    return sorted(heads, key=lambda it: (it.line, it.status != "open", it.id)), answers


def _first(comment: PlacedComment, by_id: dict[str, PlacedComment]) -> PlacedComment:
    """Return the comment that a chain of answers begins with."""
    seen = {comment.id}
    while comment.reply_to in by_id and comment.reply_to not in seen:
        comment = by_id[comment.reply_to]
        seen.add(comment.id)
    return comment
