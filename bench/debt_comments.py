"""Judge labelled comments, each project by what was learned from the others.

The cues and their strengths were written by hand, with these projects in view; the weights of
strengths, phrases and words are learned without the project that is judged.
"""

import math
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "scripts"))

from benchpin.measures.debt import MIN_CONFIDENCE
from benchpin.measures.debt._cues import categorize
from benchpin.measures.debt._verdict import judge
from results import help_if_asked, machine, write_section
from train_debt import OWN_LABELS, Labelled, design_of, fit, read_labelled, read_own
from train_debt_words import Comment, calibrate, read_comment

Table = list[str]

_KEYWORDS = "todo|fixme|xxx|hack"
_RIVALS: dict[str, Callable[[str], object]] = {
    "whole keywords": re.compile(rf"\b(?:{_KEYWORDS})\b", re.IGNORECASE).search,
    "keywords anywhere": re.compile(_KEYWORDS, re.IGNORECASE).search,
}
_BINS = (0.0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.01)
_SPEED_ROUNDS = 3
_LABELS = {
    "DESIGN": "Design",
    "IMPLEMENTATION": "Requirement",
    "DEFECT": "Defect",
    "TEST": "Test",
    "DOCUMENTATION": "Documentation",
}
_WITHOUT_LABEL = {"Performance": "Design", "Security": "Design"}
"""The labels have no such categories; their debt is called design."""


def probabilities(rows: Sequence[Labelled], own: Sequence[Comment]) -> list[float]:
    """Judge every comment by models that have not seen its project."""
    models = {
        project: fit([row for row in rows if row.project != project])
        for project in sorted({row.project for row in rows})
    }
    design = design_of(rows, own)
    log_odds = design.leave_one_out()
    slope, shift = calibrate(design, log_odds)
    by_words = dict(zip(design.comments, log_odds.tolist(), strict=True))
    found = []
    for row in rows:
        comment = read_comment(row.project, row.comment, is_debt=row.is_debt, is_own=False)
        by_cues = models[row.project].probability(row)
        odds = math.exp(slope * by_words[comment] + shift) if comment else 0.0
        found.append(max(by_cues, odds / (1 + odds)))
    return found


def scores(rows: Sequence[Labelled], called: Sequence[bool]) -> str:
    """Return precision, recall and F1 as cells of a table."""
    right = sum(row.is_debt and said for row, said in zip(rows, called, strict=True))
    precision = right / max(sum(called), 1)
    recall = right / max(sum(row.is_debt for row in rows), 1)
    f1 = 2 * right / max(sum(called) + sum(row.is_debt for row in rows), 1)
    return f"{precision:.3f} | {recall:.3f} | **{f1:.3f}**"


def accuracy_table(rows: Sequence[Labelled], judged: Sequence[float]) -> Table:
    """Compare with keyword matching, project by project and on all rows together."""
    verdicts = {"benchpin": [chance >= MIN_CONFIDENCE for chance in judged]}
    for name, search in _RIVALS.items():
        verdicts[name] = [search(row.comment) is not None for row in rows]
    lines = [
        "| project | debt | " + " | ".join(f"{name}: P | R | F1" for name in verdicts) + " |",
        "| --- |" + " --- |" * (1 + 3 * len(verdicts)),
    ]
    for project in [*sorted({row.project for row in rows}), "all"]:
        places = [place for place, row in enumerate(rows) if project in {row.project, "all"}]
        some = [rows[place] for place in places]
        cells = [scores(some, [called[place] for place in places]) for called in verdicts.values()]
        debts = f"{sum(row.is_debt for row in some)} of {len(some):,}"
        lines.append(f"| {project} | {debts} | {' | '.join(cells)} |")
    return lines


def calibration_table(rows: Sequence[Labelled], judged: Sequence[float]) -> Table:
    """Compare what was said to be likely with how often it was so."""
    lines = ["| confidence | comments | said | true |", "| --- | --- | --- | --- |"]
    for low, high in pairwise(_BINS):
        inside = [place for place, chance in enumerate(judged) if low <= chance < high]
        if inside:
            said = sum(judged[place] for place in inside) / len(inside)
            true = sum(rows[place].is_debt for place in inside) / len(inside)
            lines.append(
                f"| {low:.2f}–{min(high, 1):.2f} | {len(inside):,} | {said:.3f} | {true:.3f} |"
            )
    return lines


def category_table(rows: Sequence[Labelled]) -> Table:
    """Compare categories, on the debt that is found; nothing in them is learned."""
    pairs = Counter(
        (_LABELS[row.label], _WITHOUT_LABEL.get(category, category))
        for row in rows
        if row.is_debt and (found := judge(row.comment)) and found.confidence >= MIN_CONFIDENCE
        for category in [categorize(found.sentence.words)]
    )
    lines = ["| category | labelled | precision | recall |", "| --- | --- | --- | --- |"]
    for name in _LABELS.values():
        right = pairs[name, name]
        labelled = sum(count for (label, _said), count in pairs.items() if label == name)
        said = sum(count for (_label, called), count in pairs.items() if called == name)
        precision, recall = right / max(said, 1), right / max(labelled, 1)
        lines.append(f"| {name} | {labelled:,} | {precision:.3f} | {recall:.3f} |")
    return lines


def speed(rows: Sequence[Labelled]) -> str:
    """Return how many comments are judged in a second, at best."""
    seconds = []
    for _ in range(_SPEED_ROUNDS):
        start = time.process_time()
        for row in rows:
            judge(row.comment)
        seconds.append(time.process_time() - start)
    return f"{len(rows) / min(seconds):,.0f} comments judged a second of processor time"


def main() -> None:
    """Read labelled comments and the checkouts of our own, given by path; write what is seen."""
    rows = read_labelled(Path(sys.argv[1]))
    judged = probabilities(rows, read_own(OWN_LABELS, Path(sys.argv[2])))
    paragraphs = [
        [f"{len(rows):,} labelled comments; {machine()}. Leave one project out. {speed(rows)}."],
        accuracy_table(rows, judged),
        ["How likely it was said to be, and how often it was:"],
        calibration_table(rows, judged),
        ["Categories of the debt that is found (written by hand, with these projects in view):"],
        category_table(rows),
    ]
    text = "\n\n".join("\n".join(paragraph) for paragraph in paragraphs)
    write_section("Debt comments", text)


if __name__ == "__main__":
    help_if_asked(__doc__)
    main()
